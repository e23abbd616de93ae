import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { CountedProject, ProjectLikeness, ProjectNotice, ProjectStatus } from '../engine/model/project.js';
import { argument, definePersonCommand, type CommandGroup, type PersonCommand } from './personCommand.js';

/** Whose memory a folder uses. */
export const projectCommands: readonly (PersonCommand | CommandGroup)[] = [
  { name: 'project', description: 'show or change which memory this folder uses' },
  definePersonCommand({
    name: 'project status',
    isDefault: true,
    description: 'show the project of this folder, and others that it looks like',
    input: z.strictObject({}),
    async run(engine) {
      const statuses = await engine.projects.status();
      if (statuses.length === 0)
        throw new EngineError('invalidInput', 'There is no project here. Name one: --project FOLDER.');
      return { output: statuses, lines: statuses.flatMap(describeStatus) };
    },
  }),
  definePersonCommand({
    name: 'project list',
    description: 'list every project with a memory on this machine',
    input: z.strictObject({}),
    async run(engine) {
      const projects = await engine.projects.list();
      return { output: projects, lines: projects.map(describeProject) };
    },
  }),
  definePersonCommand({
    name: 'project link',
    description: 'use the memory of a project in this folder',
    input: z.strictObject({
      project: argument(
        '[project]',
        z.string().exactOptional(),
        'its key or its name (default: the one that this folder looks like)',
      ),
    }),
    async run(engine, { project }) {
      const link = await engine.projects.link(project);
      const [{ name, key }] = link.projects as [(typeof link.projects)[number]];
      const done = `${link.folder} uses the memory of ${name} from now on. Undo: recollect project unlink ${key}`;
      return { output: link, lines: [done] };
    },
  }),
  definePersonCommand({
    name: 'project unlink',
    description: 'keep this folder apart from a project, and ask no more',
    input: z.strictObject({
      project: argument(
        '[project]',
        z.string().exactOptional(),
        'its key or its name (default: those that this folder looks like, else the one it uses)',
      ),
    }),
    async run(engine, { project }) {
      const link = await engine.projects.unlink(project);
      const lines = link.projects.map(
        it => `${link.folder} is kept apart from ${it.name}. Undo: recollect project link ${it.key}`,
      );
      return { output: link, lines };
    },
  }),
];

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
