import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../engine/base/errors.js';

export interface ProjectFolderOptions {
  /** Projects that were named when the server was started; then the client is not asked for its folders. */
  readonly projects: readonly string[] | undefined;
  /** Of these folders, those that can be a project. */
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
    const { named } = this;
    return named !== undefined && mayBeNamed(named, roots) ? [named] : filterProjects([workingFolder]);
  }

  /**
   * Takes the project that the assistant names, for as long as the server runs. Only one: what else it asks for is another
   * project's. Where the client has named folders, it lies in one of them.
   * @param roots as of `of`
   * @throws EngineError invalidInput, with a sentence for the model
   */
  name(folder: string, roots: readonly string[]): void {
    const shown = folder.slice(0, maxShownLength).replaceAll(/\p{Cc}/gu, '?');
    const wanted = realFolder(folder);
    if (wanted === undefined || this.options.filterProjects([wanted]).length === 0)
      throw new EngineError(
        'invalidInput',
        `${shown} is no folder of a project: give the full path of one that exists, and not the home folder, the one for temporary files or the root of a disk.`,
      );
    const known = this.of(roots);
    if (known.some(it => realFolder(it) === wanted)) return;
    if (known.length > 0)
      throw new EngineError(
        'invalidInput',
        `This session works in ${known.join(', ')} and in no other project. Leave project out.`,
      );
    if (!mayBeNamed(wanted, roots))
      throw new EngineError(
        'invalidInput',
        `${shown} is not in a folder that this client works in (${roots.join(', ')}). Name one that is, or leave project out.`,
      );
    this.named = wanted;
  }
}

/** Of a path in a sentence. */
const maxShownLength = 200;

/**
 * A client that names its folders keeps its assistant within them, also where none of them is a project itself.
 * @param folder where symbolic links lead
 */
function mayBeNamed(folder: string, roots: readonly string[]): boolean {
  return roots.length === 0 || roots.some(it => isWithin(folder, realFolder(it) ?? it));
}

function isWithin(folder: string, root: string): boolean {
  const relative = path.relative(root, folder);
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

/** As Windows names what lies on other machines, and devices: to look there would open a connection. */
const isNetworkPath = (folder: string): boolean => /^[\\/]{2}/u.test(folder);

/** Where symbolic links lead; undefined for what is no full path of a folder that can be reached on this machine. */
function realFolder(folder: string): string | undefined {
  if (!path.isAbsolute(folder) || isNetworkPath(folder)) return undefined;
  try {
    return statSync(folder).isDirectory() ? realpathSync.native(folder) : undefined;
  } catch {
    return undefined;
  }
}
