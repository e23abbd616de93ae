import type { Context } from '../context.js';
import type { RememberInput } from '../model/rememberInput.js';
import { prepareText } from '../remember/prepareFact.js';
import type { ResumePosition } from './captureCursor.js';
import { extractFacts, type TurnFacts } from './extractFacts.js';
import {
  extractFactsWithModel,
  maxTurnCharacters,
  turnLabelLength,
  type LabeledTurn,
} from './extractFactsWithModel.js';
import { findOrder } from './marks.js';
import type { LineMetadata, SessionLine } from './sources/sessionLine.js';

/** A turn with its end in the file. */
export interface TranscriptTurn {
  readonly line: Extract<SessionLine, { kind: 'person' | 'outcome' }>;
  readonly endOffset: number;
}

/** A place of a session. */
export interface TranscriptPlace {
  readonly line: LineMetadata;
  readonly endOffset: number;
}

export interface ExtractedFact {
  readonly input: Omit<RememberInput, 'source'> & { readonly score?: number };
  readonly turn: TranscriptPlace;
}

/** The facts of a batch, and the statements that no one has judged. */
export interface ExtractedBatch {
  readonly by: 'rule' | 'model';
  readonly facts: readonly ExtractedFact[];
  readonly candidates: readonly ExtractedFact[];
  /** What rules found in each turn of the person; none where a model read them. */
  readonly turns: readonly (TurnFacts & { readonly turn: TranscriptTurn })[];
  /** A model's, of the session so far. */
  readonly summary?: string;
}

/**
 * The facts of some turns: of the language model that the person allowed, or by rule where there is none or it fails.
 * @returns until when the batch has to wait, where the model's budget is used up
 */
export async function extractBatch(
  ctx: Context,
  batch: readonly TranscriptTurn[],
  options: { readonly previousSummary: string | undefined; readonly signal: AbortSignal },
): Promise<ExtractedBatch | { readonly waitsUntil: Date }> {
  const isAsked = ctx.models.current().provider !== 'none' && batch.some(it => it.line.kind === 'person');
  const read = isAsked ? await readWithModel(ctx, batch, options) : 'none';
  if (read !== 'none') return read;
  const turns = batch.filter(it => it.line.kind === 'person').map(turn => ({ turn, ...extractFacts(turn.line.text) }));
  return {
    by: 'rule',
    facts: turns.flatMap(({ turn, facts }) =>
      facts.map(content => ({ turn, input: { content, ...(isRule(content) ? { gate: 'behavioral' as const } : {}) } })),
    ),
    candidates: turns.flatMap(({ turn, candidates, typed }) =>
      candidates.map(it => ({ turn, input: { ...it, said: typed } })),
    ),
    turns,
  };
}

/** What holds "from now on" is a rule, whatever else it is about. */
function isRule(fact: string): boolean {
  return findOrder(fact) === 'from now on';
}

async function readWithModel(
  ctx: Context,
  batch: readonly TranscriptTurn[],
  { previousSummary, signal }: { readonly previousSummary: string | undefined; readonly signal: AbortSignal },
): Promise<ExtractedBatch | { readonly waitsUntil: Date } | 'none'> {
  const facts: ExtractedFact[] = [];
  let summary: string | undefined;
  for (const turns of splitIntoPrompts(batch)) {
    const labeledTurns = turns.map(({ turn, text }): LabeledTurn => ({
      speaker: turn.line.kind === 'person' ? 'person' : 'assistant',
      text,
    }));
    const answer = await extractFactsWithModel(ctx.models.current(), labeledTurns, {
      previousSummary: summary ?? previousSummary,
      log: ctx.host.log,
      signal,
    });
    if (answer === 'none' || 'waitsUntil' in answer) return answer;
    const prepared = prepareText(answer.facts.summary, ctx.host.config().remember);
    if (!('refused' in prepared)) summary = prepared.content;
    facts.push(
      ...answer.facts.facts.map(({ turn, input }) => ({
        turn: turns[turn]!.turn,
        // It is one fact already, with an argument for its day.
        input: { ...input, whole: true, readsDay: false },
      })),
    );
  }
  return { by: 'model', facts, candidates: [], turns: [], ...(summary === undefined ? {} : { summary }) };
}

/** Whether a turn lies behind what a store has captured. */
export function isBehind({ resumeAt }: { readonly resumeAt: ResumePosition }, turn: TranscriptPlace): boolean {
  if (turn.endOffset <= resumeAt.offset) return false;
  return resumeAt.capturedUntil === undefined || (turn.line.at ?? '') > resumeAt.capturedUntil;
}

/** Splits a batch into the turns of each prompt; a turn longer than a prompt is split into parts. */
function splitIntoPrompts(
  batch: readonly TranscriptTurn[],
): { readonly turn: TranscriptTurn; readonly text: string }[][] {
  const prompts: { readonly turn: TranscriptTurn; readonly text: string }[][] = [[]];
  let size = 0;
  const maxPartLength = maxTurnCharacters - turnLabelLength;
  for (const turn of batch) {
    const { text } = turn.line;
    for (let from = 0; from < text.length; from += maxPartLength) {
      const part = text.slice(from, from + maxPartLength);
      if (size + part.length + turnLabelLength > maxTurnCharacters && size > 0) {
        prompts.push([]);
        size = 0;
      }
      prompts.at(-1)!.push({ turn, text: part });
      size += part.length + turnLabelLength;
    }
  }
  return prompts;
}
