import { existsSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { isInside } from '../base/paths.js';
import { readRegularText } from '../base/regularFile.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type { CountedProject, ProjectLink, ProjectNotice, ProjectStatus, ProjectSummary } from '../model/project.js';
import { locateProject, seenFolder, type ProjectLocation } from '../store/locateProject.js';
import { isFolderOf, similarProjects } from '../store/projectMatch.js';
import {
  countProjectMemories,
  projectRecordFile,
  readProjectRecords,
  remotesOf,
  updateProjectRecord,
  withFolder,
  withoutFolder,
  type ProjectRecord,
} from '../store/projectRecords.js';

/**
 * Which project a folder belongs to, and a person's word on it. A changed link holds for engines that are opened later;
 * no memory is moved by it.
 */
export class Projects {
  private readonly openedRecords: Promise<string>;

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {
    this.openedRecords = this.recordTimes();
  }

  /** Whether a folder is open, and so a project known. */
  get isOpen(): boolean {
    return this.ctx.host.workspaceFolders.length > 0;
  }

  /**
   * The URI of a file that is named by its path: absolute, or relative to the open folder that has it, else to the first.
   * @param file a path or a URI, which is returned as it is, as is a relative path where no folder is open
   */
  fileUri(file: string): string {
    // A drive letter is no scheme.
    if (/^[a-z][a-z\d+.-]+:/iu.test(file)) return file;
    if (path.isAbsolute(file)) return pathToFileURL(file).href;
    const files = this.ctx.host.workspaceFolders.map(it => path.join(it, file));
    const found = files.find(it => existsSync(it)) ?? files[0];
    return found === undefined ? file : pathToFileURL(found).href;
  }

  /** Whether a URI names no file of an open folder: nothing, a folder, or something elsewhere. Of other schemes nothing is known. */
  isMissingFile(uri: string): boolean {
    if (!uri.startsWith('file:///')) return false;
    try {
      const file = fileURLToPath(uri);
      const isOpen = this.ctx.host.workspaceFolders.some(it => isInside(it, file));
      return !isOpen || statSync(file, { throwIfNoEntry: false })?.isFile() !== true;
    } catch {
      return false; // A model may send any text.
    }
  }

  /** Lines of a file of an open folder; undefined for a {@link isMissingFile missing} one, and one that cannot be read. */
  async lines(uri: string): Promise<readonly string[] | undefined> {
    if (!uri.startsWith('file:///') || this.isMissingFile(uri)) return undefined;
    try {
      return (await readRegularText(fileURLToPath(uri))).split(/\r\n?|\n/u);
    } catch {
      return undefined;
    }
  }

  /** Notices for a person about the open folders, as of the opening. */
  get notices(): readonly ProjectNotice[] {
    return this.ctx.projects.flatMap(toProjectNotices);
  }

  /** The projects of the open folders, as they are now. */
  status(): Promise<ProjectStatus[]> {
    return this.calls.run(async () => {
      const { dataDir, workspaceFolders } = this.ctx.host;
      const records = await readProjectRecords(dataDir);
      const statuses: ProjectStatus[] = [];
      for (const folder of workspaceFolders) {
        const location = await locateProject(dataDir, folder);
        const own = await Promise.all(location.storeKeys.map(key => this.count(recordOf(key, location, records))));
        const others = records.filter(it => !location.storeKeys.includes(it.key));
        const similar = location.similar.length > 0 ? location.similar : similarProjects(location.keys, others, []);
        const counted = await Promise.all(
          similar.map(async it => ({ likeness: it.likeness, project: await this.count(it.project) })),
        );
        statuses.push({ folder, projects: own, similar: counted.filter(it => it.project.memories > 0) });
      }
      return statuses;
    });
  }

  /** Every project with a store on this machine. */
  list(): Promise<CountedProject[]> {
    return this.calls.run(async () =>
      Promise.all((await readProjectRecords(this.ctx.host.dataDir)).map(it => this.count(it))),
    );
  }

  /**
   * Makes a folder use the memory of a project. What the folder has of its own is still read.
   * @param reference key or name of the project; undefined = the one that the folder looks like
   * @param requestedFolder an open folder; undefined = the first one
   * @throws EngineError notFound | ambiguousId | invalidInput | unsupportedFile | storeUnavailable
   */
  link(reference?: string, requestedFolder?: string): Promise<ProjectLink> {
    return this.calls.run(async () => {
      const location = await this.locate(requestedFolder);
      const project = reference === undefined ? onlySimilar(location) : findProject(await this.records(), reference);
      if (project.key === location.storeKeys[0]) {
        const text = message`The folder ${location.folder} already uses the memory of ${project.name}.`;
        throw new EngineError('invalidInput', text);
      }
      const since = this.laterThan(location);
      await updateProjectRecord(this.ctx.host.dataDir, project.key, it =>
        withFolder(it, { ...seenFolder(location.keys, undefined, since), since }),
      );
      return { folder: location.folder, projects: [toSummary(project)] };
    });
  }

  /**
   * Keeps a folder apart from a project: it does not use its memory, and is not asked about it again. `link` undoes it.
   * @param reference key or name of the project; undefined = those that the folder looks like, else the one it uses
   * @param requestedFolder an open folder; undefined = the first one
   * @throws EngineError notFound | ambiguousId | invalidInput | unsupportedFile | storeUnavailable
   */
  unlink(reference?: string, requestedFolder?: string): Promise<ProjectLink> {
    return this.calls.run(async () => {
      const location = await this.locate(requestedFolder);
      const projects =
        reference === undefined ? projectsToLeave(location) : [findProject(await this.records(), reference)];
      for (const { key } of projects) {
        await updateProjectRecord(this.ctx.host.dataDir, key, it => {
          const without = location.keys.folders.reduce(withoutFolder, it);
          return { ...without, separate: [...without.separate, location.keys.folders[0]] };
        });
      }
      return { folder: location.folder, projects: projects.map(toSummary) };
    });
  }

  /** Whether a link of an open folder was changed, by any process, since the engine was opened. */
  async isOutdated(): Promise<boolean> {
    return (await this.recordTimes()) !== (await this.openedRecords);
  }

  private async recordTimes(): Promise<string> {
    const keys = this.ctx.projects.flatMap(it => [...it.storeKeys, ...it.similar.map(({ project }) => project.key)]);
    const times = await Promise.all(
      keys.map(
        async key => (await stat(projectRecordFile(this.ctx.host.dataDir, key)).catch(() => undefined))?.mtimeMs,
      ),
    );
    return times.join();
  }

  /** Now, but after every earlier link of the folder: the latest one counts, whatever the clock says. */
  private laterThan({ projects, keys }: ProjectLocation): string {
    const times = projects.flatMap(it => it.folders.filter(({ path }) => isFolderOf(keys, path))).map(it => it.since);
    const latest = Math.max(0, ...times.map(it => Date.parse(it) || 0));
    return new Date(Math.max(this.ctx.host.now().getTime(), latest + 1)).toISOString();
  }

  private records(): Promise<ProjectRecord[]> {
    return readProjectRecords(this.ctx.host.dataDir);
  }

  private async locate(requestedFolder: string | undefined): Promise<ProjectLocation> {
    const folders = this.ctx.host.workspaceFolders;
    const folder = requestedFolder === undefined ? folders[0] : folders.find(it => it === requestedFolder);
    if (folder === undefined) throw new EngineError('invalidInput', 'There is no project here. Open its folder first.');
    return locateProject(this.ctx.host.dataDir, folder);
  }

  private async count(record: ProjectRecord): Promise<CountedProject> {
    return { ...toSummary(record), memories: await countProjectMemories(this.ctx.host.dataDir, record.key) };
  }
}

/** Notices for a person about the project of a folder. */
export function toProjectNotices({ folder, relation, projects, similar }: ProjectLocation): ProjectNotice[] {
  const asked = similar
    .slice(0, 1)
    .map(({ project, likeness }) => ({ kind: 'similar', folder, likeness, project: toSummary(project) }) as const);
  const isFound = relation === 'copy' || relation === 'moved';
  return isFound ? [...asked, { kind: relation, folder, project: toSummary(projects[0]!) }] : asked;
}

function recordOf(key: string, location: ProjectLocation, records: readonly ProjectRecord[]): ProjectRecord {
  const record = [...location.projects, ...records].find(it => it.key === key);
  return record ?? { key, name: location.keys.name, folders: [], separate: [] };
}

function onlySimilar({ folder, similar }: ProjectLocation): ProjectRecord {
  if (similar.length === 1) return similar[0]!.project;
  if (similar.length === 0) {
    const text = message`The folder ${folder} looks like no other project. Name one of recollect project list.`;
    throw new EngineError('invalidInput', text);
  }
  const names = similar.map(it => it.project.key).join(', ');
  throw new EngineError('invalidInput', message`The folder ${folder} looks like several projects: ${names}. Name one.`);
}

function projectsToLeave({ folder, similar, projects, keys }: ProjectLocation): ProjectRecord[] {
  if (similar.length > 0) return similar.map(it => it.project);
  const [used] = projects;
  if (used?.folders.some(it => !isFolderOf(keys, it.path)) === true) return [used];
  const text = message`The folder ${folder} shares its memory with no other folder: there is nothing to unlink.`;
  throw new EngineError('invalidInput', text);
}

/** Finds a project by its key, else by its name. */
function findProject(records: readonly ProjectRecord[], reference: string): ProjectRecord {
  const byKey = records.filter(it => it.key === reference);
  const found = byKey.length > 0 ? byKey : records.filter(it => it.name === reference);
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new EngineError('notFound', message`There is no project ${reference}. List them: recollect project list.`);
  const keys = found.map(it => it.key).join(', ');
  throw new EngineError('ambiguousId', message`Several projects are named ${reference}: ${keys}. Give one of these.`);
}

function toSummary(record: ProjectRecord): ProjectSummary {
  const { key, name, folders } = record;
  return { key, name, folders: folders.map(it => it.path), remotes: remotesOf(record) };
}
