import {
  compareStanding,
  isUnconfirmedImport,
  originRank,
  standingGrade,
  type StandingGrade,
} from '../classify/standing.js';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import { formatDate } from '../model/answerText.js';
import { dayMs } from '../model/duration.js';
import {
  handoverDays,
  handoverTag,
  type BriefingBlock,
  type LeftOutMemory,
  type LeftOutReason,
} from '../model/briefing.js';
import type { DecayRules } from '../model/config.js';
import { shortId } from '../model/memory.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { hasLapsed } from '../scoring/retentionRules.js';
import { GitBranches } from '../store/gitBranches.js';
import type { ActiveMemoryRow, ReadOnlyStore, ReplacementRow } from '../store/sqlite/readOnlyStore.js';
import type { OwnInstructions } from './ownInstructions.js';
import { standingProbability, type StandingWeights } from './standingWeights.js';

/** Days ahead: nearer plans stand in the briefing whatever their confidence. */
const dueWithinDays = 21;
const recalledWithinDays = 30;
/** A recall gives several memories: only what more than one gave is in use. */
const minRecalls = 2;
const maxTeamMemories = 5;
/** Width of the bands of probabilities to be a rule: in one band the newer memory is first. */
const bandWidth = 0.1;
/** 0-100; what a rule heard in a session fades, unlike a rule that was remembered on purpose. */
const minHeardConfidence = 20;
/**
 * A note that is stored as something else is perhaps a rule from this probability on: three of four rules of projects that the
 * weights were not fitted on reach it, and half of what reaches it is one (docs/encoder.md).
 */
const minStandingProbability = 0.25;
/** Fewer words say nothing of how work is done, whatever their vector is near to. */
const minRuleWords = 3;

/** Blocks by which has room first. */
export const packingOrder = ['handover', 'pinned', 'due', 'changed', 'team', 'standing', 'branch', 'recalled'] as const;

export interface PlacingInput {
  readonly now: Date;
  /** The time by which memories fade: without a long time in which no program used them. */
  readonly agingNow: Date;
  readonly rules: DecayRules;
  /** When the last session of this program here began; ISO-8601 UTC. */
  readonly since: string;
  readonly branches: GitBranches | undefined;
  readonly ownInstructions: OwnInstructions;
  /** Of the models that ship. */
  readonly standingWeights: readonly StandingWeights[];
  /** Whether this session may have a hand-over. @param handover its short id */
  readonly mayTakeHandover: (handover: string) => Promise<boolean>;
}

export interface BriefingRow extends ActiveMemoryRow {
  readonly reader: ReadOnlyStore;
  readonly store: ReadOnlyStore['kind'];
}

/** A memory that has a place, before it is known whether it has room. */
export interface PlacedMemory {
  readonly block: BriefingBlock;
  readonly row: BriefingRow;
  readonly reason: LocalizableMessage;
  readonly grade: StandingGrade;
  /** The probability that it says how work is done, where the grade leaves it open and it has a vector. */
  readonly probability?: number;
  /** What it replaced since the last session. */
  readonly change?: ReplacementRow;
  /** A model's word against what a person confirmed, which only a person settles. */
  readonly unsettled?: { readonly otherId: string; readonly isNewer: boolean };
}

export interface PlacedMemories {
  /** Blocks in {@link packingOrder}, the first of each first. */
  readonly placed: readonly PlacedMemory[];
  readonly leftOut: readonly LeftOutMemory[];
  /** Active memories that hold and have neither a place nor a reason against one: a recall finds them. */
  readonly others: number;
}

/** What is known of memories besides their rows. */
interface Knowledge extends Replacements {
  /** The probability of each that it says how work is done, by id, where its grade leaves that open. */
  readonly probabilities: ReadonlyMap<string, number>;
}

/** What stands against a memory. */
interface Replacements {
  /** Ids of what holds no more. */
  readonly replaced: ReadonlySet<string>;
  readonly unsettled: ReadonlyMap<string, NonNullable<PlacedMemory['unsettled']>>;
  /** By the id of the newer memory: the latest of what it replaced since the last session. */
  readonly changes: ReadonlyMap<string, ReplacementRow>;
}

/** Decides for every memory in which block of the briefing it stands. */
export async function placeMemories(readers: readonly ReadOnlyStore[], input: PlacingInput): Promise<PlacedMemories> {
  const rows = (await Promise.all(readers.map(it => readRows(it, input)))).flat();
  const replacements = await readReplacements(readers, rows, input.since);
  const knowledge = { ...replacements, probabilities: await readProbabilities(rows, input.standingWeights) };
  const candidates = rows.flatMap(row => (isHandover(row) ? [] : choosePlaces(row, input, knowledge)));
  const handover = await findHandover(rows, input);
  const sorted = packingOrder.flatMap(block => {
    const its = [...handover, ...candidates].filter(it => it.block === block).sort(comparators(input)[block]);
    return block === 'team' ? its.slice(0, maxTeamMemories) : its;
  });
  const placed: PlacedMemory[] = [];
  const leftOut: LeftOutMemory[] = [];
  const seen = new Map<string, string>();
  for (const it of sorted) {
    const words = bagOfWords(it.row.content);
    const isRepeated = (seen.get(words) ?? it.row.id) !== it.row.id;
    const reason = isRepeated ? 'repeated' : reasonAgainst(it, input, replacements);
    if (reason === undefined) {
      seen.set(words, it.row.id);
      placed.push(it);
    } else if (leftOut.every(other => other.id !== it.row.id)) leftOut.push(toLeftOut(it.row, reason));
  }
  const ids = new Set(placed.map(it => it.row.id));
  const left = leftOut.filter(it => !ids.has(it.id));
  const known = new Set([...ids, ...left.map(it => it.id), ...replacements.replaced]);
  return { placed, leftOut: left, others: rows.filter(it => !known.has(it.id)).length };
}

export function toLeftOut({ id, content }: Pick<BriefingRow, 'id' | 'content'>, reason: LeftOutReason): LeftOutMemory {
  return { id, content, reason };
}

async function readRows(reader: ReadOnlyStore, { rules, now }: PlacingInput): Promise<readonly BriefingRow[]> {
  const active = await reader.listActive();
  return active
    .filter(it => !hasLapsed(it, { rules, centrality: it.centrality, now }))
    .map(it => ({ ...it, reader, store: reader.kind }));
}

/** Of what may be a rule though it is stored as something else; none of what is too short ("ok"), nor without vectors of a model. */
async function readProbabilities(
  rows: readonly BriefingRow[],
  models: readonly StandingWeights[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const open = rows.filter(
    it =>
      mayStand(it) &&
      it.kind !== 'summary' &&
      standingGrade(it) !== 'rule' &&
      !isUnconfirmedImport(it) &&
      it.content.trim().split(/\s+/u).length >= minRuleWords,
  );
  for (const reader of new Set(open.map(it => it.reader))) {
    const ids = open.filter(it => it.reader === reader).map(it => it.id);
    for (const model of models) {
      for (const [id, vector] of await reader.vectors(model.model, ids)) {
        const probability = standingProbability(model, vector);
        if (probability !== undefined) found.set(id, probability);
      }
    }
  }
  return found;
}

async function readReplacements(
  readers: readonly ReadOnlyStore[],
  rows: readonly BriefingRow[],
  since: string,
): Promise<Replacements> {
  const byId = new Map(rows.map(it => [it.id, it]));
  const marks = (await Promise.all(readers.map(it => it.replacements()))).flat();
  const settled = (await Promise.all(readers.map(it => it.supersessions()))).flat();
  // What a person confirmed or pinned stays until a person says otherwise.
  const isEffective = ({ older, by }: ReplacementRow): boolean => {
    const row = byId.get(older);
    return by === 'person' || row === undefined || (row.lane === 'note' && !row.pinned);
  };
  const effective = marks.filter(isEffective);
  const unsettled = marks
    .filter(it => !isEffective(it))

    .flatMap(({ older, newer }): readonly (readonly [string, NonNullable<PlacedMemory['unsettled']>])[] => [
      [older, { otherId: newer, isNewer: false }],
      [newer, { otherId: older, isNewer: true }],
    ]);
  const changes = [...effective, ...settled]
    .filter(it => it.isSame !== true && it.at > since)
    .sort((a, b) => compareText(a.at, b.at));
  return {
    replaced: new Set(effective.map(it => it.older)),
    unsettled: new Map(unsettled),
    changes: new Map(changes.map(it => [it.newer, it])),
  };
}

/** The newest hand-over of this project and branch, unless another session has taken it. */
async function findHandover(rows: readonly BriefingRow[], input: PlacingInput): Promise<readonly PlacedMemory[]> {
  const oldest = new Date(input.now.getTime() - handoverDays * dayMs).toISOString();
  const [row] = rows
    .filter(it => isHandover(it) && it.store === 'project' && it.createdAt > oldest)
    .filter(it => it.branch === input.branches?.current)
    .sort((a, b) => compareText(b.createdAt + b.id, a.createdAt + a.id));
  if (row === undefined || !(await input.mayTakeHandover(shortId(row)))) return [];
  return [{ block: 'handover', row, reason: message`handed over on ${formatDate(row.createdAt)}`, grade: 'none' }];
}

/** The places that a memory may have, the first choice first: one that replaced another has a second, where that block is full. */
function choosePlaces(row: BriefingRow, input: PlacingInput, knowledge: Knowledge): readonly PlacedMemory[] {
  const place = chooseBlock(row, input, knowledge);
  const change = knowledge.changes.get(row.id);
  if (change === undefined || place?.block === 'pinned' || place?.block === 'due')
    return place === undefined ? [] : [place];
  const changed = { row, grade: gradeOf(row, knowledge.probabilities.get(row.id)), block: 'changed', change } as const;
  const open = knowledge.unsettled.get(row.id);
  const reason = message`replaced #${shortId({ id: change.older })}`;
  return [
    { ...changed, reason, ...(open === undefined ? {} : { unsettled: open }) },
    ...(place === undefined ? [] : [place]),
  ];
}

function chooseBlock(
  row: BriefingRow,
  { now, branches }: PlacingInput,
  { unsettled, probabilities }: Knowledge,
): PlacedMemory | undefined {
  const open = unsettled.get(row.id);
  const probability = probabilities.get(row.id);
  const grade = gradeOf(row, probability);
  const facts = {
    row,
    grade,
    ...(probability === undefined ? {} : { probability }),
    ...(open === undefined ? {} : { unsettled: open }),
  };
  if (row.pinned) return { ...facts, block: 'pinned', reason: message`pinned` };
  if (row.dueAt !== undefined && Date.parse(row.dueAt) <= now.getTime() + dueWithinDays * dayMs)
    return { ...facts, block: 'due', reason: message`due ${formatDate(row.dueAt)}` };
  if (row.isShared) return { ...facts, block: 'team', reason: message`shared by the team` };
  if (mayStand(row) && grade !== 'none') return { ...facts, block: 'standing', reason: describeStanding(row, grade) };
  // Both sides stand until a person has settled which one holds.
  if (open !== undefined)
    return { ...facts, block: 'standing', reason: message`not settled with #${shortId({ id: open.otherId })}` };
  if (mayStand(row) && row.gate !== 'promissory' && isOfCurrentBranch(row, branches))
    return { ...facts, block: 'branch', reason: message`learned on this branch` };
  if (row.accessCount >= minRecalls && isWithinDays(row.accessedAt, recalledWithinDays, now))
    return { ...facts, block: 'recalled', reason: message`${row.accessCount} times in all` };
  return undefined;
}

/** A note with a day stands when it is near; what a person confirmed may be a decision that counts until then. */
function mayStand({ dueAt, lane }: BriefingRow): boolean {
  return dueAt === undefined || lane === 'confirmed';
}

function gradeOf(row: BriefingRow, probability: number | undefined): StandingGrade {
  const grade = standingGrade(row);
  return grade === 'none' && (probability ?? 0) >= minStandingProbability ? 'perhaps' : grade;
}

/** Why a memory with a place does not stand there; undefined where nothing is against it. */
function reasonAgainst(
  { block, row }: PlacedMemory,
  { rules, agingNow, ownInstructions }: PlacingInput,
  { replaced }: Replacements,
): LeftOutReason | undefined {
  if (replaced.has(row.id)) return 'replaced';
  if (block === 'pinned' || block === 'handover') return undefined;
  if (block !== 'team' && isUnconfirmedImport(row)) return 'unconfirmedImport';
  if (ownInstructions.includes(row)) return 'readByProgram';
  if (row.lane === 'confirmed' || row.source !== 'conversation' || block === 'due') return undefined;
  const confidence = effectiveConfidence(row, { rules, centrality: row.centrality, now: endOfDay(agingNow) });
  return confidence < minHeardConfidence ? 'faded' : undefined;
}

function comparators({
  branches,
}: PlacingInput): Readonly<Record<BriefingBlock, (a: PlacedMemory, b: PlacedMemory) => number>> {
  const ranksOf = ({ row, grade, probability }: PlacedMemory): readonly number[] => {
    const isOfBranch = isOfCurrentBranch(row, branches);
    return [
      Number(row.source === 'import'),
      // Confirmed on this branch: it is of the work at hand. A note that is perhaps a rule takes no rule's place.
      Number(grade !== 'rule' && !(isOfBranch && row.lane === 'confirmed')),
      Number(!isOfBranch),
      Number(grade !== 'rule' && isOfOtherBranch(row, branches)),
      // Among what is perhaps a rule, the clearly likelier one of an origin.
      ...(grade === 'rule'
        ? [0, 0]
        : [originRank(row), -Math.round((probability ?? minStandingProbability) / bandWidth)]),
    ];
  };
  const standing = (a: PlacedMemory, b: PlacedMemory): number => {
    const [first, second] = [ranksOf(a), ranksOf(b)];
    const different = first.findIndex((it, i) => it !== second[i]);
    return different < 0 ? compareStanding(a.row, b.row) : first[different]! - second[different]!;
  };
  return {
    handover: standing,
    pinned: standing,
    standing,
    team: (a, b) => compareText(b.row.createdAt, a.row.createdAt) || standing(a, b),
    due: (a, b) => compareText(a.row.dueAt!, b.row.dueAt!) || standing(a, b),
    changed: (a, b) => compareText(b.change!.at, a.change!.at) || standing(a, b),
    branch: (a, b) => compareText(b.row.createdAt, a.row.createdAt) || standing(a, b),
    recalled: (a, b) => b.row.accessCount - a.row.accessCount || standing(a, b),
  };
}

function describeStanding(row: BriefingRow, grade: StandingGrade): LocalizableMessage {
  const origin = describeOrigin(row);
  if (grade === 'rule') return message`a rule, ${origin}`;
  return row.lane === 'confirmed' ? origin : message`perhaps a rule, ${origin}`;
}

function describeOrigin({ lane, source }: BriefingRow): LocalizableMessage {
  if (lane === 'confirmed') return source === 'import' ? message`imported, confirmed` : message`confirmed`;
  return source === 'conversation' ? message`heard in a session` : message`a model's note`;
}

function isHandover({ tags }: BriefingRow): boolean {
  return tags.includes(handoverTag);
}

/** A branch is one of a repository: of a memory of all projects it says nothing, and where all branches start it is no news. */
function isOfCurrentBranch({ branch, store }: BriefingRow, branches: GitBranches | undefined): boolean {
  return isOfOneBranch(branch, store, branches) && branch === branches?.current;
}

function isOfOtherBranch({ branch, store }: BriefingRow, branches: GitBranches | undefined): boolean {
  return isOfOneBranch(branch, store, branches) && branch !== branches?.current;
}

function isOfOneBranch(
  branch: string | undefined,
  store: BriefingRow['store'],
  branches: GitBranches | undefined,
): boolean {
  return store === 'project' && branch !== undefined && branches?.isDefault(branch) === false;
}

function isWithinDays(iso: string | undefined, days: number, now: Date): boolean {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  return iso !== undefined && Date.parse(iso) >= today - days * dayMs;
}

/** As of the end of the day: within one, the same memories stand in the same order, so that a prompt cache holds. */
function endOfDay(time: Date): Date {
  const end = new Date(time);
  end.setUTCHours(24, 0, 0, 0);
  return end;
}

/** The words of a text in any order: two memories with the same ones say the same. */
function bagOfWords(content: string): string {
  const words = content.split(/\s+/u).map(it => it.replace(/(?<![.,;:!?])[.,;:!?]+$/u, ''));
  return [...new Set(words)].sort().join(' ');
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
