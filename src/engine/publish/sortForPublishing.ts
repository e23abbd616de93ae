import type { Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { publishRank } from '../scoring/publishRank.js';
import { hasLapsed } from '../scoring/retentionRules.js';
import { toSingleLineSummary } from '../text/normalizeText.js';

/** In characters. */
const maxLineLength = 160;

/** Sorts memories by publish rank, best first; of equals the older one. Those whose time is over are left out. */
export function sortForPublishing(ctx: Context, memories: readonly Memory[]): Memory[] {
  const { decay: rules } = ctx.host.config();
  const now = ctx.host.now();
  const current = memories.filter(it => !hasLapsed(it, { rules, centrality: it.centrality, now }));
  const maxAccessCount = current.reduce((highest, it) => Math.max(highest, it.accessCount), 0);
  const rankedMemories = current.map(memory => {
    const { centrality, priority, accessCount } = memory;
    const effective = effectiveConfidence(memory, { rules, centrality, now });
    const rank = publishRank({ effectiveConfidence: effective, priority, centrality, accessCount, maxAccessCount });
    return { memory, rank };
  });
  rankedMemories.sort((a, b) => b.rank - a.rank || (a.memory.id < b.memory.id ? -1 : 1));
  return rankedMemories.map(it => it.memory);
}

/**
 * A memory as an item of a Markdown list. The text is data: it is escaped where it would start a heading, list, fence,
 * HTML element or link, end a comment, or import a file (`@path` in a CLAUDE.md). Other syntax, such as `src/**`, stays:
 * models read the source.
 */
export function formatListItem({ content }: Pick<Memory, 'content'>): string {
  const text = toPublishedLine(content)
    .split(/(`[^`\n]+`)/u)
    .map((part, i) => (i % 2 === 1 ? part : escapeProse(part)))
    .join('')
    .replace(/^(?:[#>+*=~|-]|\d{1,9}(?=[.)]))/u, it => (/\d/u.test(it) ? `${it}\\` : `\\${it}`));
  return `- ${text}`;
}

/** One line with its code; a long one or one with a code block is cut as a summary. */
function toPublishedLine(content: string): string {
  const line = content.replaceAll(/\s+/gu, ' ').trim();
  const isPlain =
    line.includes('`') &&
    !/^[#>*+|\d-]/u.test(line) &&
    line.length <= maxLineLength &&
    !/```|~~~/u.test(line) &&
    line.split('`').length % 2 === 1;
  return isPlain ? line : toSingleLineSummary(content, maxLineLength);
}

function escapeProse(text: string): string {
  return text.replaceAll(/\\(?=[!-/:-@[-`{-~])|<(?=[a-z/!?])|\](?=[([:])|(?<!\S)@/giu, String.raw`\$&`);
}
