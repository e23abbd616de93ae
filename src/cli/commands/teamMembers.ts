import type { Command } from 'commander';
import { formatMemoryCount } from '../../engine/model/pluralize.js';
import type { NewTeamMember, RemovedMember, TeamMember } from '../../engine/model/team.js';
import { confirm, exitCodes, print, type WithEngine } from '../command.js';
import { writeOutputFile } from '../output/outputFile.js';
import { renamed } from './renamed.js';
import { environmentHelp } from './serverHelp.js';

/** A team of a server; the only one where it is not named. */
export interface TeamOption {
  readonly team?: string | undefined;
}

export function addTeamOption(command: Command): Command {
  return command.option('--team <name>', 'which team (default: the only one of the server)');
}

/** Who is in a team. @param name the former one for a release */
export function registerTeamMembers(team: Command, withEngine: WithEngine): void {
  registerGroup(team.command('members'), withEngine);
  const former = team.command('member', { hidden: true });
  renamed(former, 'recollect team members');
  registerGroup(former, withEngine);
}

function registerGroup(member: Command, withEngine: WithEngine): void {
  member.description('who is in a team of a server; adding and removing is for its administrator');
  addTeamOption(member.command('list', { isDefault: true }))
    .description('the members of a team; this is the default')
    .addHelpText('after', environmentHelp)
    .action(({ team: name }: TeamOption) =>
      withEngine(async ({ team: { server } }, json) => {
        const members = await server.members(name);
        print(json, members, () => members.map(describeMember));
        return exitCodes.ok;
      }),
    );
  addTeamOption(member.command('add'))
    .description('make a login of the server a member; where there is none, it is made, and its password is shown once')
    .argument('<login>', 'such as ada')
    .option('--name <name>', 'what the team reads (default: the login)')
    .addHelpText('after', environmentHelp)
    .action((role: string, { team: name, name: shown }: TeamOption & { readonly name?: string }) =>
      withEngine(async ({ team: { server } }, json) => {
        const added = await server.addMember({ team: name, role, name: shown ?? role });
        print(json, added, () => describeAdded(added));
        return exitCodes.ok;
      }),
    );
  addTeamOption(member.command('export'))
    .description('what a member shares, also a removed one, as JSON lines that recollect import reads')
    .argument('<login>', 'such as ada')
    .option('--out <file>', 'a file instead of stdout')
    .addHelpText('after', environmentHelp)
    .action((role: string, { team: name, out }: TeamOption & { readonly out?: string }) =>
      withEngine(async ({ team: { server } }) => {
        const { memories, lines } = await server.exportMember({ team: name, role });
        if (out === undefined) process.stdout.write(lines.join(''));
        else await writeOutputFile(out, lines);
        console.error(`${formatMemoryCount(memories)} of ${role}.`);
        return exitCodes.ok;
      }),
    );
  registerRemoval(member, withEngine);
}

function registerRemoval(member: Command, withEngine: WithEngine): void {
  addTeamOption(member.command('remove'))
    .description('end a membership at once; what the member shared stays the team’s')
    .argument('<login>', 'such as ada')
    .option('--yes', 'remove without asking')
    .addHelpText('after', environmentHelp)
    .action((role: string, { team: name, yes }: TeamOption & { readonly yes?: true }) =>
      withEngine(async ({ team: { server } }, json) => {
        const isConfirmed = yes === true || (!json && (await confirm(`Take ${role} out of ${name ?? 'the team'}?`)));
        const removed = isConfirmed ? await server.removeMember({ team: name, role }) : undefined;
        if (json) print(true, { removed: isConfirmed, ...removed }, () => []);
        else console.error(removed === undefined ? 'Nothing was changed.' : describeRemoved(role, removed));
        return exitCodes.ok;
      }),
    );
}

function describeMember({ role, name, joinedAt, removedAt }: TeamMember): string {
  const until = removedAt === undefined ? '' : `, removed ${removedAt.slice(0, 10)}`;
  return `${name}  (${role}, since ${joinedAt.slice(0, 10)}${until})`;
}

function describeRemoved(role: string, { team, openConnections }: RemovedMember): string {
  const removed = `${role} is no longer in ${team}.`;
  if (openConnections === 0) return removed;
  return `${removed} ${openConnections} of its connections stayed open; a transaction that was under way there still sees the team. A superuser ends them: SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role.replaceAll("'", "''")}';`;
}

function describeAdded({ team, role, name, password, bypassesSecurity, invitation }: NewTeamMember): readonly string[] {
  return [
    `added      ${name}  (${role}) to ${team}`,
    ...(password === undefined ? [] : [`password   ${password}  (shown once; hand it to ${name} safely)`]),
    `invite     recollect team join ${invitation} --team ${JSON.stringify(team)}`,
    ...(bypassesSecurity ? [`careful    ${role} may pass over row-level security and sees every team`] : []),
  ];
}
