import type { Command } from 'commander';
import type { MemoryEngine } from '../../engine/engine.js';
import { formatMemoryCount } from '../../engine/model/pluralize.js';
import type {
  NewTeamMember,
  RemovedMember,
  TeamConnection,
  TeamMember,
  TeamReadReport,
  TeamSyncReport,
} from '../../engine/model/team.js';
import { confirm, exitCodes, leftOut, print, type ExitCode, type WithEngine } from '../command.js';
import { writeOutputFile } from '../output/outputFile.js';
import { registerTeamMoveCommand } from './teamMove.js';

/** How the lists of `team git read` and `team sync` look. */
export interface ReadOutput {
  readonly describe: (report: TeamReadReport) => readonly string[];
  readonly advise: (report: TeamReadReport) => void;
  /** Notes in the log of reads what a call gave out. */
  readonly note: (activity: MemoryEngine['activity'], via: string, shown: TeamReadReport['changes']) => void;
}

const environmentHelp = `
The server is the one that PGHOST, PGPORT, PGUSER, PGPASSWORD and PGDATABASE name. The connection is encrypted and its
certificate verified, except to this machine; PGSSLROOTCERT names the authority, and PGSSLMODE=disable turns both off.
Nothing of this is kept.`;

/** Sharing through a team's PostgreSQL server. */
export function registerTeamServerCommands(team: Command, withEngine: WithEngine, output: ReadOutput): void {
  team
    .command('init')
    .description('make a team on a PostgreSQL server, as its administrator; makes tables and roles the first time')
    .argument('<name>', 'of the team')
    .addHelpText('after', environmentHelp)
    .action((name: string) => withEngine(({ team: { server } }, json) => init(server, json, name)));
  team
    .command('connect')
    .description('connect this project to the server of your team; shares nothing by itself')
    .argument('[project]', 'its name for the team (default: that of the repository)')
    .option('--team <name>', 'which team, if you are in several')
    .option('--yes', 'connect without asking')
    .addHelpText('after', environmentHelp)
    .action((project: string | undefined, options: ConnectOptions) =>
      withEngine((engine, json) => connect(engine.team, json, project, options)),
    );
  team
    .command('sync')
    .description('send what waits, and take in as notes what others shared')
    .addHelpText('after', environmentHelp)
    .action(() => withEngine((engine, json) => sync(engine, json, output)));
  team
    .command('leave')
    .description('end the connection of this project; what came from the team stays here')
    .option('--yes', 'leave without asking')
    .action((options: { readonly yes?: true }) => withEngine((engine, json) => leave(engine.team, json, options)));
  registerTeamMoveCommand(team, withEngine, environmentHelp);
  registerMemberCommands(team, withEngine);
}

function registerMemberCommands(team: Command, withEngine: WithEngine): void {
  const member = team.command('member').description('who is in a team, for its administrator');
  member
    .command('list', { isDefault: true })
    .description('the members of a team; this is the default')
    .requiredOption('--team <name>', 'which team')
    .addHelpText('after', environmentHelp)
    .action(({ team: name }: { readonly team: string }) =>
      withEngine(async ({ team: { server } }, json) => {
        const members = await server.members(name);
        print(json, members, () => members.map(describeMember));
        return exitCodes.ok;
      }),
    );
  member
    .command('add')
    .description('make a login of the server a member; where there is none, it is made, and its password is shown once')
    .argument('<login>', 'such as ada')
    .requiredOption('--team <name>', 'which team')
    .option('--name <name>', 'what the team reads (default: the login)')
    .addHelpText('after', environmentHelp)
    .action((role: string, { team: name, name: shown }: { readonly team: string; readonly name?: string }) =>
      withEngine(async ({ team: { server } }, json) => {
        const added = await server.addMember({ team: name, role, name: shown ?? role });
        print(json, added, () => describeAdded(added, name));
        return exitCodes.ok;
      }),
    );
  member
    .command('export')
    .description('what a member shares, also a removed one, as JSON lines that recollect import reads')
    .argument('<login>', 'such as ada')
    .requiredOption('--team <name>', 'which team')
    .option('--out <file>', 'a file instead of stdout')
    .addHelpText('after', environmentHelp)
    .action((role: string, { team: name, out }: { readonly team: string; readonly out?: string }) =>
      withEngine(async ({ team: { server } }) => {
        const { memories, lines } = await server.exportMember({ team: name, role });
        if (out === undefined) process.stdout.write(lines.join(''));
        else await writeOutputFile(out, lines);
        console.error(`${formatMemoryCount(memories)} of ${role}.`);
        return exitCodes.ok;
      }),
    );
  member
    .command('remove')
    .description('end a membership at once; what the member shared stays the team’s')
    .argument('<login>', 'such as ada')
    .requiredOption('--team <name>', 'which team')
    .option('--yes', 'remove without asking')
    .addHelpText('after', environmentHelp)
    .action((role: string, { team: name, yes }: { readonly team: string; readonly yes?: true }) =>
      withEngine(async ({ team: { server } }, json) => {
        const isConfirmed = yes === true || (!json && (await confirm(`Take ${role} out of ${name}?`)));
        const removed = isConfirmed ? await server.removeMember({ team: name, role }) : undefined;
        if (json) print(true, { removed: isConfirmed, ...removed }, () => []);
        else console.error(removed === undefined ? 'Nothing was changed.' : describeRemoved(role, name, removed));
        return exitCodes.ok;
      }),
    );
}

interface ConnectOptions {
  readonly team?: string;
  readonly yes?: true;
}

async function init(server: MemoryEngine['team']['server'], json: boolean, name: string): Promise<ExitCode> {
  const result = await server.init(name);
  print(json, { team: name, ...result }, () => [result.isNew ? `made       ${name}` : `known      ${name}`]);
  if (!json) console.error(`Add members: recollect team member add LOGIN --team ${JSON.stringify(name)} --name NAME`);
  return exitCodes.ok;
}

async function connect(
  team: MemoryEngine['team'],
  json: boolean,
  project: string | undefined,
  { team: wanted, yes }: ConnectOptions,
): Promise<ExitCode> {
  const preview = await team.previewConnect({
    ...(project === undefined ? {} : { project }),
    ...(wanted === undefined ? {} : { team: wanted }),
  });
  if (!json) print(false, preview, () => describeConnection(preview));
  const isConfirmed = yes === true || (!json && (await confirm('Connect this project? It shares nothing by itself.')));
  if (isConfirmed) await team.connect(preview);
  if (json) print(true, { connected: isConfirmed, ...preview }, () => []);
  else if (isConfirmed)
    console.error('Connected. Take in what is there: recollect team sync. Share a memory: recollect share ID');
  else console.error('Nothing was changed.');
  return exitCodes.ok;
}

function describeConnection({
  address,
  isEncrypted,
  team,
  project,
  isNewProject,
  name,
  projects,
}: TeamConnection): readonly string[] {
  const others = projects.filter(it => it !== project);
  return [
    `server     ${address}${isEncrypted ? '' : ' (not encrypted)'}`,
    `team       ${team}, where you are ${name}`,
    `project    ${project}${isNewProject ? ' (the team has none of this name yet)' : ''}`,
    ...(isNewProject && others.length > 0 ? [`           the team has: ${others.join(', ')}`] : []),
  ];
}

async function sync(
  { team, activity }: Pick<MemoryEngine, 'team' | 'activity'>,
  json: boolean,
  { describe, advise, note }: ReadOutput,
): Promise<ExitCode> {
  const report = await team.sync();
  note(activity, 'team sync', report.read.changes);
  print(json, report, () => [describeSent(report), ...describe(report.read)]);
  if (!json) advise(report.read);
  if (report.problem === undefined) return leftOut(report.read.refused.length, 'line');
  if (!json) console.error(report.problem);
  return exitCodes.failed;
}

function describeSent({ sent, waiting, isOffline }: TeamSyncReport): string {
  if (isOffline) return `offline    ${waiting} waiting${sent === 0 ? '' : `, ${sent} sent`}`;
  return `sent       ${sent}${waiting === 0 ? '' : `, ${waiting} waiting`}`;
}

async function leave(team: MemoryEngine['team'], json: boolean, { yes }: { readonly yes?: true }): Promise<ExitCode> {
  const { server, folder } = await team.status();
  const waiting = server?.waiting ?? 0;
  const loss = waiting === 0 ? '' : ` ${formatMemoryCount(waiting)} that you shared will not be sent.`;
  const question = `What came from ${folder} stays here, and what you shared stays there (withdraw it before: recollect share --withdraw ID).${loss} Leave it?`;
  const isConfirmed = server === undefined || yes === true || (!json && (await confirm(question)));
  // Where there is no server, this says so.
  if (isConfirmed) await team.leave();
  if (json) print(true, { left: isConfirmed }, () => []);
  else console.error(isConfirmed ? `This project is no longer connected to ${folder}.` : 'Nothing was changed.');
  return exitCodes.ok;
}

function describeMember({ role, name, joinedAt, removedAt }: TeamMember): string {
  const until = removedAt === undefined ? '' : `, removed ${removedAt.slice(0, 10)}`;
  return `${name}  (${role}, since ${joinedAt.slice(0, 10)}${until})`;
}

function describeRemoved(role: string, team: string, { openConnections }: RemovedMember): string {
  const removed = `${role} is no longer in ${team}.`;
  if (openConnections === 0) return removed;
  return `${removed} ${openConnections} of its connections stayed open; a transaction that was under way there still sees the team. A superuser ends them: SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role.replaceAll("'", "''")}';`;
}

function describeAdded({ role, name, password, bypassesSecurity }: NewTeamMember, team: string): readonly string[] {
  return [
    `added      ${name}  (${role}) to ${team}`,
    ...(password === undefined ? [] : [`password   ${password}  (shown once; hand it to ${name} safely)`]),
    ...(bypassesSecurity ? [`careful    ${role} may pass over row-level security and sees every team`] : []),
  ];
}
