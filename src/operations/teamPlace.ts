import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { formatMemoryCount, pluralize } from '../engine/model/pluralize.js';
import {
  describeTeamProject,
  type TeamConnection,
  type TeamJoin,
  type TeamProject,
  type TeamSyncReport,
} from '../engine/model/team.js';
import {
  agrees,
  argument,
  definePersonCommand,
  flag,
  option,
  type CommandAnswer,
  type CommandCaller,
  type CommandGroup,
  type PersonCommand,
} from './personCommand.js';
import { environmentHelp as help } from './serverHelp.js';
import { formerMoveCommand } from './storeMove.js';
import { adviceAfterRead, commitCommand, describeRead, noteShown } from './teamRead.js';
import { describeAddition, writeOptions, type WriteOptions } from './teamShare.js';

type Team = MemoryEngine['team'];
type TeamEngine = Pick<MemoryEngine, 'team' | 'activity'>;

const text = z.string().exactOptional();

const initCommand = definePersonCommand({
  name: 'team init',
  description: 'make the place where a team shares: a folder of this repository, or a team on a PostgreSQL server',
  help,
  input: z.strictObject({
    name: argument('[name]', text, 'the former way to name a team of a server'),
    folder: option('--folder <folder>', text, 'another folder of the repository (default: .recollect/team)'),
    server: option('--server <name>', text, 'a team of this name on a server, as its administrator'),
    ...writeOptions,
  }),
  run({ team }, { name, server = name, folder, ...options }, caller) {
    if (server === undefined) return initFolder(team, folder, options, caller);
    const former = name === undefined ? [] : ['A team of a server is named in another way now: --server NAME'];
    return initServer(team.server, server, former);
  },
});

const joinInput = z.strictObject({
  project: argument(
    '[project]',
    text,
    'of a server: its name, the address of its repository (default: the remote of this one), or an invitation',
  ),
  team: option('--team <name>', text, 'of a server: which team, if you are in several'),
  yes: option('--yes', flag, 'join without asking'),
});
type JoinInput = z.infer<typeof joinInput>;

const joinCommand = definePersonCommand({
  name: 'team join',
  description: "read from now on what others share: in this repository's folder, or on the server of your team",
  help,
  input: joinInput,
  run: joinTeam,
});

const leaveCommand = definePersonCommand({
  name: 'team leave',
  description: 'end taking part: nothing more is read or sent; what came stays here',
  input: z.strictObject({ yes: option('--yes', flag, 'leave without asking') }),
  run: leave,
});

const syncCommand = definePersonCommand({
  name: 'team sync',
  description: 'read now what others share, which happens by itself too, and send what waits for a server',
  help,
  input: z.strictObject({}),
  run: (engine, _input, caller) => sync(engine, caller),
});

/** Choosing the place where a team shares, joining and leaving it, and bringing it up to date; with former names for a release. */
export const teamPlaceCommands: readonly (PersonCommand | CommandGroup)[] = [
  initCommand,
  joinCommand,
  leaveCommand,
  syncCommand,
  { name: 'team git', description: 'former names of commands', now: 'recollect team' },
  definePersonCommand({
    name: 'team git init',
    now: 'recollect team init',
    description: 'now: recollect team init',
    input: z.strictObject({ folder: argument('[folder]', text, ''), ...writeOptions }),
    run: ({ team }, { folder, ...options }, caller) => initFolder(team, folder, options, caller),
  }),
  { ...syncCommand, name: 'team git read', now: 'recollect team sync' },
  definePersonCommand({
    ...{ name: 'team connect', now: 'recollect team join', description: joinCommand.description, help },
    input: joinInput,
    run: joinServer,
  }),
  formerMoveCommand,
];

async function initFolder(
  team: Team,
  folder: string | undefined,
  { dryRun, yes, commit }: WriteOptions,
  caller: CommandCaller,
): Promise<CommandAnswer> {
  const preview = await team.previewInit(folder);
  const { changes, isIgnored } = preview;
  caller.show(changes.flatMap(it => [it.file, ...describeAddition(it)]));
  const isNew = changes.length > 0;
  const question = `Write ${pluralize(changes.length, 'file')} into ${preview.folder}?`;
  const isConfirmed = dryRun !== true && (!isNew || (await agrees(caller, yes, question)));
  if (isConfirmed) await team.init(preview);
  const isCommitted = isConfirmed && commit === true && isNew;
  if (isCommitted) await team.commit('Folder for shared memories');
  const none = dryRun === true ? 'This was a dry run: nothing was written.' : 'Nothing was written.';
  const ignored = `Git ignores ${preview.folder}: take it out of .gitignore, or nothing in it reaches your team.`;
  return {
    output: { written: isConfirmed && isNew, ...preview },
    lines: [],
    hints: [isConfirmed ? describeInit(preview.folder, { isNew, isCommitted }) : none],
    remarks: isIgnored ? [ignored] : [],
  };
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

async function initServer(server: Team['server'], name: string, remarks: readonly string[]): Promise<CommandAnswer> {
  const result = await server.init(name);
  return {
    output: { team: name, ...result },
    lines: [result.isNew ? `made       ${name}` : `known      ${name}`],
    hints: [`Add members: recollect team members add LOGIN --team ${JSON.stringify(name)} --name NAME`],
    remarks,
  };
}

/** The folder of the repository, where it has one and no name says that a server is meant. */
async function joinTeam(engine: TeamEngine, input: JoinInput, caller: CommandCaller): Promise<CommandAnswer> {
  const { project, team, yes } = input;
  if (project !== undefined && /^postgres(?:ql)?:\/\//iu.test(project)) {
    caller.say([useInvitation(project)]);
    const { project: _, ...rest } = input;
    return joinServer(engine, rest, caller);
  }
  const isServer = project !== undefined || team !== undefined;
  const offer = isServer ? undefined : await engine.team.arrival.previewJoin();
  if (offer?.exists === true) return joinFolder(engine, offer, yes, caller);
  if (offer !== undefined && process.env.PGHOST === undefined)
    throw new EngineError(
      'invalidInput',
      `This repository has no folder ${offer.folder} yet, and PGHOST names no server. Pull what your team pushed; the first of you makes the folder: recollect team init`,
    );
  return joinServer(engine, input, caller);
}

/** Takes the server and the login of an invitation for this command; a password is the environment's or `~/.pgpass`. */
function useInvitation(invitation: string): string {
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
  return `Every later command, and your assistants, need this in their environment: ${list.join(' ')}`;
}

async function joinFolder(
  engine: TeamEngine,
  offer: TeamJoin,
  yes: true | undefined,
  caller: CommandCaller,
): Promise<CommandAnswer> {
  const { team } = engine;
  caller.show([describeOffer(offer)]);
  const question = 'Read what they share from now on, whenever it changes? Each becomes a note that you may confirm.';
  const isJoined = offer.isJoined || (await agrees(caller, yes, question));
  if (isJoined) await team.arrival.join();
  if (isJoined && !caller.isJson) return readFolder(engine, caller);
  const remarks = isJoined ? [] : ['Nothing was changed, and nothing was read.'];
  return { output: { ...offer, isJoined }, lines: [], remarks };
}

function describeOffer({ folder, files, authors }: TeamJoin): string {
  const names =
    authors.length === 0 ? 'no commit yet' : `${pluralize(authors.length, 'author')}: ${authors.join(', ')}`;
  return `${folder}  ${pluralize(files, 'file')}, by ${names}`;
}

async function joinServer(
  engine: TeamEngine,
  { yes, ...named }: JoinInput,
  caller: CommandCaller,
): Promise<CommandAnswer> {
  const { team } = engine;
  const preview = await team.previewConnect(named);
  caller.show(describeConnection(preview));
  const connected = await agrees(caller, yes, 'Connect this project? It shares nothing by itself.');
  if (connected) await team.connect(preview);
  if (!connected || caller.isJson)
    return { output: { connected, ...preview }, lines: [], hints: connected ? [] : ['Nothing was changed.'] };
  caller.say(['Connected. Share a memory: recollect team share ID']);
  return sync(engine, caller);
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

async function sync(engine: TeamEngine, caller: CommandCaller): Promise<CommandAnswer> {
  const { team, activity } = engine;
  if ((await team.serverStatus()) === undefined) return readFolder(engine, caller);
  const report = await team.sync();
  const { read, clock, problem } = report;
  noteShown(activity, 'team sync', read.changes);
  return {
    output: report,
    lines: [describeSent(report), ...describeRead(read)],
    hints: [...adviceAfterRead(read), ...[clock, problem].filter(it => it !== undefined)],
    ending: problem === undefined ? 'done' : 'failed',
  };
}

/** Lines that cannot be read are named, and are no failure: another member wrote them, and they stay in the folder. */
async function readFolder({ team, activity }: TeamEngine, caller: CommandCaller): Promise<CommandAnswer> {
  const report = await team.arrival.read(left => {
    caller.showProgress(`${pluralize(left, 'shared fact')} to read   `, left === 0);
  });
  noteShown(activity, 'team sync', report.changes);
  return {
    output: report,
    lines: describeRead(report),
    hints: [...adviceAfterRead(report), ...(report.clock === undefined ? [] : [report.clock])],
  };
}

function describeSent({ sent, waiting, isOffline }: TeamSyncReport): string {
  if (isOffline) return `offline    ${waiting} waiting${sent === 0 ? '' : `, ${sent} sent`}`;
  return `sent       ${sent}${waiting === 0 ? '' : `, ${waiting} waiting`}`;
}

async function leave(
  { team }: TeamEngine,
  { yes }: { readonly yes?: true },
  caller: CommandCaller,
): Promise<CommandAnswer> {
  const { server, folder, isJoined } = await team.status();
  if (server === undefined && !isJoined)
    throw new EngineError('invalidInput', 'This project takes part in no team. To join one: recollect team join');
  const waiting = server?.waiting ?? 0;
  const loss = waiting === 0 ? '' : ` ${formatMemoryCount(waiting)} that you shared will not be sent.`;
  const question = `What came from ${folder} stays here, and what you shared stays there (withdraw it before: recollect team withdraw ID).${loss} Leave it?`;
  const left = await agrees(caller, yes, question);
  if (left) await (server === undefined ? team.arrival.leave() : team.leave());
  const done =
    server === undefined ? `Nothing more is read from ${folder}.` : `This project is no longer connected to ${folder}.`;
  return { output: { left }, lines: [], hints: [left ? done : 'Nothing was changed.'] };
}
