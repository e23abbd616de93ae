import { compareStanding, standingGrade } from '../classify/standing.js';
import type { Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import { hasLapsed } from '../scoring/retentionRules.js';
import { toSingleLineSummary } from '../text/singleLine.js';

/** In characters: a rule with its reason. A longer text is cut. */
const defaultLineLength = 400;
/** In characters, with a code block. */
const maxItemLength = 1_200;

/** Whether a memory may be published: a person's, or a note if asked for. Never what only a file of a repository says. */
export function mayPublish({ lane, provenance }: Memory, withNotes: boolean): boolean {
  return lane === 'confirmed' || (withNotes && provenance.source !== 'import' && provenance.source !== 'code-index');
}

/**
 * Sorts memories as a briefing does: the rules for work first, then a person's before a model's, what was said or used more
 * before the rest, and newer before older. Those whose time is over are left out.
 */
export function sortForPublishing(ctx: Context, memories: readonly Memory[]): Memory[] {
  const { decay: rules } = ctx.host.config();
  const now = ctx.host.now();
  return memories
    .filter(it => !hasLapsed(it, { rules, centrality: it.centrality, now }))
    .map(memory => ({
      memory,
      input: { ...memory, source: memory.provenance.source },
      isRule: standingGrade(memory) === 'rule',
    }))
    .sort((a, b) => Number(b.isRule) - Number(a.isRule) || compareStanding(a.input, b.input))
    .map(it => it.memory);
}

interface ListItemOptions {
  /** Follows the text. */
  readonly suffix?: string;
  /** Of the text, in characters. */
  readonly maxLineLength?: number;
}

/**
 * A memory as an item of a Markdown list; one that ends with a code block has more lines. The text is data: it is escaped
 * where it would start a heading, list, fence, HTML element or link, end a comment, or import a file (`@path` in a
 * CLAUDE.md). Other syntax, such as `src/**`, stays: models read the source.
 */
export function formatListItem(
  { content }: Pick<Memory, 'content'>,
  { suffix = '', maxLineLength = defaultLineLength }: ListItemOptions = {},
): string {
  const parts = content.length > maxItemLength ? undefined : splitCode(content);
  const text = toPublishedLine(parts?.text ?? content, maxLineLength);
  if (parts === undefined) return `- ${escapeLine(text)}${suffix}`;
  const [command = '', ...more] = parts.code;
  // A command is part of its sentence.
  if (more.length === 0 && !command.includes('`'))
    return `- ${text === '' ? '' : `${escapeLine(text)} `}\`${command.trim()}\`${suffix}`;
  const block = ['```', ...parts.code, '```'].map(it => `  ${it}`.trimEnd());
  return [`- ${escapeLine(text)}${suffix}`, ...block].join('\n');
}

/** A text that ends with its only code block, in its two parts; undefined for any other. */
function splitCode(content: string): { readonly text: string; readonly code: readonly string[] } | undefined {
  const lines = content.trimEnd().split(/\r\n?|\n/u);
  const fences = lines.flatMap((it, i) => (/^\s*(?:```|~~~)/u.test(it) ? [i] : []));
  const [start, end] = fences;
  if (start === undefined || fences.length !== 2 || end !== lines.length - 1) return undefined;
  if (!/^\s*```[^`]*$/u.test(lines[start]!) || lines[end]!.trim() !== '```') return undefined;
  const code = lines.slice(start + 1, end);
  // Below a list item without a text a block would be no code, and a marker would end the section.
  const isUsable = start > 0 || code.length === 1;
  if (!isUsable || code.join('').trim() === '' || code.some(it => /<!--+\s*recollect:/iu.test(it))) return undefined;
  return { text: lines.slice(0, start).join('\n').trim(), code };
}

function escapeLine(line: string): string {
  return line
    .split(/(`[^`\n]+`)/u)
    .map((part, i) => (i % 2 === 1 ? part : escapeProse(part)))
    .join('')
    .replace(/^(?:[#>+*=~|-]|\d{1,9}(?=[.)]))/u, it => (/\d/u.test(it) ? `${it}\\` : `\\${it}`));
}

/** One line with its inline code; a long one is cut as a summary. */
function toPublishedLine(content: string, maxLineLength: number): string {
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
