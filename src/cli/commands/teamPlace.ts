import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { formatMemoryCount, pluralize } from '../../engine/model/pluralize.js';
import {
  describeTeamProject,
  type TeamConnection,
  type TeamJoin,
  type TeamProject,
  type TeamSyncReport,
} from '../../engine/model/team.js';
import { confirm, exitCodes, print, type ExitCode, type WithEngine } from '../command.js';
import { renamed } from './renamed.js';
import { environmentHelp } from './serverHelp.js';
import { registerTeamMoveCommand } from './storeMove.js';
import { adviseAfterRead, commitCommand, describeRead, noteShown } from './teamRead.js';
import { addWriteOptions, describeAddition, type WriteOptions } from './teamShare.js';

type Team = MemoryEngine['team'];
type TeamEngine = Pick<MemoryEngine, 'team' | 'activity'>;

interface JoinOptions {
  readonly team?: string;
  readonly yes?: true;
}

/** Choosing the place where a team shares, joining and leaving it, and bringing it up to date. */
export function registerTeamPlace(team: Command, withEngine: WithEngine): void {
  interface InitOptions extends WriteOptions {
    readonly server?: string;
    readonly folder?: string;
  }
  const init = team
    .command('init')
    .description('make the place where a team shares: a folder of this repository, or a team on a PostgreSQL server')
    .argument('[name]', 'the former way to name a team of a server')
    .option('--folder <folder>', 'another folder of the repository (default: .recollect/team)')
    .option('--server <name>', 'a team of this name on a server, as its administrator')
    .addHelpText('after', environmentHelp);
  addWriteOptions(init).action((name: string | undefined, { server = name, folder, ...options }: InitOptions) =>
    withEngine((engine, json) => {
      if (name !== undefined) console.error('A team of a server is named in another way now: --server NAME');
      return server === undefined
        ? initFolder(engine.team, json, folder, options)
        : initServer(engine.team.server, json, server);
    }),
  );
  registerJoin(team.command('join'), withEngine, joinTeam);
  team
    .command('leave')
    .description('end taking part: nothing more is read or sent; what came stays here')
    .option('--yes', 'leave without asking')
    .action((options: { readonly yes?: true }) => withEngine((engine, json) => leave(engine.team, json, options)));
  registerSync(team.command('sync'), withEngine);
  registerFormerNames(team, withEngine);
}

function registerJoin(command: Command, withEngine: WithEngine, join: typeof joinTeam): Command {
  return command
    .description("read from now on what others share: in this repository's folder, or on the server of your team")
    .argument(
      '[project]',
      'of a server: its name, the address of its repository (default: the remote of this one), or an invitation',
    )
    .option('--team <name>', 'of a server: which team, if you are in several')
    .option('--yes', 'join without asking')
    .addHelpText('after', environmentHelp)
    .action((project: string | undefined, options: JoinOptions) =>
      withEngine((engine, json) => join(engine, json, project, options)),
    );
}

function registerSync(command: Command, withEngine: WithEngine): Command {
  return command
    .description('read now what others share, which happens by itself too, and send what waits for a server')
    .addHelpText('after', environmentHelp)
    .action(() => withEngine(sync));
}

function registerFormerNames(team: Command, withEngine: WithEngine): void {
  const git = team.command('git', { hidden: true }).description('former names of commands');
  const init = git.command('init').argument('[folder]').description('now: recollect team init');
  addWriteOptions(init).action((folder: string | undefined, options: WriteOptions) =>
    withEngine(({ team }, json) => initFolder(team, json, folder, options)),
  );
  renamed(init, 'recollect team init');
  renamed(registerSync(git.command('read'), withEngine), 'recollect team sync');
  renamed(registerJoin(team.command('connect', { hidden: true }), withEngine, joinServer), 'recollect team join');
  renamed(registerTeamMoveCommand(team.command('move', { hidden: true }), withEngine), 'recollect store move');
}

async function initFolder(
  team: Team,
  json: boolean,
  folder: string | undefined,
  { dryRun, yes, commit }: WriteOptions,
): Promise<ExitCode> {
  const preview = await team.previewInit(folder);
  const { changes, isIgnored } = preview;
  if (!json) print(false, preview, () => changes.flatMap(it => [it.file, ...describeAddition(it)]));
  const question = `Write ${pluralize(changes.length, 'file')} into ${preview.folder}?`;
  const isConfirmed = dryRun !== true && (changes.length === 0 || yes === true || (!json && (await confirm(question))));
  if (isConfirmed) await team.init(preview);
  const isCommitted = isConfirmed && commit === true && changes.length > 0;
  if (isCommitted) await team.commit('Folder for shared memories');
  if (json) print(true, { written: isConfirmed && changes.length > 0, ...preview }, () => []);
  else if (dryRun === true) console.error('This was a dry run: nothing was written.');
  else if (!isConfirmed) console.error('Nothing was written.');
  else console.error(describeInit(preview.folder, { isNew: changes.length > 0, isCommitted }));
  if (isIgnored)
    console.error(`Git ignores ${preview.folder}: take it out of .gitignore, or nothing in it reaches your team.`);
  return exitCodes.ok;
}

function describeInit(
  folder: string,
  { isNew, isCommitted }: { readonly isNew: boolean; readonly isCommitted: boolean },
): string {
  const state = isCommitted
    ? `The folder ${folder} is there, and committed. To send it: git push.`
    : isNew
      ? `The folder ${folder} is there. To send it: ${commitCommand(folder)}`
      : `The folder ${folder} was there, and is used here.`;
  return `${state}\nShare a memory: recollect team share ID. The others run once, in their clone: recollect team join`;
}

async function initServer(server: Team['server'], json: boolean, name: string): Promise<ExitCode> {
  const result = await server.init(name);
  print(json, { team: name, ...result }, () => [result.isNew ? `made       ${name}` : `known      ${name}`]);
  if (!json) console.error(`Add members: recollect team members add LOGIN --team ${JSON.stringify(name)} --name NAME`);
  return exitCodes.ok;
}

/** The folder of the repository, where it has one and no name says that a server is meant. */
async function joinTeam(
  engine: TeamEngine,
  json: boolean,
  project: string | undefined,
  options: JoinOptions,
): Promise<ExitCode> {
  if (project !== undefined && /^postgres(?:ql)?:\/\//iu.test(project)) {
    useInvitation(project);
    return joinServer(engine, json, undefined, options);
  }
  const isServer = project !== undefined || options.team !== undefined;
  const offer = isServer ? undefined : await engine.team.arrival.previewJoin();
  if (offer?.exists === true) return joinFolder(engine, json, offer, options);
  if (offer !== undefined && process.env.PGHOST === undefined)
    throw new EngineError(
      'invalidInput',
      `This repository has no folder ${offer.folder} yet, and PGHOST names no server. Pull what your team pushed; the first of you makes the folder: recollect team init`,
    );
  return joinServer(engine, json, project, options);
}

/** Takes the server and the login of an invitation for this command; a password is the environment's or `~/.pgpass`. */
function useInvitation(invitation: string): void {
  if (!URL.canParse(invitation)) throw new EngineError('invalidInput', 'The invitation is no address of a server.');
  const { hostname, port, username, pathname, password } = new URL(invitation);
  if (password !== '')
    throw new EngineError(
      'invalidInput',
      'An invitation holds no password: other users of this machine see it in the list of processes. Set PGPASSWORD, or use ~/.pgpass.',
    );
  const settings = {
    PGHOST: hostname.replaceAll(/^\[|\]$/gu, ''),
    PGPORT: port === '' ? '5432' : port,
    PGUSER: decodeURIComponent(username),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  };
  Object.assign(process.env, settings);
  const list = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  console.error(`Every later command, and your assistants, need this in their environment: ${list.join(' ')}`);
}

async function joinFolder(engine: TeamEngine, json: boolean, offer: TeamJoin, { yes }: JoinOptions): Promise<ExitCode> {
  const { team } = engine;
  if (!json) print(false, offer, () => [describeOffer(offer)]);
  const question = 'Read what they share from now on, whenever it changes? Each becomes a note that you may confirm.';
  const isConfirmed = offer.isJoined || yes === true || (!json && (await confirm(question)));
  if (isConfirmed) await team.arrival.join();
  if (json) print(true, { ...offer, isJoined: isConfirmed }, () => []);
  if (!isConfirmed) console.error('Nothing was changed, and nothing was read.');
  return isConfirmed && !json ? readFolder(engine, json) : exitCodes.ok;
}

function describeOffer({ folder, files, authors }: TeamJoin): string {
  const names =
    authors.length === 0 ? 'no commit yet' : `${pluralize(authors.length, 'author')}: ${authors.join(', ')}`;
  return `${folder}  ${pluralize(files, 'file')}, by ${names}`;
}

async function joinServer(
  engine: TeamEngine,
  json: boolean,
  project: string | undefined,
  { team: wanted, yes }: JoinOptions,
): Promise<ExitCode> {
  const { team } = engine;
  const preview = await team.previewConnect({
    ...(project === undefined ? {} : { project }),
    ...(wanted === undefined ? {} : { team: wanted }),
  });
  if (!json) print(false, preview, () => describeConnection(preview));
  const isConfirmed = yes === true || (!json && (await confirm('Connect this project? It shares nothing by itself.')));
  if (isConfirmed) await team.connect(preview);
  if (json) print(true, { connected: isConfirmed, ...preview }, () => []);
  else console.error(isConfirmed ? 'Connected. Share a memory: recollect team share ID' : 'Nothing was changed.');
  return isConfirmed && !json ? sync(engine, json) : exitCodes.ok;
}

function describeConnection({
  address,
  isEncrypted,
  team,
  project,
  repository,
  isNewProject,
  namesRepository,
  namesakes,
  name,
  projects,
}: TeamConnection): readonly string[] {
  const known = repository ?? 'no remote: known to the team by this name alone';
  const state = isNewProject ? ', new to the team' : namesRepository ? ', which the team learns now' : '';
  const others = projects.filter(it => it.name !== project).map(describeTeamProject);
  return [
    `server     ${address}${isEncrypted ? '' : ' (not encrypted)'}`,
    `team       ${team}, where you are ${name}`,
    `project    ${project}  (${known}${state})`,
    ...namesakes.map(it => `not        ${describeNamesake(it)}`),
    ...(isNewProject && others.length > 0
      ? [`           the team has: ${others.join(', ')}; to use one of them: recollect team join NAME`]
      : []),
  ];
}

/** Another project of the name, and how to choose it. */
function describeNamesake(it: TeamProject): string {
  return `${describeTeamProject(it)}, another project; to join that one: recollect team join ${it.repository ?? it.name}`;
}

async function sync(engine: TeamEngine, json: boolean): Promise<ExitCode> {
  const { team, activity } = engine;
  if ((await team.serverStatus()) === undefined) return readFolder(engine, json);
  const report = await team.sync();
  noteShown(activity, 'team sync', report.read.changes);
  print(json, report, () => [describeSent(report), ...describeRead(report.read)]);
  if (!json) adviseAfterRead(report.read);
  if (!json && report.clock !== undefined) console.error(report.clock);
  if (report.problem === undefined) return exitCodes.ok;
  if (!json) console.error(report.problem);
  return exitCodes.failed;
}

/** Lines that cannot be read are named, and are no failure: another member wrote them, and they stay in the folder. */
async function readFolder({ team, activity }: TeamEngine, json: boolean): Promise<ExitCode> {
  const isShown = !json && process.stderr.isTTY;
  const report = await team.arrival.read(left => {
    if (isShown) process.stderr.write(`\r${pluralize(left, 'shared fact')} to read${left === 0 ? '\n' : '   '}`);
  });
  noteShown(activity, 'team sync', report.changes);
  print(json, report, () => describeRead(report));
  if (!json) adviseAfterRead(report);
  if (!json && report.clock !== undefined) console.error(report.clock);
  return exitCodes.ok;
}

function describeSent({ sent, waiting, isOffline }: TeamSyncReport): string {
  if (isOffline) return `offline    ${waiting} waiting${sent === 0 ? '' : `, ${sent} sent`}`;
  return `sent       ${sent}${waiting === 0 ? '' : `, ${waiting} waiting`}`;
}

async function leave(team: Team, json: boolean, { yes }: { readonly yes?: true }): Promise<ExitCode> {
  const { server, folder, isJoined } = await team.status();
  if (server === undefined && !isJoined)
    throw new EngineError('invalidInput', 'This project takes part in no team. To join one: recollect team join');
  const waiting = server?.waiting ?? 0;
  const loss = waiting === 0 ? '' : ` ${formatMemoryCount(waiting)} that you shared will not be sent.`;
  const question = `What came from ${folder} stays here, and what you shared stays there (withdraw it before: recollect team withdraw ID).${loss} Leave it?`;
  const isConfirmed = yes === true || (!json && (await confirm(question)));
  if (isConfirmed) await (server === undefined ? team.arrival.leave() : team.leave());
  if (json) print(true, { left: isConfirmed }, () => []);
  else if (!isConfirmed) console.error('Nothing was changed.');
  else if (server === undefined) console.error(`Nothing more is read from ${folder}.`);
  else console.error(`This project is no longer connected to ${folder}.`);
  return exitCodes.ok;
}
