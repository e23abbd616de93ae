import { Option, type Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { storeKinds, type Memory, type StoreKind } from '../../engine/model/memory.js';
import type { CountedProject, ProjectLikeness, ProjectNotice, ProjectStatus } from '../../engine/model/project.js';
import { exitCodes, print, type WithEngine } from '../command.js';
import { formatMemoryLine } from '../output/describeMemory.js';

/** Whose memory a folder uses, and where a memory belongs. */
export function registerProjectCommands(program: Command, withEngine: WithEngine): void {
  const project = program.command('project').description('show or change which memory this folder uses');
  project
    .command('status', { isDefault: true })
    .description('show the project of this folder, and others that it looks like')
    .action(() =>
      withEngine(async (engine, json) => {
        const statuses = await engine.projects.status();
        if (statuses.length === 0)
          throw new EngineError('invalidInput', 'There is no project here. Name one: --project FOLDER.');
        print(json, statuses, () => statuses.flatMap(describeStatus));
        return exitCodes.ok;
      }),
    );
  project
    .command('list')
    .description('list every project with a memory on this machine')
    .action(() =>
      withEngine(async (engine, json) => {
        const projects = await engine.projects.list();
        print(json, projects, () => projects.map(describeProject));
        return exitCodes.ok;
      }),
    );
  project
    .command('link')
    .description('use the memory of a project in this folder')
    .argument('[project]', 'its key or its name (default: the one that this folder looks like)')
    .action((reference: string | undefined) =>
      withEngine(async (engine, json) => {
        const link = await engine.projects.link(reference);
        const [{ name, key }] = link.projects as [(typeof link.projects)[number]];
        print(json, link, () => [
          `${link.folder} uses the memory of ${name} from now on. Undo: recollect project unlink ${key}`,
        ]);
        return exitCodes.ok;
      }),
    );
  project
    .command('unlink')
    .description('keep this folder apart from a project, and ask no more')
    .argument('[project]', 'its key or its name (default: those that this folder looks like, else the one it uses)')
    .action((reference: string | undefined) =>
      withEngine(async (engine, json) => {
        const link = await engine.projects.unlink(reference);
        print(json, link, () =>
          link.projects.map(
            it => `${link.folder} is kept apart from ${it.name}. Undo: recollect project link ${it.key}`,
          ),
        );
        return exitCodes.ok;
      }),
    );
  registerMove(program, withEngine);
}

function registerMove(program: Command, withEngine: WithEngine): void {
  program
    .command('move')
    .description("move memories between this project's memory and the global one; --suggest lists what may belong here")
    .argument('[id...]', 'ids, or the last eight digits of them')
    .addOption(new Option('--to <store>', 'where they go').choices(storeKinds))
    .option('--suggest', "list global memories that look like a project's; moves nothing")
    .action((ids: string[], { to, suggest }: { readonly to?: StoreKind; readonly suggest?: true }) =>
      withEngine(async (engine, json) => {
        if (suggest === true) return listCandidates(engine, json);
        if (ids.length === 0 || to === undefined)
          throw new EngineError('invalidInput', 'Name the memories and where they go: recollect move ID --to project.');
        const { moved, refused } = await engine.moves.move(ids, to);
        print(json, { moved, refused: refused.map(it => ({ id: it.memory.id, reason: String(it.reason) })) }, () => [
          ...moved.map(it => formatMemoryLine(it, engine.effectiveConfidence(it))),
          ...(moved.length === 0 && refused.length === 0 ? ['Nothing to move: they are there already.'] : []),
          ...(moved.length === 0 ? [] : [`Undo: recollect move ${moved.map(shortId).join(' ')} --to ${other(to)}`]),
        ]);
        for (const { memory, reason } of refused) console.error(`#${shortId(memory)} was not moved. ${String(reason)}`);
        return refused.length === 0 ? exitCodes.ok : exitCodes.failed;
      }),
    );
}

async function listCandidates(engine: MemoryEngine, json: boolean): Promise<typeof exitCodes.ok> {
  const memories = await engine.moves.candidates();
  print(json, memories, () => memories.map(it => formatMemoryLine(it, engine.effectiveConfidence(it))));
  if (!json)
    console.error(
      memories.length === 0
        ? 'No global memory looks like it belongs to a project.'
        : 'Every project reads these. To move one to this project: recollect move ID --to project',
    );
  return exitCodes.ok;
}

const shortId = ({ id }: Pick<Memory, 'id'>): string => id.slice(-8);
const other = (store: StoreKind): StoreKind => (store === 'project' ? 'global' : 'project');

const likenessTexts: Readonly<Record<ProjectLikeness, string>> = {
  history: 'it has the same first commit',
  remote: 'it names the same remote',
  folder: 'it lies where that project was',
  name: 'it has the same name, and the folder of that project is gone',
};

/** One sentence for a person at a terminal. */
export function describeProjectNotice(notice: ProjectNotice): string {
  const { folder, project } = notice;
  const place = project.folders.at(-1);
  const name = place === undefined ? project.name : `${project.name} (${place})`;
  switch (notice.kind) {
    case 'similar':
      return `${folder} has no memories yet and looks like the project ${name}: ${likenessTexts[notice.likeness]}. To use its memory here: recollect project link. If it is another project: recollect project unlink.`;
    case 'copy':
      return `${folder} has the history and the remote of ${project.name}, so it uses its memory. To keep it apart: recollect project unlink.`;
    case 'moved':
      return `${folder} is taken for ${project.name}, whose folder is gone, and uses its memory. To keep it apart: recollect project unlink.`;
  }
}

function describeStatus({ folder, projects, similar }: ProjectStatus): string[] {
  const [used, ...read] = projects;
  return [
    folder,
    `  uses  ${describeProject(used!)}`,
    ...read.filter(it => it.memories > 0).map(it => `  reads ${describeProject(it)}`),
    ...similar.flatMap(({ project, likeness }) => [
      `  looks like ${describeProject(project)}: ${likenessTexts[likeness]}`,
      `    recollect project link ${project.key}     to use its memory here`,
      `    recollect project unlink ${project.key}   to keep it apart`,
    ]),
  ];
}

function describeProject({ key, memories, folders, remotes }: CountedProject): string {
  const places = [...folders, ...remotes].join(', ');
  return `${key} · ${memories} ${memories === 1 ? 'memory' : 'memories'}${places === '' ? '' : ` · ${places}`}`;
}
