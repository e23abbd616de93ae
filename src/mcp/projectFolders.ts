import { statSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../engine/base/errors.js';

export interface ProjectFolderOptions {
  /** Projects that were named when the server was started; then the client is not asked for its folders. */
  readonly projects: readonly string[] | undefined;
  /** Of these folders, those that can be a project: not the home folder, not the root of a disk. */
  readonly filterProjects: (folders: readonly string[]) => readonly string[];
  /** Where the client works when it does not name its folders. */
  readonly workingFolder: string;
}

/**
 * The folders whose projects a server works in: those it was started with, else the client's roots, else the folder it was
 * started in, else the one that the assistant has named.
 */
export class ProjectFolders {
  /** Whether the server was started in no project, so that only the client or its assistant can say which one it is. */
  readonly canBeNamed: boolean;
  private named: string | undefined;

  constructor(private readonly options: ProjectFolderOptions) {
    const { projects, filterProjects, workingFolder } = options;
    this.canBeNamed = projects === undefined && filterProjects([workingFolder]).length === 0;
  }

  /** @param roots the folders that the client says it works in @returns empty where no project is known */
  of(roots: readonly string[]): readonly string[] {
    const { projects, filterProjects, workingFolder } = this.options;
    if (projects !== undefined) return projects;
    const rootProjects = filterProjects(roots);
    if (rootProjects.length > 0) return rootProjects;
    return this.named === undefined ? filterProjects([workingFolder]) : [this.named];
  }

  /**
   * Takes the project that the assistant names, for as long as the server runs. Only one: what else it asks for is another
   * project's.
   * @param roots as of `of`
   * @throws EngineError invalidInput, with a sentence for the model
   */
  name(folder: string, roots: readonly string[]): void {
    const wanted = path.isAbsolute(folder) ? path.resolve(folder) : undefined;
    if (wanted === undefined || this.options.filterProjects([wanted]).length === 0 || !isFolder(wanted))
      throw new EngineError(
        'invalidInput',
        `${folder.slice(0, maxShownLength)} is no folder of a project: give the full path of one that exists, not the home folder.`,
      );
    const known = this.of(roots);
    if (known.length === 0) this.named = wanted;
    else if (!known.includes(wanted))
      throw new EngineError(
        'invalidInput',
        `This session works in ${known.join(', ')} and in no other project. Leave project out.`,
      );
  }
}

/** Of a path in a sentence. */
const maxShownLength = 200;

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
