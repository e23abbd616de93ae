import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { newUuid } from '../../base/uuid.js';
import type { Context } from '../../context.js';
import { PostgresConnection } from '../../database/postgres/postgresConnection.js';
import { readChosenServer } from '../../database/postgres/chosenServer.js';
import { describeAddress } from '../../database/postgres/postgresSettings.js';
import type { Colleague, ConnectInput, TeamConnection, TeamProject, TeamSyncReport } from '../../model/team.js';
import type { Store } from '../../store/store.js';
import { findDecisions, recordOwnDecisions } from '../decisions.js';
import { readShares } from '../readShares.js';
import { isMemberName, type TeamLine } from '../teamLine.js';
import { readTeamState } from '../teamState.js';
import { chooseProject } from './chooseProject.js';
import {
  describeLink,
  mirrorRows,
  noteSent,
  queueLines,
  readAuthor,
  readOutbox,
  readRefusedIds,
  readServerLink,
  sourceOfServer,
  startOver,
  updateServerLink,
  writeServerLink,
  type LinkedStore,
  type ServerLink,
  type WaitingLine,
} from './serverLink.js';
import { changeChannel } from './serverSchema.js';
import { TeamServer, type NamedRow, type ProjectRow } from './teamServer.js';

/** Two clocks that are this far apart are not of one time; a network and a slow machine take less. */
const minClockSkewMs = 60 * 60 * 1000;
/** Rows per statement and transaction. */
const pageSize = 500;
/** A process that was killed in the middle of a sync keeps others from it for so long. Renewed with each page and batch. */
const leaseMs = 60 * 1000;

/**
 * Opens the connection that the person chose, for `work`.
 * @throws EngineError invalidInput (none is chosen), and as PostgresConnection
 */
export async function withConnection<T>(
  ctx: Context,
  work: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
  const connection = await openConnection(ctx);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

async function openConnection(ctx: Context): Promise<PostgresConnection> {
  return PostgresConnection.open(await readChosenServer(ctx.host));
}

/**
 * Listens for what others share in the project.
 * @param listeners.onChange may be called for one's own changes, too
 * @param listeners.onEnd called once, when the server or the network ends it
 * @returns ends it
 * @throws as {@link withConnection}
 */
export async function watchServer(
  ctx: Context,
  link: ServerLink,
  { onChange, onEnd }: { readonly onChange: () => void; readonly onEnd: () => void },
): Promise<() => Promise<void>> {
  const connection = await openConnection(ctx);
  try {
    await connection.listen(changeChannel, project => {
      if (project === link.project.id) onChange();
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
  let isClosed = false;
  connection.onEnd(() => {
    if (!isClosed) onEnd();
  });
  return async () => {
    isClosed = true;
    await connection.close();
  };
}

/** Of this person, by name. @throws EngineError notAllowed (none), and as {@link withConnection} */
export async function listTeams(ctx: Context): Promise<readonly string[]> {
  return withConnection(ctx, async connection => {
    const teams = await (await TeamServer.open(connection)).teams();
    if (teams.length === 0) throw notInTeamError();
    return teams.map(it => it.name);
  });
}

/** Of the team of a project, by name, with former ones. @throws EngineError notAllowed, and as {@link withConnection} */
export async function listColleagues(ctx: Context, { team }: ServerLink): Promise<readonly Colleague[]> {
  return withConnection(ctx, async connection => {
    const members = await (await TeamServer.open(connection)).members(team.id);
    return members.map(({ name, hasDeparted }) => ({ name, hasDeparted }));
  });
}

/** A folder as it shows itself. */
export interface ProjectFolderKeys {
  /** For people. */
  readonly name: string;
  /** Normalized, without credentials, the most specific first; none where it has none on a host. */
  readonly remotes: readonly string[];
}

/**
 * What connecting the project would do. Writes nothing, here or there.
 * @param known the project that it is connected to already, and of which the team may not know the repository yet
 * @throws EngineError invalidInput (several teams, a name that cannot be) | notAllowed (no member), and as PostgresConnection
 */
export async function previewConnection(
  ctx: Context,
  folder: ProjectFolderKeys,
  { team: wanted, project: given }: ConnectInput,
  known?: ServerLink,
): Promise<TeamConnection> {
  return withConnection(ctx, async connection => {
    const server = await TeamServer.open(connection);
    const teams = await server.teams();
    const team = chooseTeam(teams, known?.team.name ?? wanted);
    const { name } = await server.ownName(team.id);
    if (!isMemberName(given ?? folder.name))
      throw new EngineError(
        'invalidInput',
        'The name of the project must be one line of plain text of at most 80 characters, without a secret.',
      );
    const projects = await server.projects(team.id);
    const choice =
      known === undefined
        ? chooseProject(projects, folder, given)
        : chooseProject(
            projects.filter(it => it.id === known.project.id),
            folder,
            known.project.name,
          );
    return {
      address: describeAddress(connection.settings),
      isEncrypted: connection.settings.tls !== false,
      team: team.name,
      project: choice.name,
      ...(choice.repository === undefined ? {} : { repository: choice.repository }),
      ...(choice.id === undefined ? {} : { projectId: choice.id }),
      isNewProject: choice.id === undefined,
      namesRepository: choice.namesRepository,
      namesakes: choice.namesakes.map(toTeamProject),
      name,
      teams: teams.map(it => it.name),
      projects: projects.map(toTeamProject),
    };
  });
}

/** Connects the project of a store as a preview said. Shares nothing. @throws as {@link previewConnection} */
export async function connectProject(
  ctx: Context,
  store: Store,
  { team: wanted, project: name, repository, projectId, namesRepository }: TeamConnection,
): Promise<void> {
  const connect = async (connection: PostgresConnection): Promise<void> => {
    const server = await TeamServer.open(connection);
    const team = chooseTeam(await server.teams(), wanted);
    if (namesRepository && projectId !== undefined && repository !== undefined)
      await server.nameRepository(projectId, repository);
    const project =
      projectId === undefined
        ? await server.ensureProject(team.id, { name, ...(repository === undefined ? {} : { repository }) })
        : await server.project(projectId);
    if (project === undefined) throw new EngineError('notFound', message`The team has no project ${name}.`);
    const member = await server.ownName(team.id);
    const before = await readServerLink(store);
    await store.write(ctx.host.client, async tx => {
      const fetched = before?.project.id === project.id ? before : { cursor: 0 };
      await writeServerLink(tx, { ...fetched, team, project, ...member });
      await tx.log('consent', { team: 'connected' });
    });
  };
  return withTeamLease(ctx, store, () => withConnection(ctx, connect));
}

/**
 * Sends what waits, fetches what is new, and takes in what others shared. Where the server cannot be reached, nothing is lost and
 * what was fetched before is taken in.
 * @param signal gives up waiting for the server
 * @throws EngineError storeBusy (another process is at it) | notAllowed | invalidInput | aborted, and what writing a store throws
 */
export async function syncTeam(
  ctx: Context,
  linked: LinkedStore,
  onWritten: Parameters<typeof readShares>[2],
  signal?: AbortSignal,
): Promise<TeamSyncReport> {
  return withTeamLease(ctx, linked.store, async renew => {
    const { store, link } = linked;
    await queueDecisions(ctx, linked);
    const { sent, isOffline, problem, clock } = await untilAborted(exchangeWithServer(ctx, linked, renew), signal);
    const current = { store, link: (await readServerLink(store)) ?? link };
    return {
      team: link.team.name,
      project: link.project.name,
      sent,
      isOffline,
      waiting: (await readOutbox(store, current.link)).length,
      ...(problem === undefined ? {} : { problem }),
      ...(clock === undefined ? {} : { clock }),
      read: await readShares(ctx, sourceOfServer(current), onWritten, renew),
    };
  });
}

/** A server that says nothing holds up no end of the program. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  work.catch(() => undefined);
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(new EngineError('aborted', 'The sync was given up.'));
    };
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', giveUp);
    });
  });
}

/**
 * Work that no other process does for the same project at the same time.
 * @param work is given what renews its right to go on
 * @throws EngineError storeBusy
 */
export async function withTeamLease<T>(
  ctx: Context,
  store: Store,
  work: (renew: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const holder = newUuid(ctx.host.now());
  const renew = async (): Promise<void> => {
    if (await store.acquireLease('teamSync', holder, leaseMs)) return;
    throw new EngineError('storeBusy', 'Another window is in touch with the team’s server now. Try again in a minute.');
  };
  await renew();
  try {
    return await work(renew);
  } finally {
    await store.releaseLease('teamSync', holder);
  }
}

interface Exchanged {
  /** Lines that the server took. */
  readonly sent: number;
  /** It was not reached, or stopped answering. */
  readonly isOffline: boolean;
  /** Why it took no more, or not all. */
  readonly problem?: string;
  /** A sentence where this machine's clock is wrong. */
  readonly clock?: string;
}

async function exchangeWithServer(ctx: Context, linked: LinkedStore, renew: () => Promise<void>): Promise<Exchanged> {
  const { store, link } = linked;
  let sent = 0;
  let isOffline = false;
  let problem: string | undefined;
  let clock: string | undefined;
  try {
    await withConnection(ctx, async connection => {
      const server = await TeamServer.open(connection);
      const serverTime = await server.now();
      clock = describeClock(ctx.host.now(), serverTime);
      const { name, project, departed } = await prepareExchange(ctx, server, linked);
      // First what others shared: no line that the server refuses keeps it away.
      await fetchRows(ctx, server, { ...linked, renew });
      await fetchRefused(ctx, server, linked);
      for (const line of await readOutbox(store, link)) {
        await renew();
        try {
          await sendLine(server, linked, notAfter(line, serverTime));
        } catch (error) {
          if (!EngineError.is(error) || error.code === 'storeUnavailable') throw error;
          problem ??= `#${line.id.slice(-8)} cannot be sent: ${error.message}`;
          continue;
        }
        await noteSent(store, ctx.host.client, line);
        sent++;
      }
      if (sent > 0) await fetchRows(ctx, server, { ...linked, renew });
      const syncedAt = ctx.host.now().toISOString();
      await updateServerLink(ctx, store, link.project.id, (_, current) => ({
        ...current,
        name,
        project,
        departed,
        syncedAt,
      }));
    });
  } catch (error) {
    if (!EngineError.is(error, 'storeUnavailable')) throw error;
    isOffline = true;
    problem = error.message;
  }
  return {
    ...{ sent, isOffline },
    ...(problem === undefined ? {} : { problem }),
    ...(clock === undefined ? {} : { clock }),
  };
}

async function sendLine(server: TeamServer, { store, link }: LinkedStore, line: WaitingLine): Promise<void> {
  const isWithdrawal = line.fact === undefined && line.decision === undefined;
  const role = isWithdrawal ? await readAuthor(store, line.id) : undefined;
  // Row-level security lets no member change a row of another one.
  if (role !== undefined && role !== link.role && (await server.withdrawDeparted(link.project.id, line))) return;
  await server.push(link.project.id, line, line.isAgain);
}

/** Queues this person's decisions since the last time. */
async function queueDecisions(ctx: Context, { store, link }: LinkedStore): Promise<void> {
  const source = sourceOfServer({ store, link });
  const member = { by: link.name, seed: link.role };
  const lines = await findDecisions(ctx, source, await readTeamState(ctx, source), member);
  if (lines.length === 0) return;
  await store.write(ctx.host.client, async tx => {
    await queueLines(tx, link.project.id, lines);
    await recordOwnDecisions(tx, lines, link.project.id);
  });
}

/** The sentence for a person whose clock is wrong; undefined for most. */
function describeClock(here: Date, there: Date): string | undefined {
  const skewMs = here.getTime() - there.getTime();
  if (Math.abs(skewMs) < minClockSkewMs) return undefined;
  const hours = Math.round(Math.abs(skewMs) / 3_600_000);
  const distance = hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
  return skewMs > 0
    ? `The clock of this machine is ${distance} ahead of the team’s server, whose time what you shared has now. Set it.`
    : `The clock of this machine is ${distance} behind the team’s server: what you share looks that old to others. Set it.`;
}

/** A line that a clock dated ahead, at the time of the server: others would leave it until then. */
function notAfter<T extends TeamLine>(line: T, serverTime: Date): T {
  const latest = serverTime.toISOString();
  if (line.at <= latest) return line;
  const fact = line.fact === undefined || line.fact.said <= latest ? line.fact : { ...line.fact, said: latest };
  return { ...line, at: latest, fact };
}

/**
 * @returns the name that the team reads by now, the project as the server has it, and who is in the team no more
 * @throws EngineError notAllowed where the member may not see the project, or it is another login than the one that was connected
 */
async function prepareExchange(
  ctx: Context,
  server: TeamServer,
  { store, link }: LinkedStore,
): Promise<Pick<ServerLink, 'name' | 'project'> & { readonly departed: readonly string[] }> {
  const current = { store, link: (await readServerLink(store)) ?? link };
  const known = await server.knows(link.project.id, current.link);
  const project = await server.project(link.project.id);
  if (known === 'nothing' || project === undefined) {
    throw new EngineError(
      'notAllowed',
      message`This server has no ${describeLink(link)} that you may see: it is another server, or you are no longer in the team. To end the connection here: recollect team leave`,
    );
  }
  const { role, name } = await server.ownName(link.team.id);
  // What waits was shared under that name.
  if (role !== link.role) {
    throw new EngineError(
      'notAllowed',
      message`The project is connected as ${link.role}, and this is the login ${role}. Use the other one, or leave and connect again: recollect team leave`,
    );
  }
  if (known === 'project') await startOver(ctx, current);
  const departed = (await server.members(link.team.id)).filter(it => it.hasDeparted).map(it => it.role);
  return { name, project, departed };
}

async function fetchRows(
  ctx: Context,
  server: TeamServer,
  { renew, ...linked }: LinkedStore & { readonly renew: () => Promise<void> },
): Promise<void> {
  const { store, link } = linked;
  let { cursor } = (await readServerLink(store)) ?? link;
  for (;;) {
    const rows = await server.pull(link.project.id, cursor, pageSize);
    if (rows.length === 0) return;
    await renew();
    await mirrorRows(ctx, linked, rows);
    cursor = rows.at(-1)!.sequence;
  }
}

async function fetchRefused(ctx: Context, server: TeamServer, linked: LinkedStore): Promise<void> {
  const ids = await readRefusedIds(linked.store, linked.link);
  if (ids.length === 0) return;
  await mirrorRows(ctx, linked, await server.pullAgain(linked.link.project.id, ids.slice(0, pageSize)));
}

function toTeamProject({ name, repository }: ProjectRow): TeamProject {
  return { name, ...(repository === undefined ? {} : { repository }) };
}

function chooseTeam(teams: readonly NamedRow[], wanted: string | undefined): NamedRow {
  const names = teams.map(it => it.name).join(', ');
  if (teams.length === 0) throw notInTeamError();
  const found = wanted === undefined && teams.length === 1 ? teams[0] : teams.find(it => it.name === wanted);
  if (found !== undefined) return found;
  throw new EngineError(
    'invalidInput',
    wanted === undefined
      ? message`You are in several teams: ${names}. Say which: --team NAME`
      : message`You are in no team ${wanted}. There are: ${names}.`,
  );
}

function notInTeamError(): EngineError {
  return new EngineError(
    'notAllowed',
    'You are in no team of this server. Its administrator adds you: recollect team members add LOGIN',
  );
}
