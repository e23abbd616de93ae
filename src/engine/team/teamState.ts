import type { Context } from '../context.js';
import { shortId, type Memory } from '../model/memory.js';
import type { ImportRefusal } from '../model/importReport.js';
import type { TeamContradiction } from '../model/team.js';
import type { Store } from '../store/store.js';
import { lineAuthorsOf, type LineAuthors } from './lineAuthors.js';
import { readTeamLines, type EarlyLine, type TeamFolder, type TeamLines } from './teamFolder.js';
import { newestLines, type PlacedLine, type TeamDecision } from './teamLine.js';

/** Where what a team shares is read: a folder of the repository, or what came from the team's server. */
export interface TeamSource {
  /** Of the project. */
  readonly store: Store;
  /** For people. */
  readonly name: string;
  /** Id of the server's project; undefined for git. */
  readonly place?: string;
  /** @param known hashes of lines that were read before */
  read(ctx: Context, known: ReadonlySet<string>): Promise<TeamLines>;
  /** @param own bodies of the store's records of what it shared, by hash of their line */
  isOwn(line: PlacedLine, own: ReadonlyMap<string, OwnLine>): boolean;
  /** Who shared a line, as git or the server states it. */
  authorOf(line: PlacedLine): Promise<string>;
  /** Path of the file of a line in the project, for the memory that comes of it; undefined where there is none. */
  fileOf(line: PlacedLine): string | undefined;
  /** Whether any member may withdraw a line, and not its author alone. */
  mayAnyWithdraw(line: PlacedLine): boolean;
}

/** A folder of the project's repository as it is now. */
export function sourceOfFolder(folder: TeamFolder): TeamSource {
  const authors = new AuthorReader(folder.root);
  return {
    store: folder.store,
    name: folder.name,
    read: (ctx, known) => readTeamLines(ctx, folder, known),
    // Only what this store wrote, to the letter: the name in a line is what anyone may write.
    isOwn: (line, own) => own.has(line.hash),
    authorOf: line => authors.authorOf(line),
    fileOf: ({ file }) => `${folder.name}/${file}`,
    // Through git any member withdraws what any member shared: the commit says who.
    mayAnyWithdraw: () => true,
  };
}

/** Body of a record of kind `sharedLine`, whose id is the hash of a line that this store wrote. */
export interface OwnLine {
  readonly memory: string;
  /** Id of the server's project; absent for git. */
  readonly place?: string;
}

/** Body of a record of kind `receivedShare`, whose id is that of a memory in the store of another member. */
export interface ReceivedLine {
  /** Hash of the newest line that was read. */
  readonly line: string;
  /** When that line was written, ISO-8601 UTC. */
  readonly at: string;
  /** Absent where nothing is here: it came withdrawn, or was refused. */
  readonly memory?: string;
  /** The memory came by this, and was not here before. */
  readonly isMade: boolean;
  readonly author: string;
}

/** Contradictions of one memory that are named. */
const maxContradictions = 5;

/** What the source says, and what this store knows of it. */
export interface TeamState {
  /** By shared id. */
  readonly newest: ReadonlyMap<string, PlacedLine>;
  /** Of all members, the oldest first. */
  readonly decisions: readonly DecisionLine[];
  /** Of others, dated ahead of this machine's clock. */
  readonly early: readonly EarlyLine[];
  readonly refused: readonly ImportRefusal[];
  readonly received: ReadonlyMap<string, ReceivedLine>;
  readonly isOwn: (line: PlacedLine) => boolean;
  /** Of the memories that this store has sent to the server of the source, gone or not; none for git, which has the lines. */
  readonly ownIds: ReadonlySet<string>;
  /** Whether this store has shared the memory with that id, through any place. */
  readonly isOwnMemory: (id: string) => boolean;
}

export async function readTeamState(ctx: Context, source: TeamSource): Promise<TeamState> {
  const all = Number.MAX_SAFE_INTEGER;
  const own = new Map((await source.store.records<OwnLine>('sharedLine', all)).map(it => [it.id, it.body]));
  const received = await source.store.records<ReceivedLine>('receivedShare', all);
  const known = new Set([...own.keys(), ...received.map(it => it.body.line)]);
  const { lines, early, refused } = await source.read(ctx, known);
  const ownMemories = new Set([...own.values()].map(it => it.memory));
  const decisions = newestLines(lines.filter(isDecision));
  const newest = newestLines(lines.filter(it => it.decision === undefined));
  return {
    newest,
    early: early.filter(it => !own.has(it.hash)),
    decisions: [...decisions.values()].filter(isDecision).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    refused: [...refused, ...early.flatMap(it => describeEarly(it, own.get(it.hash)?.memory, newest))],
    received: new Map(received.map(it => [it.id, it.body])),
    isOwn: it => source.isOwn(it, own),
    isOwnMemory: it => ownMemories.has(it),
    ownIds: new Set(
      [...own.values()].filter(it => source.place !== undefined && it.place === source.place).map(it => it.memory),
    ),
  };
}

/** Why a line is left until its time comes; nothing where its member has shared the fact again since. */
function describeEarly(
  { id, at, where, reason }: EarlyLine,
  ownMemory: string | undefined,
  newest: ReadonlyMap<string, PlacedLine>,
): readonly ImportRefusal[] {
  if (ownMemory === undefined) return [{ where, reason }];
  if (newest.has(id)) return [];
  const again = ownMemory === id ? ` Share it again: recollect team share ${shortId({ id })}` : '';
  const day = at.slice(0, 10);
  return [
    { where, reason: `You wrote it while this machine’s clock was ahead: others leave it until ${day}.${again}` },
  ];
}

export type DecisionLine = PlacedLine & { readonly decision: TeamDecision };

function isDecision(line: PlacedLine): line is DecisionLine {
  return line.decision !== undefined;
}

/** The memory here that a shared fact is; undefined where none is. */
export function localIdOf({ received, isOwnMemory }: TeamState, sharedId: string): string | undefined {
  return received.get(sharedId)?.memory ?? (isOwnMemory(sharedId) ? sharedId : undefined);
}

/**
 * The id under which the whole team knows each memory here that is shared. Of several members who share it, it is that of the
 * memory made first: ids rise with time.
 * @returns shared ids by the id of the memory here
 */
export function sharedIdsOf(state: TeamState): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const line of state.newest.values()) {
    const id = line.fact === undefined ? undefined : localIdOf(state, line.id);
    const other = id === undefined ? undefined : first.get(id);
    if (id !== undefined && (other === undefined || line.id < other)) first.set(id, line.id);
  }
  return first;
}

/** The id under which the team knows a memory here, by the records of what was shared; undefined where it is not shared. */
export async function sharedIdOf(store: Store, id: string): Promise<string | undefined> {
  const all = Number.MAX_SAFE_INTEGER;
  const received = await store.records<ReceivedLine>('receivedShare', all);
  const own = await store.records<OwnLine>('sharedLine', all);
  const ids = [
    ...received.filter(it => it.body.memory === id).map(it => it.id),
    ...own.filter(it => it.body.memory === id).map(it => it.body.memory),
  ];
  return ids.sort()[0];
}

/** Whether a line is still to be read: an older one than what was read changes nothing. */
export function isNews(line: PlacedLine, received: ReceivedLine | undefined): boolean {
  return received === undefined || (received.line !== line.hash && !isOutdated(line, received));
}

/** Whether a newer line of its memory was read, as where a branch is checked out that is behind. */
export function isOutdated({ at }: PlacedLine, received: ReceivedLine | undefined): boolean {
  return received !== undefined && at < received.at;
}

/** The authors of lines; git is asked once for each file. */
class AuthorReader {
  private readonly byFile = new Map<string, Promise<LineAuthors>>();

  constructor(private readonly root: string) {}

  async authorOf({ file, text }: PlacedLine): Promise<string> {
    let authors = this.byFile.get(file);
    if (authors === undefined) this.byFile.set(file, (authors = lineAuthorsOf(this.root, file)));
    return (await authors)(text);
  }
}

/** What contradicts each memory and is not settled, with the names of those who shared it. */
export async function contradictionsOf(
  store: Store,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly TeamContradiction[]>> {
  const found = await store.contradictions(ids, maxContradictions);
  const others = await store.get([...new Set([...found.values()].flat().map(it => it.id))]);
  const byId = new Map(others.map(it => [it.id, it]));
  return new Map(
    [...found].map(([id, links]) => [
      id,
      links.flatMap(it => {
        const other = byId.get(it.id);
        return other === undefined ? [] : [toContradiction(other)];
      }),
    ]),
  );
}

function toContradiction({ id, content, provenance: { author } }: Memory): TeamContradiction {
  return { id, content, ...(author === undefined ? {} : { author }) };
}
