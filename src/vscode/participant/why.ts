import * as vscode from 'vscode';
import { handle, type Memory } from '../../engine/model/memory.js';
import type { RankPart, RankPartName, TraceCandidate } from '../../engine/model/trace.js';
import { commandIds } from '../contributions.js';
import { translatedText } from '../engineWords.js';
import { countWord } from '../words.js';
import type { Named } from './answer.js';
import { addingUp } from './shares.js';
import type { Outcome, Turn } from './turn.js';

/** More is for the inspector. */
const returnedShown = 5;
const cutShown = 3;

interface Explained extends Named {
  readonly candidate: TraceCandidate;
  readonly parts: readonly RankPart[];
}

/** `/why`: the last recall of this chat, from its trace. */
export async function why({ engine, answer, lastTrace }: Turn): Promise<Outcome> {
  if (lastTrace === undefined) {
    answer.example(
      vscode.l10n.t('Nothing has been recalled in this chat yet. Ask first, such as'),
      '@recollect how do we deploy?',
    );
    answer.button(vscode.l10n.t('Explain the Last Answer of Any Chat'), commandIds.explainLastAnswer);
    return {};
  }
  const { trace, parts, memories } = await engine.inspection.trace(lastTrace);
  const byId = new Map(memories.map(it => [it.id, it]));
  const explained = trace.candidates.map((candidate, index): Explained => ({
    ...named(byId.get(candidate.id), candidate.id),
    candidate,
    parts: parts[index]!,
  }));
  const returned = explained.filter(it => it.candidate.outcome === 'returned');
  const cut = explained.filter(it => it.candidate.outcome !== 'returned');

  const ms = trace.stages.reduce((sum, it) => sum + it.ms, 0).toFixed(1);
  const counts = [countWord(returned.length), countWord(trace.candidateCount), ms] as const;
  answer.paragraph(
    trace.cache === 'hit'
      ? vscode.l10n.t('"{0}": {1} recalled of {2} found, in {3} ms from the cache.', trace.query, ...counts)
      : vscode.l10n.t('"{0}": {1} recalled of {2} found, in {3} ms.', trace.query, ...counts),
  );
  for (const lack of trace.degraded) answer.aside(vscode.l10n.t('Without: {0}.', translatedText(lack)));
  if (returned.length > 0) answer.heading(vscode.l10n.t('In the answer, and what their rank is made of'));
  for (const it of returned.slice(0, returnedShown)) answer.row(it, '', [sumOf(it), ...cameAlong(it)], explained);
  more(answer, returned.length - returnedShown);
  if (cut.length > 0) answer.heading(vscode.l10n.t('Left out'));
  for (const it of cut.slice(0, cutShown)) answer.row(it, cutWord(it.candidate), [sumOf(it)]);
  more(answer, trace.candidateCount - returned.length - Math.min(cut.length, cutShown));
  answer.button(vscode.l10n.t('Open in Inspector'), commandIds.explainLastAnswer, trace.id);
  return {};
}

function named(memory: Memory | undefined, id: string): Named {
  return { id: handle({ id }), content: memory?.content ?? vscode.l10n.t('no longer there') };
}

/** `0.83 = relevance 0.55 + confidence 0.20 + …`: parts of nothing are left out, and what is shown adds up. */
function sumOf({ parts }: Explained): string {
  const { shares, sum } = addingUp(
    parts.map(it => it.value),
    2,
  );
  const terms = parts.flatMap(({ name }, index) =>
    shares[index] === 0 ? [] : [`${partWord(name)} ${shares[index]!.toFixed(2)}`],
  );
  return `${sum.toFixed(2)} = ${terms.join(' + ') || '0'}`;
}

function cameAlong({ candidate: { because } }: Explained): string[] {
  if (because === undefined) return [];
  const id = `#${handle({ id: because.contradicts })}`;
  return [vscode.l10n.t('It came along because it contradicts {0}: {1}', id, translatedText(because.reason))];
}

function more(answer: Turn['answer'], count: number): void {
  answer.endOfList();
  if (count > 0) answer.aside(vscode.l10n.t('And {0} more.', countWord(count)));
}

function cutWord({ outcome }: TraceCandidate): string {
  return outcome === 'over budget'
    ? vscode.l10n.t('no tokens were left for it')
    : vscode.l10n.t('others rank higher, and the answer has a limit');
}

function partWord(name: RankPartName): string {
  const words: Record<RankPartName, string> = {
    relevance: vscode.l10n.t('relevance'),
    effective: vscode.l10n.t('confidence'),
    strength: vscode.l10n.t('strength'),
    priority: vscode.l10n.t('priority'),
    centrality: vscode.l10n.t('centrality'),
    freshness: vscode.l10n.t('freshness'),
  };
  return words[name];
}
