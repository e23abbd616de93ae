import * as vscode from 'vscode';
import { programOf } from '../../engine/model/access.js';
import type { ActionRequest } from '../../engine/model/actionRequest.js';
import { dayMs } from '../../engine/model/duration.js';
import {
  type ArchiveReason,
  type DecayClass,
  type Gate,
  type Kind,
  type Lane,
  type Memory,
  type MemorySource,
  type Provenance,
  type Status,
  type StoreKind,
} from '../../engine/model/memory.js';
import type { Conflict, PlanToReview, Replacement } from '../../engine/model/conflict.js';
import type { ProjectLikeness } from '../../engine/model/project.js';
import { memberName } from '../../engine/model/team.js';
import type { Age, Topic } from '../explorer/treeNodes.js';
import { localizeText } from './engineMessages.js';
import { toPlainMessage, toTruncatedLine } from '../ui/markdown.js';
import type { RecordedChange } from '../undo/undoHistory.js';

/** Characters of a memory's text in a sentence. */
const maxQuotedLength = 60;

/** Display names and formats. Functions, because the bundle of the language is loaded at run time. */

/** What one memory is: the gates in a newcomer's words. */
export function gateLabel(gate: Gate): string {
  const labels: Record<Gate, string> = {
    correction: vscode.l10n.t('Correction'),
    behavioral: vscode.l10n.t('Preference'),
    epistemic: vscode.l10n.t('Fact'),
    relational: vscode.l10n.t('Person'),
    promissory: vscode.l10n.t('Plan'),
  };
  return labels[gate];
}

/** A group of the tree. */
export function topicLabel(topic: Topic): string {
  const labels: Record<Topic, string> = {
    rules: vscode.l10n.t('Rules'),
    facts: vscode.l10n.t('Facts'),
    people: vscode.l10n.t('People'),
    plans: vscode.l10n.t('Plans'),
  };
  return labels[topic];
}

export function topicHint(topic: Topic): string {
  const hints: Record<Topic, string> = {
    rules: vscode.l10n.t('How you like to work, and mistakes not to make again'),
    facts: vscode.l10n.t('Facts and decisions'),
    people: vscode.l10n.t('Who is who'),
    plans: vscode.l10n.t('What is to be done, and by when'),
  };
  return hints[topic];
}

/** A group of memories by how long they last. */
export function lastingGroupLabel(decayClass: DecayClass): string {
  const labels: Record<DecayClass, string> = {
    ephemeral: vscode.l10n.t('For a Day'),
    session: vscode.l10n.t('For a Week'),
    durable: vscode.l10n.t('For Three Months'),
    permanent: vscode.l10n.t('For Good'),
  };
  return labels[decayClass];
}

export function decayClassLabel(decayClass: DecayClass): string {
  const labels: Record<DecayClass, string> = {
    ephemeral: vscode.l10n.t('Ephemeral'),
    session: vscode.l10n.t('Session'),
    durable: vscode.l10n.t('Durable'),
    permanent: vscode.l10n.t('Permanent'),
  };
  return labels[decayClass];
}

/** The value after "Lasts:". */
export function lifetimeLabel(decayClass: DecayClass): string {
  const labels: Record<DecayClass, string> = {
    ephemeral: vscode.l10n.t('a day'),
    session: vscode.l10n.t('a week, unless said again'),
    durable: vscode.l10n.t('three months, unless said again'),
    permanent: vscode.l10n.t('for good'),
  };
  return labels[decayClass];
}

export function kindLabel(kind: Kind): string {
  const labels: Record<Kind, string> = {
    architecture: vscode.l10n.t('Architecture'),
    decision: vscode.l10n.t('Decision'),
    pattern: vscode.l10n.t('Pattern'),
    gotcha: vscode.l10n.t('Gotcha'),
    progress: vscode.l10n.t('Progress'),
    context: vscode.l10n.t('Context'),
    insight: vscode.l10n.t('Insight'),
    procedure: vscode.l10n.t('Procedure'),
    friction: vscode.l10n.t('Friction'),
    pitfall: vscode.l10n.t('Pitfall'),
    preference: vscode.l10n.t('Preference'),
    summary: vscode.l10n.t('Summary'),
    'code-description': vscode.l10n.t('Code Description'),
    code: vscode.l10n.t('Code'),
  };
  return labels[kind];
}

/** What a memory is, by gate and kind; one label where both are called the same. */
export function whatLabels({ gate, kind }: Pick<Memory, 'gate' | 'kind'>): readonly string[] {
  return [...new Set([gateLabel(gate), kindLabel(kind)])];
}

export function laneLabel(lane: Lane): string {
  return lane === 'confirmed' ? vscode.l10n.t('confirmed') : vscode.l10n.t('note');
}

/** Why a folder may belong to a project. */
export function likenessLabel(likeness: ProjectLikeness): string {
  return {
    history: vscode.l10n.t('It has the same first commit'),
    remote: vscode.l10n.t('It names the same remote'),
    folder: vscode.l10n.t('It lies where that project was'),
    name: vscode.l10n.t('It has the same name, and the folder of that project is gone'),
  }[likeness];
}

export function storeLabel(store: StoreKind): string {
  return store === 'global' ? vscode.l10n.t('memory for all projects') : vscode.l10n.t('project memory');
}

export function statusLabel(status: Exclude<Status, 'active'>, reason: ArchiveReason | undefined): string {
  if (status === 'superseded') return vscode.l10n.t('replaced');
  const labels: Record<ArchiveReason, string> = {
    forgotten: vscode.l10n.t('forgotten'),
    done: vscode.l10n.t('done'),
    faded: vscode.l10n.t('faded'),
    expired: vscode.l10n.t('expired'),
    quota: vscode.l10n.t('over quota'),
    merged: vscode.l10n.t('merged'),
    gone: vscode.l10n.t('the code is gone'),
  };
  return reason === undefined ? vscode.l10n.t('forgotten') : labels[reason];
}

/** Why a plan is to be reviewed, as a short prefix of its text. */
export function planReviewPrefix({ why, since }: Pick<PlanToReview, 'why' | 'since'>): string {
  return why === 'overdue' ? vscode.l10n.t('Overdue since {0}', formatShortDay(since)) : vscode.l10n.t('Faded');
}

/** Why a plan is to be reviewed. */
export function planReviewLabel({ why, since }: Pick<PlanToReview, 'why' | 'since'>): string {
  return why === 'overdue'
    ? vscode.l10n.t('overdue since {0}', formatDay(since))
    : vscode.l10n.t('faded, last said {0}', formatDay(since));
}

/** What an assistant wants done to a memory. */
export function requestPrefix({ action, author }: Pick<ActionRequest, 'action' | 'author'>): string {
  if (author !== undefined) return action === 'replace' ? vscode.l10n.t('Replaced') : vscode.l10n.t('Withdrawn');
  switch (action) {
    case 'forget':
      return vscode.l10n.t('Forget');
    case 'pin':
      return vscode.l10n.t('Pin');
    case 'unpin':
      return vscode.l10n.t('Unpin');
    case 'replace':
      return vscode.l10n.t('Replace');
    case 'merge':
      return vscode.l10n.t('Merge');
    case 'share':
      return vscode.l10n.t('Share');
  }
}

/** Who wants it, or did it in the team, and since when. */
export function requestLabel({ client, author, at }: Pick<ActionRequest, 'client' | 'author' | 'at'>): string {
  if (author !== undefined)
    return vscode.l10n.t('by {0} of your team on {1}', toPlainMessage(memberName(author)), formatDay(at));
  return vscode.l10n.t('requested by {0} on {1}', programOf(client), formatDay(at));
}

/** Who said that a memory replaces another one, and when; or that another one says the same. */
export function replacementLabel({ by, at, isSame }: Pick<Replacement, 'by' | 'at' | 'isSame'>): string {
  if (isSame === true) return vscode.l10n.t('another memory says the same');
  return by === 'person'
    ? vscode.l10n.t('outdated, said by a person on {0}', formatDay(at))
    : vscode.l10n.t('outdated, said by an assistant on {0}', formatDay(at));
}

/** By whose word one of two memories no longer holds, and since when; the reason where there is no such word. */
export function conflictJudgementLabel({ mark, reason }: Pick<Conflict, 'mark' | 'reason'>): string {
  if (mark === undefined) return localizeText(reason);
  const day = formatDay(mark.at);
  if (mark.by === 'person')
    return mark.outdated === 'older'
      ? vscode.l10n.t('A person said on {0} that the newer one replaces the older one.', day)
      : vscode.l10n.t('A person said on {0} that the older one replaces the newer one.', day);
  return mark.outdated === 'older'
    ? vscode.l10n.t('An assistant said on {0} that the newer one replaces the older one.', day)
    : vscode.l10n.t('An assistant said on {0} that the older one replaces the newer one.', day);
}

export function sourceLabel(source: MemorySource): string {
  const labels: Record<MemorySource, string> = {
    explicit: vscode.l10n.t('said by a person'),
    conversation: vscode.l10n.t('from a conversation'),
    'code-index': vscode.l10n.t('from the code index'),
    import: vscode.l10n.t('imported'),
    'extension-tool': vscode.l10n.t('from a chat tool'),
    mcp: vscode.l10n.t('from an MCP client'),
    http: vscode.l10n.t('from a program over HTTP'),
  };
  return labels[source];
}

/**
 * A person's change in words: `forgot "We deploy on…"`, `forgot 3 memories`.
 * @param text of the memory, where there is one
 */
export function changeLabel({ name, ids }: Pick<RecordedChange, 'name' | 'ids'>, text: string | undefined): string {
  const what =
    ids.length === 1 && text !== undefined
      ? vscode.l10n.t('"{0}"', toTruncatedLine(text, maxQuotedLength))
      : countLabel(ids.length, 'memory');
  const labels: Record<RecordedChange['name'], string> = {
    remembered: vscode.l10n.t('remembered {0}', what),
    forgot: vscode.l10n.t('forgot {0}', what),
    restored: vscode.l10n.t('restored {0}', what),
    pinned: vscode.l10n.t('pinned {0}', what),
    unpinned: vscode.l10n.t('unpinned {0}', what),
    settled: vscode.l10n.t('kept {0}', what),
    done: vscode.l10n.t('done: {0}', what),
    dropped: vscode.l10n.t('forgot {0}', what),
    edited: vscode.l10n.t('edited {0}', what),
    prioritized: vscode.l10n.t('changed the priority of {0}', what),
    moved: vscode.l10n.t('moved {0}', what),
    copied: vscode.l10n.t('copied {0}', what),
    confirmed: vscode.l10n.t('confirmed {0}', what),
    keptForGood: vscode.l10n.t('kept {0} for good', what),
    reviewed: vscode.l10n.t('decided about {0}', what),
  };
  return labels[name];
}

/** The declaration that a memory is attached to, else the file it came from; undefined where there is neither. */
export function placeLabel({ symbol, file, uri }: Provenance): string | undefined {
  if (symbol !== undefined) return symbol.split('.').at(-1);
  const fileName = (file ?? uri)?.split('/').at(-1);
  return fileName === undefined ? undefined : decodeFileName(fileName);
}

/** The name of a file in a URI or a path, which may have a percent sign that encodes nothing. */
function decodeFileName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** How long ago, as short as can be: `2m`, `3d`. */
export function formatAge({ count, unit }: Age): string {
  if (count === 0) return vscode.l10n.t('now');
  return count.toLocaleString(vscode.env.language, { style: 'unit', unit, unitDisplay: 'narrow' });
}

/** `3 days ago`. */
export function formatSpokenAge({ count, unit }: Age): string {
  if (count === 0) return vscode.l10n.t('now');
  // "Yesterday" may be untrue of a whole day that has passed.
  return new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'always' }).format(-count, unit);
}

/** `in 2 months`, `3 days ago`, rounded to the nearest whole unit. */
export function formatDistance(iso: string, now = new Date()): string {
  const days = (Date.parse(iso) - now.getTime()) / dayMs;
  const units = [
    ['year', 365],
    ['month', 30.4],
    ['week', 7],
    ['day', 1],
    ['hour', 1 / 24],
    ['minute', 1 / 1440],
  ] as const;
  const [unit, unitDays] = units.find(([, it]) => Math.abs(days) >= 1.5 * it) ?? units.at(-1)!;
  return new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto' }).format(
    Math.round(days / unitDays),
    unit,
  );
}

export function formatPercent(confidence: number): string {
  return `${Math.round(confidence)}%`;
}

export function formatDay(iso: string): string {
  return new Date(iso).toLocaleDateString(vscode.env.language, { dateStyle: 'medium' });
}

/** `Jan 1`, with the year unless it is the current one. */
function formatShortDay(iso: string): string {
  const day = new Date(iso);
  const isThisYear = day.getFullYear() === new Date().getFullYear();
  return day.toLocaleDateString(vscode.env.language, {
    month: 'short',
    day: 'numeric',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

/** US dollars; a small amount is not rounded to zero. */
export function formatCost(usd: number): string {
  if (usd > 0 && usd < 0.01) return vscode.l10n.t('less than $0.01');
  return `$${usd.toLocaleString(vscode.env.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** `1.2 MB`, in units of a million bytes. */
export function formatMegabytes(bytes: number): string {
  return vscode.l10n.t('{0} MB', (bytes / 1e6).toFixed(1));
}

type CountableNoun =
  | 'answer'
  | 'call'
  | 'candidate'
  | 'conflict'
  | 'copy'
  | 'decision'
  | 'declaration'
  | 'description'
  | 'fact'
  | 'file'
  | 'goal'
  | 'line'
  | 'memory'
  | 'note'
  | 'pair'
  | 'promise'
  | 'rule'
  | 'session'
  | 'turn';

/** `1 memory`, `3 memories`: a number with its noun. Singular and plural are translated separately. */
export function countLabel(count: number, noun: CountableNoun): string {
  const number = formatInteger(count);
  const forms: Record<CountableNoun, readonly [one: string, many: string]> = {
    answer: [vscode.l10n.t('1 answer'), vscode.l10n.t('{0} answers', number)],
    candidate: [vscode.l10n.t('1 candidate'), vscode.l10n.t('{0} candidates', number)],
    call: [vscode.l10n.t('1 call'), vscode.l10n.t('{0} calls', number)],
    conflict: [vscode.l10n.t('1 conflict'), vscode.l10n.t('{0} conflicts', number)],
    copy: [vscode.l10n.t('1 checkpoint or backup'), vscode.l10n.t('{0} checkpoints and backups', number)],
    decision: [vscode.l10n.t('1 decision'), vscode.l10n.t('{0} decisions', number)],
    declaration: [vscode.l10n.t('1 declaration'), vscode.l10n.t('{0} declarations', number)],
    description: [vscode.l10n.t('1 description'), vscode.l10n.t('{0} descriptions', number)],
    fact: [vscode.l10n.t('1 fact'), vscode.l10n.t('{0} facts', number)],
    file: [vscode.l10n.t('1 file'), vscode.l10n.t('{0} files', number)],
    goal: [vscode.l10n.t('1 goal'), vscode.l10n.t('{0} goals', number)],
    line: [vscode.l10n.t('1 line'), vscode.l10n.t('{0} lines', number)],
    memory: [vscode.l10n.t('1 memory'), vscode.l10n.t('{0} memories', number)],
    note: [vscode.l10n.t('1 note'), vscode.l10n.t('{0} notes', number)],
    pair: [vscode.l10n.t('1 pair'), vscode.l10n.t('{0} pairs', number)],
    promise: [vscode.l10n.t('1 open promise'), vscode.l10n.t('{0} open promises', number)],
    rule: [vscode.l10n.t('1 rule'), vscode.l10n.t('{0} rules', number)],
    session: [vscode.l10n.t('1 session'), vscode.l10n.t('{0} sessions', number)],
    turn: [vscode.l10n.t('1 turn of yours'), vscode.l10n.t('{0} turns of yours', number)],
  };
  const [singular, plural] = forms[noun];
  return count === 1 ? singular : plural;
}

export function formatInteger(count: number): string {
  return count.toLocaleString(vscode.env.language);
}
