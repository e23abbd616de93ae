import * as vscode from 'vscode';
import type { MemoryWithConfidence } from '../../engine/model/conflict.js';
import { findInstructionMarks, type InstructionMark } from '../../engine/model/instructionMarks.js';
import { defaultPriority, shortId, type Gate, type Memory, type SearchAids } from '../../engine/model/memory.js';
import { colorIds } from '../contributions.js';
import { escapeMarkdown, markdownLinkTarget } from './markdown.js';
import {
  formatInteger,
  formatDay,
  laneLabel,
  lifetimeLabel,
  formatPercent,
  originLabel,
  sourceLabel,
  statusLabel,
  storeLabel,
  whatLabels,
} from '../l10n/labels.js';

/** Minimum effective confidence of a level, 0-100; lower values are shown as low. */
const confidenceThresholds = { high: 70, medium: 40 } as const;

const gateIcons: Readonly<Record<Gate, string>> = {
  correction: 'warning',
  behavioral: 'heart',
  epistemic: 'book',
  relational: 'organization',
  promissory: 'calendar',
};

/** The icon of the gate, or a pin for a pinned memory, in the color of the confidence. */
export function memoryIcon({ memory, effectiveConfidence }: MemoryWithConfidence): vscode.ThemeIcon {
  const iconId = memory.pinned ? 'pinned' : gateIcons[memory.gate];
  return new vscode.ThemeIcon(iconId, new vscode.ThemeColor(confidenceColor(effectiveConfidence)));
}

export function gateIcon(gate: Gate): vscode.ThemeIcon {
  return new vscode.ThemeIcon(gateIcons[gate]);
}

function confidenceColor(confidence: number): string {
  if (confidence >= confidenceThresholds.high) return colorIds.high;
  return confidence >= confidenceThresholds.medium ? colorIds.medium : colorIds.low;
}

/** `87% · note · pinned` */
export function memoryDescription(details: MemoryWithConfidence): string {
  return [
    formatPercent(details.effectiveConfidence),
    laneLabel(details.memory.lane),
    ...statusBadges(details.memory),
  ].join(' · ');
}

/**
 * `pinned · note · from CLAUDE.md`, for rows of the explorer, which show the confidence as a badge and omit the usual
 * lane. What changes how a memory is read comes first, because a narrow side bar cuts the end.
 */
export function memoryBadges({ memory }: MemoryWithConfidence): string {
  const lane = memory.lane === 'note' ? [laneLabel('note')] : [];
  return [...statusBadges(memory), ...lane, originLabel(memory.provenance)].join(' · ');
}

function statusBadges({ content, pinned, dueAt, status, archiveReason }: Memory): string[] {
  return [
    ...(findInstructionMarks(content).length === 0 ? [] : [vscode.l10n.t('looks like an instruction')]),
    ...(pinned ? [vscode.l10n.t('pinned')] : []),
    ...(dueAt === undefined ? [] : [vscode.l10n.t('due {0}', formatDay(dueAt))]),
    ...(status === 'active' ? [] : [statusLabel(status, archiveReason)]),
  ];
}

/** The label of a memory for screen readers. */
export function memoryAccessibilityLabel(details: MemoryWithConfidence): string {
  const { memory } = details;
  return `${memory.summary}, ${whatLabels(memory).join(', ')}, ${vscode.l10n.t('confidence')} ${memoryDescription(details)}`;
}

/** The text and the details of a memory as Markdown, and what the number at its row says. */
export function memoryTooltip(details: MemoryWithConfidence): vscode.MarkdownString {
  const rows = memoryDetailRows(details).map(([name, value]) => `${name}: ${value}`);
  const number = vscode.l10n.t(
    'The number at the row is the confidence: how sure this is now, of 100. It fades unless the memory is said again, used or pinned.',
  );
  const parts = [escapeMarkdown(details.memory.content), rows.join('  \n'), escapeMarkdown(number)];
  return new vscode.MarkdownString(parts.join('\n\n---\n\n'));
}

/** The Markdown document about one memory. */
export function renderMemoryDocument(details: MemoryWithConfidence, aids: SearchAids | undefined): string {
  const { memory } = details;
  // The heading has the first row already.
  const [, ...facts] = memoryDetailRows(details);
  const rows = [...facts, ...aidRows(aids)].map(([name, value]) => `| ${name} | ${value} |`);
  const quote = escapeMarkdown(memory.content).replace(/^/gmu, '> ');
  return `# ${whatLabels(memory).join(' · ')}\n\n${quote}\n\n| | |\n|---|---|\n${rows.join('\n')}\n`;
}

/** What in a text looks as if it were there to steer an assistant; undefined for most texts. */
function instructionMarksLabel(content: string): string | undefined {
  const labels: Readonly<Record<InstructionMark, string>> = {
    orders: vscode.l10n.t('it gives orders to the assistant'),
    imitates: vscode.l10n.t('it imitates a message or a tool call'),
    sends: vscode.l10n.t('it would send data to an address'),
    hides: vscode.l10n.t('it hides characters'),
  };
  const marks = findInstructionMarks(content);
  return marks.length === 0 ? undefined : marks.map(it => labels[it]).join(', ');
}

/** By which other words it is found. */
function aidRows(aids: SearchAids | undefined): readonly (readonly [string, string])[] {
  const { questions = [], keywords = [] } = aids ?? {};
  return [
    ...(questions.length === 0
      ? []
      : [[vscode.l10n.t('Answers'), questions.map(escapeMarkdown).join('<br>')] as const]),
    ...(keywords.length === 0 ? [] : [[vscode.l10n.t('Search words'), escapeMarkdown(keywords.join(', '))] as const]),
  ];
}

function memoryDetailRows({
  memory,
  effectiveConfidence,
  keptUntil,
}: MemoryWithConfidence): readonly (readonly [string, string])[] {
  const { provenance } = memory;
  const effectivePercent = formatPercent(effectiveConfidence);
  const storedPercent = formatPercent(memory.confidence);
  const rows: [string, string | undefined][] = [
    [vscode.l10n.t('What'), whatLabels(memory).join(', ')],
    [vscode.l10n.t('Careful'), instructionMarksLabel(memory.content)],
    [
      vscode.l10n.t('Confidence'),
      effectivePercent === storedPercent
        ? effectivePercent
        : vscode.l10n.t('{0} now, {1} when last said', effectivePercent, storedPercent),
    ],
    [vscode.l10n.t('Lane'), laneLabel(memory.lane)],
    [vscode.l10n.t('Lasts'), memory.pinned ? vscode.l10n.t('pinned, does not fade') : lifetimeLabel(memory.decayClass)],
    [vscode.l10n.t('Kept until'), keptUntil && formatDay(keptUntil)],
    [vscode.l10n.t('Due'), memory.dueAt && formatDay(memory.dueAt)],
    [vscode.l10n.t('State'), memory.status === 'active' ? undefined : statusLabel(memory.status, memory.archiveReason)],
    [vscode.l10n.t('Priority'), memory.priority === defaultPriority ? undefined : formatInteger(memory.priority)],
    [vscode.l10n.t('Kept in'), storeLabel(memory.store)],
    [vscode.l10n.t('Scope id'), memory.scopeId && escapeMarkdown(memory.scopeId)],
    [
      vscode.l10n.t('Tags'),
      memory.tags.length === 0 ? undefined : escapeMarkdown(memory.tags.map(it => `#${it}`).join(' ')),
    ],
    [
      vscode.l10n.t('Stored'),
      `${formatDay(memory.createdAt)}, ${sourceLabel(provenance.source)}${clientSuffix(provenance.client)}`,
    ],
    [
      vscode.l10n.t('Said again'),
      memory.reinforcementCount > 1 ? timesLabel(memory.reinforcementCount - 1) : undefined,
    ],
    [vscode.l10n.t('In your words'), provenance.said && escapeMarkdown(provenance.said)],
    [vscode.l10n.t('Recalled'), memory.accessCount > 0 ? timesLabel(memory.accessCount) : undefined],
    [vscode.l10n.t('Code'), anchorLink(memory)],
    [vscode.l10n.t('Branch'), provenance.branch && escapeMarkdown(provenance.branch)],
    [vscode.l10n.t('Id'), `\\#${shortId(memory)}`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]));
}

function timesLabel(count: number): string {
  return count === 1 ? vscode.l10n.t('once') : vscode.l10n.t('{0} times', formatInteger(count));
}

function clientSuffix(client: string | undefined): string {
  return client === undefined ? '' : ` (${escapeMarkdown(client)})`;
}

function anchorLink({ provenance: { uri, range, symbol } }: Memory): string | undefined {
  if (uri === undefined) return undefined;
  const target = vscode.Uri.parse(uri);
  const name = target.path.split('/').at(-1) ?? target.path;
  const line = range === undefined ? '' : `#L${range.startLine + 1}`;
  const text = symbol === undefined ? name : `${symbol}, ${name}`;
  // Any other scheme could be a command or a web page.
  if (target.scheme !== 'file') return escapeMarkdown(text);
  return `[${escapeMarkdown(text)}](${markdownLinkTarget(target.toString() + line)})`;
}
