import { answerLabel, formatAnswerMemory, toAnswerMemory } from '../model/answerText.js';
import { wrapInEnvelope } from '../model/contextEnvelope.js';
import type { Hit } from '../model/query.js';
import { estimateTokens } from '../text/tokenEstimate.js';

export interface PackedContext {
  readonly context: string;
  readonly tokens: number;
  /** Hits that fitted, in the given order; without `before` where that did not fit. */
  readonly included: readonly Hit[];
}

/**
 * Formats hits, best first, as a context string of at most `tokenBudget` estimated tokens. A memory that does not fit with
 * what it replaced is tried alone, then left out, and the next one is tried. Without hits, or with too small a budget, the
 * string is empty. The same hits give the same bytes.
 */
export function packContext(hits: readonly Hit[], tokenBudget: number): PackedContext {
  const included: Hit[] = [];
  const lines: string[] = [];
  let usedTokens = estimateTokens(wrapInEnvelope(answerLabel, [])) + 1;
  for (const hit of hits) {
    const { before, ...current } = hit;
    for (const form of before === undefined ? [hit] : [hit, current]) {
      const line = formatAnswerMemory(toAnswerMemory(form));
      const lineTokens = estimateTokens(line) + 1;
      if (usedTokens + lineTokens > tokenBudget) continue;
      included.push(form);
      lines.push(line);
      usedTokens += lineTokens;
      break;
    }
  }
  if (included.length === 0) return { context: '', tokens: 0, included };
  const context = wrapInEnvelope(answerLabel, lines);
  return { context, tokens: estimateTokens(context), included };
}
