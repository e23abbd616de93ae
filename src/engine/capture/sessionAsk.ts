import type { Context } from '../context.js';
import { isStorableField } from '../secrets/storableText.js';
import type { CaptureSource } from '../model/capture.js';
import { estimateTokens } from '../text/tokenEstimate.js';
import { candidateId, takeCandidates } from './candidates.js';
import { cursorRecordId, type CaptureCursor, type SessionSigns } from './captureCursor.js';
import { extractFacts, type TurnFacts } from './extractFacts.js';
import { transcriptReaders } from './sources/registry.js';

/** A session whose turns an assistant was asked about: a record of kind `state`. */
const askedRecordId = (cursorId: string): string => `asked:${cursorId}`;

/** What an assistant reads of a session at most, in estimated tokens. */
const maxTokens = 1_500;
/** Of one turn, in UTF-16 units; what a person types that lasts is short. */
const maxTurnLength = 600;

/** A sentence that is asked about even if it is the only one of its session. */
const sureScore = 3;
/** Two of these are asked about. */
const likelyScore = 2.5;
/** An order to remember counts as more than any other sentence. */
const orderScore = 10;

/** The signs of one more turn. */
export function addSigns(known: SessionSigns | undefined, turn: Pick<TurnFacts, 'facts' | 'candidates'>): SessionSigns {
  const scores = turn.candidates.map(it => it.score);
  const { best = 0, likely = 0 } = known ?? {};
  return {
    best: Math.max(best, ...scores, ...(turn.facts.length > 0 ? [orderScore] : [])),
    likely: likely + scores.filter(it => it >= likelyScore).length,
  };
}

/** Whether an assistant is asked about a session: its "nothing" costs a second, and a rule that is lost costs a week. */
export function isWorthAsking({ best, likely }: SessionSigns): boolean {
  return best >= sureScore || likely >= 2;
}

/** A turn that may hold something, and what of its candidates an assistant decides on. */
interface AskedTurn {
  readonly text: string;
  readonly score: number;
  readonly candidates: readonly string[];
}

/**
 * The person's turns of a captured session that may hold something, for an assistant to judge: short ones, without what was
 * pasted, {@link maxTokens} in all. At most once per session; the candidates in them leave the list. Undefined where nothing
 * lasting seems to have been said, or it was asked before.
 */
export async function claimTurns(
  ctx: Context,
  { source, file }: { readonly source: CaptureSource; readonly file: string },
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { store } = ctx.stores[0]!;
  const cursorId = cursorRecordId(source, file);
  const { signs } = (await store.record<CaptureCursor>('cursor', cursorId))?.body ?? {};
  if (signs === undefined || !isWorthAsking(signs)) return undefined;
  if ((await store.record('state', askedRecordId(cursorId))) !== undefined) return undefined;
  const turns: AskedTurn[] = [];
  for await (const { line } of transcriptReaders[source].readLines(file, 0)) {
    if (signal.aborted) return undefined;
    const turn = line.kind === 'person' ? toAskedTurn(line.text) : undefined;
    if (turn !== undefined && !turns.some(it => it.text === turn.text)) turns.push(turn);
  }
  const shown = withinBudget(turns);
  if (shown.length === 0) return undefined;
  return store.write(ctx.host.client, async tx => {
    if ((await tx.record('state', askedRecordId(cursorId))) !== undefined) return undefined;
    await tx.putRecord('state', askedRecordId(cursorId), {});
    await takeCandidates(tx, cursorId, new Set(shown.flatMap(it => it.candidates)));
    return shown.map(it => it.text);
  });
}

/** Undefined for a turn that holds nothing, or a secret. */
function toAskedTurn(turn: string): AskedTurn | undefined {
  const { facts, candidates, typed } = extractFacts(turn);
  if (facts.length + candidates.length === 0) return undefined;
  // Of a long turn, the sentences that may last are what counts.
  const text = typed.length <= maxTurnLength ? typed : [...facts, ...candidates.map(it => it.content)].join(' … ');
  if (!isStorableField(text, text.length)) return undefined;
  const score = Math.max(facts.length > 0 ? orderScore : 0, ...candidates.map(it => it.score));
  return { text: text.slice(0, maxTurnLength), score, candidates: candidates.map(it => candidateId(it.content)) };
}

/** The best of the turns that are not too long together, in the order of the session. */
function withinBudget(turns: readonly AskedTurn[]): readonly AskedTurn[] {
  let tokens = 0;
  const shown = new Set<AskedTurn>();
  for (const it of turns.toSorted((a, b) => b.score - a.score)) {
    tokens += estimateTokens(it.text) + 4;
    if (tokens > maxTokens) break;
    shown.add(it);
  }
  return turns.filter(it => shown.has(it));
}
