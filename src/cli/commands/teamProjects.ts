import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { shortId } from '../../engine/model/memory.js';
import { formatMemoryCount, pluralize } from '../../engine/model/pluralize.js';
import { describeTeamProject, type AdministeredFact, type AdministeredProject } from '../../engine/model/team.js';
import { confirm, exitCodes, print, type ExitCode, type WithEngine } from '../command.js';
import { environmentHelp } from './serverHelp.js';
import { addTeamOption, type TeamOption } from './teamMembers.js';
import { onOneLine } from './teamRead.js';

/** The projects of a team, for the administrator of its server. */
export function registerTeamProjects(team: Command, withEngine: WithEngine): void {
  const projects = team.command('projects').description('the projects of a team on a server, for its administrator');
  addTeamOption(projects.command('list', { isDefault: true }))
    .description('list the projects and how much each holds; this is the default')
    .addHelpText('after', environmentHelp)
    .action((options: TeamOption) =>
      withEngine(async ({ team: { server } }, json) => {
        const listed = await server.projects(options.team);
        print(json, listed, () => listed.map(describeProject));
        if (listed.length === 0) console.error('No member has joined with a project yet.');
        return exitCodes.ok;
      }),
    );
  addTeamOption(projects.command('show'))
    .description('list the memories shared in a project, by whom, with the ids that team withdraw --team takes')
    .argument('<project>', 'its name or its address')
    .option('--by <login>', 'of one member alone, also of a former one')
    .addHelpText('after', environmentHelp)
    .action((project: string, { team: name, by }: TeamOption & { readonly by?: string }) =>
      withEngine(async ({ team: { server } }, json) => {
        const facts = await server.facts({ team: name, project, ...(by === undefined ? {} : { role: by }) });
        print(json, facts, () => facts.map(describeFact));
        if (facts.length === 0) console.error('Nothing is shared in it.');
        return exitCodes.ok;
      }),
    );
  registerChange(projects, withEngine);
  registerRemoval(projects, withEngine);
}

function registerChange(projects: Command, withEngine: WithEngine): void {
  interface Options extends TeamOption {
    readonly name?: string;
    readonly repository?: string;
  }
  addTeamOption(projects.command('change'))
    .description('give a project another name, or another repository, as after it has moved')
    .argument('<project>', 'its name or its address')
    .option('--name <name>', 'the new name')
    .option('--repository <address>', 'the address of its repository now')
    .addHelpText('after', environmentHelp)
    .action((project: string, { team: of, name, repository }: Options) =>
      withEngine(async ({ team: { server } }, json) => {
        if (name === undefined && repository === undefined)
          throw new EngineError('invalidInput', 'Say what is new: --name NAME or --repository ADDRESS.');
        const changed = await server.changeProject({
          ...{ team: of, project },
          ...(name === undefined ? {} : { name }),
          ...(repository === undefined ? {} : { repository }),
        });
        print(json, changed, () => [describeProject(changed)]);
        return exitCodes.ok;
      }),
    );
}

function registerRemoval(projects: Command, withEngine: WithEngine): void {
  addTeamOption(projects.command('remove'))
    .description('delete a project with all that is shared in it; members keep what they took in')
    .argument('<project>', 'its name or its address')
    .option('--yes', 'delete without asking')
    .addHelpText('after', environmentHelp)
    .action((project: string, { team: name, yes }: TeamOption & { readonly yes?: true }) =>
      withEngine(async ({ team: { server } }, json) => {
        const { length: facts } = await server.facts({ team: name, project });
        const question = `Delete ${project} with ${pluralize(facts, 'shared memory', 'shared memories')}? There is no way back.`;
        const isConfirmed = yes === true || (!json && (await confirm(question)));
        if (isConfirmed) await server.removeProject({ team: name, project, expected: facts });
        if (json) print(true, { removed: isConfirmed, facts }, () => []);
        else console.error(isConfirmed ? `${project} is deleted.` : 'Nothing was changed.');
        return exitCodes.ok;
      }),
    );
}

/**
 * Takes from a team's server what any member shared, for its administrator.
 * @param by a login, for all that one member shared
 */
export async function withdrawAsAdministrator(
  { team: { server }, activity }: Pick<MemoryEngine, 'team' | 'activity'>,
  json: boolean,
  references: readonly string[],
  {
    team,
    by,
    yes,
    dryRun,
  }: {
    readonly team: string;
    readonly by: string | undefined;
    readonly yes?: true;
    readonly dryRun?: true;
  },
): Promise<ExitCode> {
  if (references.length === 0 && by === undefined)
    throw new EngineError('invalidInput', 'Say which memories: their ids, or --by LOGIN for all of one member.');
  const role = by === undefined ? {} : { role: by };
  const facts = await server.facts({ team, ...role, ...(references.length === 0 ? {} : { references }) });
  activity.noteCall('team withdraw', facts);
  if (!json) print(false, facts, () => facts.map(it => `- ${describeFact(it)}`));
  const isConfirmed = await isWanted(facts, { json, isDryRun: dryRun === true, isSure: yes === true });
  const withdrawn = isConfirmed ? await server.withdraw(facts) : 0;
  if (json) print(true, { withdrawn, facts }, () => []);
  else if (facts.length === 0) console.error('Nothing is shared by that login.');
  else if (dryRun === true) console.error('This was a dry run: nothing was changed.');
  else if (!isConfirmed) console.error('Nothing was changed.');
  else
    console.error(
      `${formatMemoryCount(withdrawn)} withdrawn. Members put them away at their next sync; who confirmed one is asked.`,
    );
  return exitCodes.ok;
}

async function isWanted(
  facts: readonly AdministeredFact[],
  { json, isDryRun, isSure }: { readonly json: boolean; readonly isDryRun: boolean; readonly isSure: boolean },
): Promise<boolean> {
  if (facts.length === 0 || isDryRun) return false;
  const question = `Take ${formatMemoryCount(facts.length)} from the server? Backups of it, and members who confirmed one, keep it.`;
  return isSure || (!json && (await confirm(question)));
}

function describeProject(project: AdministeredProject): string {
  const { facts, authors, changedAt } = project;
  const count = facts === 0 ? 'nothing shared' : `${formatMemoryCount(facts)} by ${pluralize(authors, 'member')}`;
  return `${describeTeamProject(project)}  ${count}${changedAt === undefined ? '' : `, last on ${changedAt.slice(0, 10)}`}`;
}

function describeFact({ id, content, by, role, project, sharedAt }: AdministeredFact): string {
  return `#${shortId({ id })}  ${onOneLine(content)}  (${by}, login ${role}, in ${project} on ${sharedAt.slice(0, 10)})`;
}
