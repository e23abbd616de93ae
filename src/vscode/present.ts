import * as vscode from 'vscode';
import { handle, type Gate, type Memory } from '../engine/model/memory.js';
import { colorIds } from './contributions.js';
import { escapeMarkdown, markdownTarget } from './markdown.js';
import {
  countWord,
  dayWord,
  gateWord,
  kindWord,
  laneWord,
  lastsWord,
  percent,
  sourceWord,
  statusWord,
  storeWord,
} from './words.js';

/** How one memory looks, the same in every list, hover and document. */

/** A memory with what is computed for it now. */
export interface Shown {
  readonly memory: Memory;
  /** 0-100. */
  readonly effectiveConfidence: number;
}

/** From here on confidence is shown as high; from `medium` on as medium. */
const confidenceSteps = { high: 70, medium: 40 } as const;

const gateIcons: Readonly<Record<Gate, string>> = {
  correction: 'warning',
  behavioral: 'heart',
  epistemic: 'book',
  relational: 'organization',
  promissory: 'calendar',
};

/** The gate as a shape, or a pin where one is set; the confidence as its colour. */
export function memoryIcon({ memory, effectiveConfidence }: Shown): vscode.ThemeIcon {
  const shape = memory.pinned ? 'pinned' : gateIcons[memory.gate];
  return new vscode.ThemeIcon(shape, new vscode.ThemeColor(confidenceColor(effectiveConfidence)));
}

export function gateIcon(gate: Gate): vscode.ThemeIcon {
  return new vscode.ThemeIcon(gateIcons[gate]);
}

function confidenceColor(confidence: number): string {
  if (confidence >= confidenceSteps.high) return colorIds.high;
  return confidence >= confidenceSteps.medium ? colorIds.medium : colorIds.low;
}

/** `87% · note · pinned`: what a list says beside the text. */
export function memoryDescription(shown: Shown): string {
  return [percent(shown.effectiveConfidence), laneWord(shown.memory.lane), ...marks(shown.memory)].join(' · ');
}

/** `pinned · note`: what a row of the explorer says, where the confidence is the badge and confirmed is the usual. */
export function memoryMarks({ memory }: Shown): string {
  return [...marks(memory), ...(memory.lane === 'note' ? [laneWord('note')] : [])].join(' · ');
}

function marks({ pinned, dueAt, status, archiveReason }: Memory): string[] {
  return [
    ...(pinned ? [vscode.l10n.t('pinned')] : []),
    ...(dueAt === undefined ? [] : [vscode.l10n.t('due {0}', dayWord(dueAt))]),
    ...(status === 'active' ? [] : [statusWord(status, archiveReason)]),
  ];
}

/** The same as a sentence, for a screen reader. */
export function memoryLabel(shown: Shown): string {
  const { memory } = shown;
  return `${memory.summary}, ${gateWord(memory.gate)}, ${kindWord(memory.kind)}, ${vscode.l10n.t('confidence')} ${memoryDescription(shown)}`;
}

/** The text and where it comes from, as Markdown in which only we make links. */
export function memoryTooltip(shown: Shown): vscode.MarkdownString {
  const rows = memoryFacts(shown).map(([name, value]) => `${name}: ${value}`);
  return new vscode.MarkdownString(`${escapeMarkdown(shown.memory.content)}\n\n---\n\n${rows.join('  \n')}`);
}

/** A document about one memory, for the Markdown preview. */
export function memoryDocument(shown: Shown): string {
  const { memory } = shown;
  // The heading says already what it is.
  const [, ...facts] = memoryFacts(shown);
  const rows = facts.map(([name, value]) => `| ${name} | ${value} |`);
  const quote = escapeMarkdown(memory.content).replace(/^/gmu, '> ');
  return `# ${gateWord(memory.gate)} · ${kindWord(memory.kind)}\n\n${quote}\n\n| | |\n|---|---|\n${rows.join('\n')}\n`;
}

function memoryFacts({ memory, effectiveConfidence }: Shown): readonly (readonly [string, string])[] {
  const { provenance } = memory;
  const now = percent(effectiveConfidence);
  const base = percent(memory.confidence);
  const rows: [string, string | undefined][] = [
    [vscode.l10n.t('What'), `${gateWord(memory.gate)}, ${kindWord(memory.kind)}`],
    [vscode.l10n.t('Confidence'), now === base ? now : vscode.l10n.t('{0} now, {1} when last told', now, base)],
    [
      vscode.l10n.t('Lane'),
      laneWord(memory.lane) +
        (memory.expiresAt === undefined ? '' : vscode.l10n.t(', expires {0}', dayWord(memory.expiresAt))),
    ],
    [vscode.l10n.t('Lasts'), memory.pinned ? vscode.l10n.t('pinned, does not fade') : lastsWord(memory.decayClass)],
    [vscode.l10n.t('Due'), memory.dueAt && dayWord(memory.dueAt)],
    [vscode.l10n.t('State'), memory.status === 'active' ? undefined : statusWord(memory.status, memory.archiveReason)],
    [vscode.l10n.t('Kept in'), storeWord(memory.store)],
    [
      vscode.l10n.t('Tags'),
      memory.tags.length === 0 ? undefined : escapeMarkdown(memory.tags.map(it => `#${it}`).join(' ')),
    ],
    [vscode.l10n.t('Told'), `${dayWord(memory.createdAt)}, ${sourceWord(provenance.source)}${by(provenance.client)}`],
    [vscode.l10n.t('Told again'), memory.reinforcementCount > 1 ? times(memory.reinforcementCount - 1) : undefined],
    [vscode.l10n.t('Recalled'), memory.accessCount > 0 ? times(memory.accessCount) : undefined],
    [vscode.l10n.t('Code'), anchorLink(memory)],
    [vscode.l10n.t('Branch'), provenance.branch && escapeMarkdown(provenance.branch)],
    [vscode.l10n.t('Id'), `\\#${handle(memory)}`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]));
}

function times(count: number): string {
  return count === 1 ? vscode.l10n.t('once') : vscode.l10n.t('{0} times', countWord(count));
}

function by(client: string | undefined): string {
  return client === undefined ? '' : ` (${escapeMarkdown(client)})`;
}

function anchorLink({ provenance: { uri, range, symbol } }: Memory): string | undefined {
  if (uri === undefined) return undefined;
  const target = vscode.Uri.parse(uri);
  const name = target.path.split('/').at(-1) ?? target.path;
  const line = range === undefined ? '' : `#L${range.startLine + 1}`;
  const text = symbol === undefined ? name : `${symbol}, ${name}`;
  // Any other scheme could be a command or a page; only files are somewhere to go.
  if (target.scheme !== 'file') return escapeMarkdown(text);
  return `[${escapeMarkdown(text)}](${markdownTarget(target.toString() + line)})`;
}
