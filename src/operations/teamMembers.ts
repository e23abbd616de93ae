import { z } from 'zod';
import { formatMemoryCount } from '../engine/model/pluralize.js';
import type { NewTeamMember, RemovedMember, TeamMember } from '../engine/model/team.js';
import {
  agrees,
  argument,
  definePersonCommand,
  flag,
  option,
  written,
  type CommandGroup,
  type PersonCommand,
} from './personCommand.js';
import { environmentHelp as help } from './serverHelp.js';

/** A team of a server. */
export const teamOption = option(
  '--team <name>',
  z.string().exactOptional(),
  'which team (default: the only one of the server)',
);
const login = argument('<login>', z.string(), 'such as ada');

const membersGroup: CommandGroup = {
  name: 'team members',
  description: 'who is in a team of a server; adding and removing is for its administrator',
};

const commands: readonly PersonCommand[] = [
  definePersonCommand({
    name: 'team members list',
    isDefault: true,
    description: 'the members of a team; this is the default',
    help,
    input: z.strictObject({ team: teamOption }),
    async run({ team: { server } }, { team }) {
      const members = await server.members(team);
      return { output: members, lines: members.map(describeMember) };
    },
  }),
  definePersonCommand({
    name: 'team members add',
    description: 'make a login of the server a member; where there is none, it is made, and its password is shown once',
    help,
    input: z.strictObject({
      team: teamOption,
      role: login,
      name: option('--name <name>', z.string().exactOptional(), 'what the team reads (default: the login)'),
    }),
    async run({ team: { server } }, { team, role, name = role }) {
      const added = await server.addMember({ team, role, name });
      return { output: added, lines: describeAdded(added) };
    },
  }),
  definePersonCommand({
    name: 'team members export',
    description: 'what a member shares, also a removed one, as JSON lines that recollect import reads',
    help,
    input: z.strictObject({
      team: teamOption,
      role: login,
      out: option('--out <file>', z.string().exactOptional(), 'a file instead of stdout'),
    }),
    async run({ team: { server } }, { team, role, out }, caller) {
      const { memories, lines } = await server.exportMember({ team, role });
      await caller.write(out, lines);
      return written(`${formatMemoryCount(memories)} of ${role}.`);
    },
  }),
  definePersonCommand({
    name: 'team members remove',
    description: 'end a membership at once; what the member shared stays the team’s',
    help,
    input: z.strictObject({ team: teamOption, role: login, yes: option('--yes', flag, 'remove without asking') }),
    async run({ team: { server } }, { team, role, yes }, caller) {
      const isConfirmed = await agrees(caller, yes, `Take ${role} out of ${team ?? 'the team'}?`);
      const removed = isConfirmed ? await server.removeMember({ team, role }) : undefined;
      return {
        output: { removed: isConfirmed, ...removed },
        lines: [],
        hints: [removed === undefined ? 'Nothing was changed.' : describeRemoved(role, removed)],
      };
    },
  }),
];

/** Under the former name of the group for a release. */
export const teamMemberCommands: readonly (PersonCommand | CommandGroup)[] = [
  membersGroup,
  ...commands,
  { ...membersGroup, name: 'team member', now: 'recollect team members' },
  ...commands.map(it => ({ ...it, name: it.name.replace('members', 'member') })),
];

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
