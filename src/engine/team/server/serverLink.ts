import type { Context } from '../../context.js';
import type { Store, StoreTransaction } from '../../store/store.js';
import { describeTeamProject, lineIsUncommitted } from '../../model/team.js';
import type { TeamLines } from '../teamFolder.js';
import {
  hashTeamLine,
  parseTeamLine,
  renderTeamLine,
  type PlacedLine,
  type SharedFact,
  type TeamDecision,
  type TeamLine,
} from '../teamLine.js';
import type { OwnLine, TeamSource } from '../teamState.js';
import type { NamedRow, ProjectRow, ServerLine } from './teamServer.js';

/** A project's place on a team's server; a record of the project's store. Neither address nor password is kept. */
export interface ServerLink {
  readonly team: NamedRow;
  readonly project: ProjectRow;
  /** Login of this person. */
  readonly role: string;
  /** The name that the team reads. */
  readonly name: string;
  /** Number of the last change that was fetched; 0 before the first one. */
  readonly cursor: number;
  /** Whose change that was: a server that does not know it was restored from a backup. */
  readonly lastId?: string;
  /** When the server was reached last; absent before the first time. ISO-8601 UTC. */
  readonly syncedAt?: string;
  /** Logins that were members then, and are no more. */
  readonly departed?: readonly string[];
}

/** Body of a record of kind `teamLine`, by the id of the shared memory: the server's row as it was fetched last. */
interface MirroredLine {
  /** Id of the project on the server. */
  readonly project: string;
  readonly at: string;
  readonly by: string;
  readonly role: string;
  readonly sequence: number;
  /** Null: withdrawn, or refused. */
  readonly fact: SharedFact | null;
  readonly decision?: TeamDecision;
  /** Why the row was not taken: a sentence without its text. */
  readonly refused?: string;
}

/** Body of a record of kind `teamOutbox`, by the id of the memory: what is to be sent. */
interface OutboxLine {
  /** Id of the project on the server. */
  readonly project: string;
  readonly at: string;
  /** Null: a withdrawal, or a decision. */
  readonly fact: SharedFact | null;
  readonly decision?: TeamDecision;
  /** Sent before: the server may have a newer one. */
  readonly isAgain?: true;
}

/** A line that waits. */
export interface WaitingLine extends TeamLine {
  readonly isAgain: boolean;
}

/** The store of a project that is connected. */
export interface LinkedStore {
  readonly store: Store;
  readonly link: ServerLink;
}

const linkRecordId = 'teamServer';
const all = Number.MAX_SAFE_INTEGER;

/** Undefined where the project is connected to no server. */
export async function readServerLink(store: Store): Promise<ServerLink | undefined> {
  return (await store.record<ServerLink>('state', linkRecordId))?.body;
}

export async function writeServerLink(tx: StoreTransaction, link: ServerLink): Promise<void> {
  await tx.putRecord('state', linkRecordId, link);
}

/** For people. */
export function describeLink({ team, project }: ServerLink): string {
  return `${team.name}/${describeTeamProject(project)}`;
}

/** Forgets the server, what was fetched from it and what waits to be sent. Memories that came of it stay. */
export async function forgetServer(store: Store, actor: string): Promise<void> {
  const kinds = ['teamLine', 'teamOutbox'] as const;
  const records = await Promise.all(
    kinds.map(async kind => (await store.records(kind, all)).map(({ id }) => ({ kind, id }))),
  );
  await store.write(actor, async tx => {
    for (const { kind, id } of records.flat()) await tx.deleteRecord(kind, id);
    await tx.deleteRecord('state', linkRecordId);
    await tx.log('consent', { team: 'left' });
  });
}

/** Keeps lines until the server has them. A later line about a memory takes the place of an earlier one. */
export async function queueLines(tx: StoreTransaction, project: string, lines: readonly TeamLine[]): Promise<void> {
  for (const { id, at, fact, decision } of lines) {
    const line: OutboxLine = { project, at, fact: fact ?? null, ...(decision === undefined ? {} : { decision }) };
    await tx.putRecord('teamOutbox', id, line);
  }
}

/** What waits to be sent, in the order in which it was shared. */
export async function readOutbox(store: Store, { project, name }: ServerLink): Promise<readonly WaitingLine[]> {
  const records = await store.records<OutboxLine>('teamOutbox', all);
  const lines = records
    .filter(it => it.body.project === project.id)
    .map(({ id, body: { at, fact, decision, isAgain } }) => ({
      ...{ id, at, by: name, fact: fact ?? undefined },
      ...(decision === undefined ? {} : { decision }),
      isAgain: isAgain === true,
    }));
  return lines.sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** The server has a line. What was shared of this memory since then waits on. */
export async function noteSent(store: Store, actor: string, { id, at }: TeamLine): Promise<void> {
  await store.write(actor, async tx => {
    const current = await tx.record<OutboxLine>('teamOutbox', id);
    if (current?.body.at === at) await tx.deleteRecord('teamOutbox', id);
  });
}

/**
 * Keeps rows of the server with the number of the last one, in one transaction. A row that holds a secret, or that this program
 * cannot take, is kept without its text.
 */
export async function mirrorRows(
  ctx: Context,
  { store, link: { project } }: LinkedStore,
  rows: readonly ServerLine[],
): Promise<void> {
  const limits = { now: ctx.host.now(), ...ctx.host.config().remember };
  const bodies = rows.map(row => ({ id: row.id, body: { project: project.id, ...toMirrored(row, limits) } }));
  await updateServerLink(ctx, store, project.id, async (tx, link) => {
    for (const { id, body } of bodies) await tx.putRecord('teamLine', id, body satisfies MirroredLine);
    const last = rows.at(-1);
    if (last === undefined || last.sequence < link.cursor) return link;
    return { ...link, cursor: last.sequence, lastId: last.id };
  });
}

/** Login of the author of a row as it was fetched last; undefined where there is none. */
export async function readAuthor(store: Store, id: string): Promise<string | undefined> {
  return (await store.record<MirroredLine>('teamLine', id))?.body.role;
}

/** Rows that were not taken: a newer version of this program, or another day, may take them. */
export async function readRefusedIds(store: Store, { project }: ServerLink): Promise<readonly string[]> {
  const rows = await store.records<MirroredLine>('teamLine', all);
  return rows.filter(({ body }) => body.project === project.id && body.refused !== undefined).map(it => it.id);
}

/** Changes the link of a project of the server; does nothing where the project here was connected to another one meanwhile. */
export async function updateServerLink(
  ctx: Context,
  store: Store,
  project: string,
  change: (tx: StoreTransaction, link: ServerLink) => Promise<ServerLink> | ServerLink,
): Promise<void> {
  await store.write(ctx.host.client, async tx => {
    const current = await tx.record<ServerLink>('state', linkRecordId);
    if (current?.body.project.id === project) await writeServerLink(tx, await change(tx, current.body));
  });
}

/** Has everything fetched again, and sent again what this store shared: the server was restored from a backup. */
export async function startOver(ctx: Context, { store, link }: LinkedStore): Promise<void> {
  const { project } = link;
  const own = new Set((await store.records<OwnLine>('sharedLine', all)).map(it => it.body.memory));
  const rows = await store.records<MirroredLine>('teamLine', all);
  const mine = rows.filter(
    ({ id, body }) =>
      body.project === project.id && body.role === link.role && body.refused === undefined && own.has(id),
  );
  await updateServerLink(ctx, store, project.id, async (tx, current) => {
    for (const { id, body } of mine) {
      const waiting = await tx.record('teamOutbox', id);
      // The server leaves out what it has.
      const { at, fact, decision } = body;
      const line: OutboxLine = {
        ...{ project: project.id, at, fact, isAgain: true },
        ...(decision === undefined ? {} : { decision }),
      };
      if (waiting === undefined) await tx.putRecord('teamOutbox', id, line);
    }
    const { lastId: _, ...rest } = current;
    return { ...rest, cursor: 0 };
  });
}

function toMirrored(row: ServerLine, limits: Parameters<typeof parseTeamLine>[1]): Omit<MirroredLine, 'project'> {
  const { id, at, by, role, sequence, fact, decision } = row;
  const line = { id, at, by, fact: fact as SharedFact | undefined, ...(decision === undefined ? {} : { decision }) };
  const parsed = parseTeamLine(renderTeamLine(line), limits);
  const base = { at, by, role, sequence };
  if (parsed === undefined || 'refused' in parsed)
    return { ...base, by: role, fact: null, refused: parsed?.refused ?? 'It says nothing.' };
  return {
    ...base,
    by: parsed.by,
    fact: parsed.fact ?? null,
    ...(parsed.decision === undefined ? {} : { decision: parsed.decision }),
  };
}

/** What was fetched from the server, with what waits to be sent. Asks no server. */
export function sourceOfServer({ store, link }: LinkedStore): TeamSource {
  const rows = new Map<string, MirroredLine>();
  let ownIds: ReadonlySet<string> | undefined;
  return {
    store,
    place: link.project.id,
    name: describeLink(link),
    async read(): Promise<TeamLines> {
      const lines: PlacedLine[] = [];
      const refused = [];
      for (const { id, body } of await store.records<MirroredLine>('teamLine', all)) {
        if (body.project !== link.project.id) continue;
        rows.set(id, body);
        const place = { where: `${id.slice(-8)} by ${body.by}` };
        if (body.refused === undefined) lines.push(toPlaced(toLine(id, body), body.sequence));
        else refused.push({ ...place, reason: body.refused });
      }
      for (const it of await readOutbox(store, link)) lines.push(toPlaced(it, 0));
      return { lines, early: [], refused };
    },
    // The server states the author; another memory of the same person, on another machine, is not this one.
    isOwn(line, own): boolean {
      ownIds ??= new Set([...own.values()].filter(it => it.place === link.project.id).map(it => it.memory));
      return ownIds.has(line.id) && (line.number === 0 || rows.get(line.id)?.role === link.role);
    },
    authorOf(line): Promise<string> {
      const row = rows.get(line.id);
      return Promise.resolve(line.number === 0 || row === undefined ? lineIsUncommitted : `${row.by} <${row.role}>`);
    },
    fileOf: () => undefined,
    mayAnyWithdraw: line => link.departed?.includes(rows.get(line.id)?.role ?? '') === true,
  };
}

function toLine(id: string, { at, by, fact, decision }: MirroredLine): TeamLine {
  return { id, at, by, fact: fact ?? undefined, ...(decision === undefined ? {} : { decision }) };
}

function toPlaced(line: TeamLine, sequence: number): PlacedLine {
  // The name is the server's to change, and a change of it is no news.
  const hash = hashTeamLine(renderTeamLine({ ...line, by: '' }));
  return { ...line, text: renderTeamLine(line), hash, file: '', number: sequence };
}
