import * as vscode from 'vscode';
import { programOf } from '../../engine/model/access.js';
import type { MemoryWithConfidence } from '../../engine/model/conflict.js';
import { findInstructionMarks, type InstructionMark } from '../../engine/model/instructionMarks.js';
import { defaultPriority, shortId, type Memory, type SearchAids } from '../../engine/model/memory.js';
import { ageOfState } from '../explorer/age.js';
import { escapeMarkdown, markdownLinkTarget } from './markdown.js';
import {
  formatInteger,
  formatDay,
  formatDistance,
  formatSpokenAge,
  laneLabel,
  lifetimeLabel,
  formatPercent,
  placeLabel,
  sourceLabel,
  statusLabel,
  storeLabel,
  whatLabels,
} from '../l10n/labels.js';

/** The pin of a pinned memory, for a row of a list. */
export function pinIcon({ pinned }: Memory): { readonly iconPath?: vscode.ThemeIcon } {
  return pinned ? { iconPath: new vscode.ThemeIcon('pinned') } : {};
}

/** `note · CLAUDE.md · 3 days ago`, `forgotten · 14 minutes ago`: what distinguishes a memory in a list, as in the tree. */
export function memoryRowDetail(memory: Memory, now = new Date()): string {
  const { lane, provenance, store } = memory;
  return [
    ...statusBadges(memory),
    lane === 'note' ? laneLabel('note') : undefined,
    placeLabel(provenance),
    store === 'global' ? vscode.l10n.t('For all projects') : undefined,
    formatSpokenAge(ageOfState(memory, now)),
  ]
    .filter(it => it !== undefined)
    .join(' · ');
}

/** `pinned · note · You said it, Oct 27, 2026`, under the text of a memory. The usual lane is omitted. */
export function memoryRemark({ memory }: MemoryWithConfidence): string {
  const lane = memory.lane === 'note' ? [laneLabel('note')] : [];
  return escapeMarkdown([...statusBadges(memory), ...lane, sayingLabel(memory)].join(' · '));
}

/** Words that a row of the tree says by its look: for screen readers. */
export function spokenMarks({ memory }: MemoryWithConfidence, fadesSoon: boolean): readonly string[] {
  return [
    ...statusBadges(memory),
    ...(memory.lane === 'note' ? [laneLabel('note')] : []),
    ...(fadesSoon ? [vscode.l10n.t('fades soon')] : []),
  ];
}

function statusBadges({ content, pinned, dueAt, status, archiveReason }: Memory): string[] {
  return [
    ...(findInstructionMarks(content).length === 0 ? [] : [vscode.l10n.t('looks like an instruction')]),
    ...(pinned ? [vscode.l10n.t('pinned')] : []),
    ...(dueAt === undefined ? [] : [vscode.l10n.t('due {0}', formatDay(dueAt))]),
    ...(status === 'active' ? [] : [statusLabel(status, archiveReason)]),
  ];
}

/**
 * Four lines about a memory: its whole text, whose word it is and since when, where it is kept, and how long.
 * @param fadesAt when it is archived unless it is used; absent where it lasts
 * @param project the name of the project of the window; absent where there are several or none
 */
export function memoryTooltip(
  { memory, keptUntil }: MemoryWithConfidence,
  { fadesAt, project }: { readonly fadesAt?: string | undefined; readonly project?: string | undefined },
): vscode.MarkdownString {
  const lines = [
    sayingLabel(memory),
    memory.store === 'global'
      ? vscode.l10n.t('For all projects')
      : project === undefined
        ? vscode.l10n.t('For this project')
        : vscode.l10n.t('For {0}', project),
    endLabel(memory, { keptUntil, fadesAt }),
  ];
  const careful = instructionMarksLabel(memory.content);
  if (careful !== undefined) lines.push(vscode.l10n.t('Careful: {0}', careful));
  const text = escapeMarkdown(memory.content);
  return new vscode.MarkdownString(`${text}\n\n${lines.map(escapeMarkdown).join('  \n')}`);
}

/** Whose word a memory is, and since when. */
function sayingLabel(memory: Memory): string {
  return vscode.l10n.t('{0}, {1}', speakerLabel(memory), formatDay(memory.createdAt));
}

/** Whose word a memory is, in the words of its page in the inspector. */
function speakerLabel({ provenance, lane }: Memory): string {
  const { source, client = '', author, file, uri } = provenance;
  const program = programOf(client);
  const fileName = (file ?? uri)?.split('/').at(-1);
  if (author !== undefined) return vscode.l10n.t('{0} shared it', author);
  switch (source) {
    case 'explicit':
      return ['', 'cli', 'vscode'].includes(program)
        ? vscode.l10n.t('You said it')
        : vscode.l10n.t('You said it to {0}', program);
    case 'conversation':
      return vscode.l10n.t('Noted from a conversation');
    case 'code-index':
      return vscode.l10n.t('Read from the code');
    case 'import':
      return fileName === undefined ? vscode.l10n.t('Imported') : vscode.l10n.t('Imported from {0}', fileName);
    case 'extension-tool':
      // An assistant may have noted what a person confirmed.
      return lane === 'note' ? vscode.l10n.t('Noted in a chat') : vscode.l10n.t('From a chat');
    case 'mcp':
    case 'http':
      return program === '' ? vscode.l10n.t('Noted by an assistant') : vscode.l10n.t('Noted by {0}', program);
  }
}

/** How long a memory is kept, in the words of its page in the inspector. */
function endLabel(
  { status, archiveReason, pinned, decayClass, dueAt, gate, provenance }: Memory,
  { keptUntil, fadesAt }: { readonly keptUntil: string | undefined; readonly fadesAt: string | undefined },
): string {
  if (status !== 'active')
    return vscode.l10n.t('No longer used ({0}); can be restored', statusLabel(status, archiveReason));
  if (pinned) return vscode.l10n.t('Pinned: does not fade');
  if (provenance.source === 'code-index') return vscode.l10n.t('Kept as long as its code');
  const due = dueAt === undefined ? '' : `${vscode.l10n.t('Due {0}', formatDay(dueAt))}. `;
  const isOver = (end: string | undefined): boolean => end !== undefined && Date.parse(end) <= Date.now();
  if (isOver(keptUntil) || isOver(fadesAt))
    // Maintenance leaves a plan that has faded to the person.
    return gate === 'promissory'
      ? `${due}${vscode.l10n.t('Faded, and kept until it is decided')}`
      : `${due}${vscode.l10n.t('Faded: the next maintenance forgets it')}`;
  if (keptUntil !== undefined && (fadesAt === undefined || keptUntil <= fadesAt))
    return `${due}${vscode.l10n.t('Kept until {0}', formatDay(keptUntil))}`;
  if (fadesAt === undefined) {
    return decayClass !== 'permanent' && gate === 'promissory'
      ? `${due}${vscode.l10n.t('Kept until it is decided')}`
      : vscode.l10n.t('Kept for good');
  }
  return `${due}${vscode.l10n.t('Fades {0} unless it is used', formatDistance(fadesAt))}`;
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
