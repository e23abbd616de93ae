import { neutralizeText } from '../engine/model/contextEnvelope.js';
import { describeInstructionMarks } from '../engine/model/instructionMarks.js';
import { describeEnd, formatArchiving, formatDate, formatEnd } from '../engine/model/answerText.js';
import type { Replacement } from '../engine/model/conflict.js';
import type { RememberOutcome } from '../engine/model/rememberOutcome.js';
import type { StoreReport } from '../engine/model/storeReport.js';
import { pluralize, formatMemoryCount } from '../engine/model/pluralize.js';
import { describeSharing } from '../engine/model/team.js';
import { formatBranch } from '../engine/model/branchName.js';
import {
  defaultPriority,
  shortId,
  type Anchor,
  type ArchiveReason,
  type CodeState,
  type Memory,
  type SearchAids,
} from '../engine/model/memory.js';
import type { Hit } from '../engine/model/query.js';

/** When a memory ends if nothing else happens to it, each ISO-8601 UTC; empty for one that lasts. */
export interface MemoryEnd {
  /** It lapses then. */
  readonly keptUntil?: string | undefined;
  /** It goes to the archive then, where a recall still finds it. */
  readonly archivedAt?: string | undefined;
}

/** Why a memory is not in use, as persons read it, here and in VS Code. */
const endWords: Readonly<Record<ArchiveReason, string>> = {
  forgotten: 'forgotten',
  done: 'done',
  faded: 'faded',
  expired: 'expired',
  quota: 'over quota',
  merged: 'merged',
  gone: 'the code is gone',
};

function statusWord({ status, archiveReason = 'forgotten' }: Memory): string {
  return status === 'archived' ? endWords[archiveReason] : status === 'superseded' ? 'replaced' : status;
}

/** One memory on one line. @param effectiveConfidence confidence left now, 0-100 */
export function formatMemoryLine(
  memory: Memory,
  effectiveConfidence: number,
  { replacement, ...end }: MemoryEnd & { readonly replacement?: Replacement | undefined } = {},
): string {
  const marks = describeInstructionMarks(memory.content);
  const labels = [
    memory.gate,
    memory.kind,
    memory.lane,
    `${Math.round(effectiveConfidence)}%`,
    ...(memory.dueAt === undefined ? [] : [`due ${memory.dueAt.slice(0, 10)}`]),
    ...formatMemoryEnd(end),
    ...(memory.pinned ? ['pinned'] : []),
    ...(memory.status === 'active' ? [] : [statusWord(memory)]),
    ...(replacement === undefined
      ? []
      : [`${replacement.isSame === true ? 'said again by' : 'replaced by'} #${shortId(replacement)}`]),
    ...(memory.damaged ? ['text changed on the disk'] : []),
    memory.store,
    ...(memory.provenance.author === undefined ? [] : [describeSharing(memory.provenance.author)]),
    ...(marks === undefined ? [] : [`careful: ${marks}`]),
  ];
  return `#${shortId(memory)}  ${neutralizeText(memory.summary)}  (${labels.join(' · ')})`;
}

function formatMemoryEnd({ keptUntil, archivedAt }: MemoryEnd): readonly string[] {
  if (keptUntil !== undefined) return [formatEnd(keptUntil)];
  return archivedAt === undefined ? [] : [formatArchiving(archivedAt)];
}

/** On one line, then a line for changed code, for each note that it replaced, and for each memory that contradicts it. */
export function describeHit({ memory, effectiveConfidence, code, before = [], contradicts = [] }: Hit): string {
  const replacedIds = new Set(before.map(it => it.id));
  return [
    formatMemoryLine(memory, effectiveConfidence),
    ...(code === undefined ? [] : [formatCodeState(memory, code)]),
    ...before.map(it => `    before (${formatDate(it.reinforcedAt)}): #${shortId(it)}  ${neutralizeText(it.summary)}`),
    ...contradicts
      .filter(it => !replacedIds.has(it.id))
      .map(it => `    contradicts ${it.newer ? 'newer' : 'older'} #${shortId(it)}: ${it.reason}`),
  ].join('\n');
}

/** Below a memory: what has become of its code. */
export function formatCodeState({ provenance: { uri = '', symbol } }: Memory, state: CodeState): string {
  const location = symbol === undefined ? uri : `${uri} ${symbol}`;
  return `    ${state === 'gone' ? 'its file is gone' : 'its code has changed'}: ${location}`;
}

export function describeRememberOutcome(outcome: RememberOutcome): string {
  switch (outcome.outcome) {
    case 'stored':
      return [
        `Stored #${shortId(outcome)} ${describePlace(outcome)}: ${outcome.content}`,
        ...describeReplaced(outcome),
        ...(outcome.reason === undefined ? [] : [`  ${outcome.reason}`]),
        ...(outcome.mayHoldEverywhere === true
          ? [`  for all your projects: recollect move ${shortId(outcome)} --to global`]
          : []),
        ...describeNear(outcome),
      ].join('\n');
    case 'reinforced':
      return [
        `Reinforced #${shortId(outcome)} ${describePlace(outcome)}: ${outcome.content}`,
        ...describeReplaced(outcome),
        ...(outcome.reason === undefined ? [] : [`  ${outcome.reason}`]),
      ].join('\n');
    case 'refused':
      return `Refused: ${outcome.reason}`;
  }
}

/** Memories of perhaps the same subject, and how a person says that one replaces the other. */
function describeNear({ id, related = [] }: Extract<RememberOutcome, { outcome: 'stored' }>): string[] {
  const [first] = related;
  if (first === undefined) return [];
  return [
    ...related.map(it => `  near #${shortId(it)} (${it.assertedAt.slice(0, 10)}): ${it.content}`),
    `  if only one holds: recollect settle ${shortId({ id })} ${shortId(first)} --keep a (the new one) or b`,
  ];
}

function describeReplaced({ replaces = [] }: Exclude<RememberOutcome, { outcome: 'refused' }>): string[] {
  return replaces.map(
    it => `  ${it.isUndecided === true ? 'you confirmed, so settle it:' : 'replaces'} #${shortId(it)}: ${it.content}`,
  );
}

function describePlace({
  store,
  project = 'this project',
  keptUntil,
}: Exclude<RememberOutcome, { outcome: 'refused' }>): string {
  return `for ${store === 'global' ? 'all projects' : project}${describeEnd(keptUntil)}`;
}

/** Facts about a memory that are not in its row. */
interface MemoryFacts {
  readonly effectiveConfidence: number;
  readonly end: MemoryEnd;
  readonly aids: SearchAids | undefined;
  /** The id under which a team knows it. */
  readonly sharedId: string | undefined;
  /** The id of the memory that replaces it. */
  readonly replacedBy: string | undefined;
  /** Whether assistants ask before they do what it names. */
  readonly isGuard: boolean;
}

/** Every field that says something, a line each. */
export function describeMemory(
  memory: Memory,
  { effectiveConfidence, aids, sharedId, replacedBy, isGuard, end }: MemoryFacts,
): string[] {
  const { questions, keywords } = aids ?? { questions: [], keywords: [] };
  const { provenance } = memory;
  const marks = describeInstructionMarks(memory.content);
  const fields: readonly (readonly [string, string | number | undefined])[] = [
    ['careful', marks && `its text ${marks}`],
    ['id', memory.id],
    ['store', memory.store],
    ['scope id', memory.scopeId],
    ['gate', memory.gate],
    ['kind', memory.kind],
    ['lane', memory.lane],
    ['decay class', memory.decayClass],
    ['confidence', `${Math.round(effectiveConfidence)}% now, ${Math.round(memory.confidence)}% at its last change`],
    ['pinned', memory.pinned ? 'yes' : undefined],
    ['guard', isGuard ? 'an assistant asks you before it does what this names' : undefined],
    ['priority', memory.priority === defaultPriority ? undefined : memory.priority],
    ['status', statusWord(memory)],
    ['replaced by', replacedBy && `#${shortId({ id: replacedBy })}`],
    [
      'use',
      `said ${pluralize(Math.max(1, memory.reinforcementCount), 'time')}, recalled ${pluralize(memory.accessCount, 'time')}, feedback ${memory.feedback}`,
    ],
    ['tags', memory.tags.join(', ')],
    ['questions', questions.join(' ')],
    ['keywords', keywords.join(', ')],
    ['due', memory.dueAt],
    ['kept until', end.keptUntil],
    ['fades', end.archivedAt && `${end.archivedAt} unless used; a recall still finds it then`],
    ['from', [provenance.source, provenance.client, provenance.session].filter(it => it !== undefined).join(', ')],
    ['shared', provenance.author && describeSharing(provenance.author).replace(/^shared,? /u, '')],
    ['team’s id', sharedId && `#${shortId({ id: sharedId })}`],
    ['branch', provenance.branch && formatBranch(provenance.branch)],
    ['file', provenance.file],
    [
      'said',
      [provenance.on, provenance.said && JSON.stringify(provenance.said)].filter(it => it !== undefined).join(' '),
    ],
    ['why', provenance.reason],
    ['about', [provenance.uri, provenance.symbol, describeLines(provenance.range)].filter(Boolean).join(' ')],
    ['created', memory.createdAt],
    ['updated', memory.updatedAt],
    ['recalled', memory.accessedAt],
    ['forgotten', memory.archivedAt],
  ];
  const visibleFields = fields.filter(([, value]) => value !== undefined && value !== '');
  return [
    neutralizeText(memory.content),
    '',
    ...visibleFields.map(([name, value]) => `${`${name}:`.padEnd(13)}${value}`),
  ];
}

/** As an editor counts them. */
function describeLines(range: Anchor['range']): string | undefined {
  if (range === undefined) return undefined;
  const { startLine, endLine } = range;
  return endLine - startLine <= 1 ? `line ${startLine + 1}` : `lines ${startLine + 1}-${endLine}`;
}

export function describeStoreReport(report: StoreReport): string[] {
  const state = report.problems.length === 0 ? 'all is well' : pluralize(report.problems.length, 'problem');
  return [
    `${report.store} store: ${state} (${formatMemoryCount(report.memories)}, ${pluralize(report.auditEntries, 'audit entry', 'audit entries')}) ${report.file}`,
    ...report.problems.map(it => `  ${it}`),
  ];
}
