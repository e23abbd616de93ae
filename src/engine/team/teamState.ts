import type { Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import type { ImportRefusal } from '../model/importReport.js';
import type { TeamContradiction } from '../model/team.js';
import type { Store } from '../store/store.js';
import { lineAuthorsOf, type LineAuthors } from './lineAuthors.js';
import { readTeamLines, type TeamFolder } from './teamFolder.js';
import { newestLines, type PlacedLine } from './teamLine.js';

/** Body of a record of kind `sharedLine`, whose id is the hash of a line that this store wrote. */
export interface OwnLine {
  readonly memory: string;
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

/** What the folder says, and what this store knows of it. */
export interface TeamState {
  /** By shared id. */
  readonly newest: ReadonlyMap<string, PlacedLine>;
  readonly refused: readonly ImportRefusal[];
  readonly received: ReadonlyMap<string, ReceivedLine>;
  readonly isOwn: (line: PlacedLine) => boolean;
}

export async function readTeamState(ctx: Context, folder: TeamFolder): Promise<TeamState> {
  const { lines, refused } = await readTeamLines(ctx, folder);
  const all = Number.MAX_SAFE_INTEGER;
  const own = new Set((await folder.store.records<OwnLine>('sharedLine', all)).map(it => it.id));
  const received = await folder.store.records<ReceivedLine>('receivedShare', all);
  return {
    newest: newestLines(lines),
    refused,
    received: new Map(received.map(it => [it.id, it.body])),
    // Only what this store wrote, to the letter: the name in a line is what anyone may write.
    isOwn: it => own.has(it.hash),
  };
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
export class AuthorReader {
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
