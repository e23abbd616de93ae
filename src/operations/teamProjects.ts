import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { shortId } from '../engine/model/memory.js';
import { formatMemoryCount, pluralize } from '../engine/model/pluralize.js';
import { describeTeamProject, type AdministeredFact, type AdministeredProject } from '../engine/model/team.js';
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
import { teamOption } from './teamMembers.js';
import { onOneLine } from './teamRead.js';

const projectArgument = argument('<project>', z.string(), 'its name or its address');
const text = z.string().exactOptional();

/** The projects of a team, for the administrator of its server. */
export const teamProjectCommands: readonly (PersonCommand | CommandGroup)[] = [
  { name: 'team projects', description: 'the projects of a team on a server, for its administrator' },
  definePersonCommand({
    name: 'team projects list',
    isDefault: true,
    description: 'list the projects and how much each holds; this is the default',
    help,
    input: z.strictObject({ team: teamOption }),
    async run({ team: { server } }, { team }) {
      const listed = await server.projects(team);
      const remarks = listed.length === 0 ? ['No member has joined with a project yet.'] : [];
      return { output: listed, lines: listed.map(describeProject), remarks };
    },
  }),
  definePersonCommand({
    name: 'team projects show',
    description: 'list the memories shared in a project, by whom, with the ids that team withdraw --team takes',
    help,
    input: z.strictObject({
      team: teamOption,
      project: projectArgument,
      role: option('--by <login>', text, 'of one member alone, also of a former one'),
    }),
    async run({ team: { server } }, input) {
      const facts = await server.facts(input);
      const remarks = facts.length === 0 ? ['Nothing is shared in it.'] : [];
      return { output: facts, lines: facts.map(describeFact), remarks };
    },
  }),
  definePersonCommand({
    name: 'team projects change',
    description: 'give a project another name, or another repository, as after it has moved',
    help,
    input: z.strictObject({
      team: teamOption,
      project: projectArgument,
      name: option('--name <name>', text, 'the new name'),
      repository: option('--repository <address>', text, 'the address of its repository now'),
    }),
    async run({ team: { server } }, input) {
      if (input.name === undefined && input.repository === undefined)
        throw new EngineError('invalidInput', 'Say what is new: --name NAME or --repository ADDRESS.');
      const changed = await server.changeProject(input);
      return { output: changed, lines: [describeProject(changed)] };
    },
  }),
  definePersonCommand({
    name: 'team projects remove',
    description: 'delete a project with all that is shared in it; members keep what they took in',
    help,
    input: z.strictObject({
      team: teamOption,
      project: projectArgument,
      yes: option('--yes', flag, 'delete without asking'),
    }),
    async run({ team: { server } }, { yes, ...named }, caller) {
      const { length: facts } = await server.facts(named);
      const question = `Delete ${named.project} with ${pluralize(facts, 'shared memory', 'shared memories')}? There is no way back.`;
      const removed = await agrees(caller, yes, question);
      if (removed) await server.removeProject({ ...named, expected: facts });
      const hint = removed ? `${named.project} is deleted.` : 'Nothing was changed.';
      return { output: { removed, facts }, lines: [], hints: [hint] };
    },
  }),
];

/** Memories that an administrator takes from a team's server. */
interface AdministeredWithdrawal {
  readonly team: string;
  readonly references: readonly string[];
  /** A login, for all that one member shared. */
  readonly by: string | undefined;
  readonly yes?: true;
  readonly dryRun?: true;
}

/** Takes from a team's server what any member shared, for its administrator. */
export async function withdrawAsAdministrator(
  { team: { server }, activity }: Pick<MemoryEngine, 'team' | 'activity'>,
  { team, references, by, yes, dryRun }: AdministeredWithdrawal,
  caller: CommandCaller,
): Promise<CommandAnswer> {
  if (references.length === 0 && by === undefined)
    throw new EngineError('invalidInput', 'Say which memories: their ids, or --by LOGIN for all of one member.');
  const role = by === undefined ? {} : { role: by };
  const facts = await server.facts({ team, ...role, ...(references.length === 0 ? {} : { references }) });
  activity.noteCall('team withdraw', facts);
  caller.show(facts.map(it => `- ${describeFact(it)}`));
  const question = `Take ${formatMemoryCount(facts.length)} from the server? Backups of it, and members who confirmed one, keep it.`;
  const isWanted = facts.length > 0 && dryRun !== true && (await agrees(caller, yes, question));
  const withdrawn = isWanted ? await server.withdraw(facts) : 0;
  const done = `${formatMemoryCount(withdrawn)} withdrawn. Members put them away at their next sync; who confirmed one is asked.`;
  const none = dryRun === true ? 'This was a dry run: nothing was changed.' : 'Nothing was changed.';
  const hint = facts.length === 0 ? 'Nothing is shared by that login.' : isWanted ? done : none;
  return { output: { withdrawn, facts }, lines: [], hints: [hint] };
}

function describeProject(project: AdministeredProject): string {
  const { facts, authors, changedAt } = project;
  const count = facts === 0 ? 'nothing shared' : `${formatMemoryCount(facts)} by ${pluralize(authors, 'member')}`;
  return `${describeTeamProject(project)}  ${count}${changedAt === undefined ? '' : `, last on ${changedAt.slice(0, 10)}`}`;
}

function describeFact({ id, content, by, role, project, sharedAt }: AdministeredFact): string {
  return `#${shortId({ id })}  ${onOneLine(content)}  (${by}, login ${role}, in ${project} on ${sharedAt.slice(0, 10)})`;
}
