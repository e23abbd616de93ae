import type { ProjectLikeness } from '../model/project.js';
import { folderKey, slugOf, type ProjectKeys } from './projectIdentity.js';
import { folderOf, hasFolder, remotesOf, rootsOf, type ProjectRecord } from './projectRecords.js';

export interface SimilarProject {
  readonly project: ProjectRecord;
  readonly likeness: ProjectLikeness;
}

/** How a folder's project was found: by its folder, as another copy of a known one, or as one that was moved. */
export type ProjectRelation = 'known' | 'copy' | 'moved';

export interface ProjectMatch {
  /** Projects whose memories the folder reads; the first one takes what is written. Empty for a new project. */
  readonly projects: readonly ProjectRecord[];
  readonly relation: ProjectRelation | undefined;
  /** Projects that a person is asked about. None while the folder's own project has memories. */
  readonly similar: readonly SimilarProject[];
}

/** Facts of the disk that matching needs. */
export interface ProjectFacts {
  /** Whether a folder is there. */
  exists(folder: string): Promise<boolean>;
  /** Whether a project has no memory. */
  isEmpty(project: ProjectRecord): Promise<boolean>;
}

/**
 * Finds the project of a folder. A known folder is enough, unless it now holds another repository. A folder that is not
 * known is taken for a copy where both its history and a remote are the project's, and for the moved project where the
 * history is, no remote disagrees and every folder of the project is gone. Anything less is a claim that a person has to
 * confirm: a downloaded folder may name any remote, and forks and templates share their history.
 */
export async function matchProject(
  keys: ProjectKeys,
  records: readonly ProjectRecord[],
  facts: ProjectFacts,
): Promise<ProjectMatch> {
  const known = knownProjects(keys, records);
  const [first] = known;
  const isFirstEmpty = first === undefined || (await facts.isEmpty(first));
  if (!isFirstEmpty) return { projects: known, relation: 'known', similar: [] };
  const similar = similarProjects(keys, records, known);
  const certain: { readonly project: ProjectRecord; readonly relation: ProjectRelation; readonly isEmpty: boolean }[] =
    [];
  for (const { project } of similar) {
    const relation = await certainRelation(keys, project, facts);
    if (relation !== undefined) certain.push({ project, relation, isEmpty: await facts.isEmpty(project) });
  }
  const withMemories = certain.filter(it => !it.isEmpty);
  const usable = withMemories.length === 0 && first === undefined ? certain : withMemories;
  const [chosen] = usable.length === 1 ? usable : [];
  const projects = chosen === undefined ? known : [chosen.project, ...known];
  const relation = chosen?.relation ?? (first === undefined ? undefined : 'known');
  if (chosen?.isEmpty === false) return { projects, relation, similar: [] };
  const asked: SimilarProject[] = [];
  for (const it of similar) if (it.project !== chosen?.project && (await isWorthAsking(it, facts))) asked.push(it);
  return { projects, relation, similar: asked };
}

/** Projects that have used this folder and are not at odds with what it holds now: the latest agreement first. */
export function knownProjects(keys: ProjectKeys, records: readonly ProjectRecord[]): ProjectRecord[] {
  const position = (record: ProjectRecord): number => keys.folders.findIndex(it => hasFolder(record, it));
  const since = (record: ProjectRecord): string => folderOf(record, keys.folders[position(record)]!)!.since;
  return candidates(keys, records)
    .filter(it => position(it) >= 0 && !isReplaced(keys, it))
    .sort((a, b) => position(a) - position(b) || (since(a) < since(b) ? 1 : -1));
}

/** Other projects that match a folder in part, the most alike first. */
export function similarProjects(
  keys: ProjectKeys,
  records: readonly ProjectRecord[],
  known: readonly ProjectRecord[],
): SimilarProject[] {
  const order: readonly ProjectLikeness[] = ['history', 'remote', 'folder', 'name'];
  return candidates(keys, records)
    .filter(it => !known.includes(it))
    .flatMap((project): SimilarProject[] => {
      const likeness = likenessOf(keys, project);
      return likeness === undefined ? [] : [{ project, likeness }];
    })
    .sort((a, b) => order.indexOf(a.likeness) - order.indexOf(b.likeness));
}

/** Whether a path is one of the folder's. */
export function isFolderOf(keys: ProjectKeys, folder: string): boolean {
  return keys.folders.some(it => folderKey(it) === folderKey(folder));
}

function candidates(keys: ProjectKeys, records: readonly ProjectRecord[]): ProjectRecord[] {
  return records.filter(it => !it.separate.some(folder => isFolderOf(keys, folder)));
}

function likenessOf(keys: ProjectKeys, project: ProjectRecord): ProjectLikeness | undefined {
  if (sharesHistory(keys, project)) return 'history';
  if (sharesRemote(keys, project)) return 'remote';
  if (keys.folders.some(it => hasFolder(project, it))) return 'folder';
  return slugOf(keys.name) === slugOf(project.name) ? 'name' : undefined;
}

async function certainRelation(
  keys: ProjectKeys,
  project: ProjectRecord,
  facts: ProjectFacts,
): Promise<ProjectRelation | undefined> {
  if (!keys.isSelfContained || !sharesHistory(keys, project)) return undefined;
  if (sharesRemote(keys, project)) return 'copy';
  const isDisagreeing = keys.remotes.length > 0 && remotesOf(project).length > 0;
  return !isDisagreeing && (await isGone(project, facts)) ? 'moved' : undefined;
}

/** A name alone says little: the folder that had it must be gone. */
async function isWorthAsking({ project, likeness }: SimilarProject, facts: ProjectFacts): Promise<boolean> {
  if (likeness === 'name' && !(await isGone(project, facts))) return false;
  return !(await facts.isEmpty(project));
}

async function isGone(project: ProjectRecord, facts: ProjectFacts): Promise<boolean> {
  for (const it of project.folders) if (await facts.exists(it.path)) return false;
  return true;
}

/** Whether a known folder holds another repository now: its history is another one, and no remote is the same. */
function isReplaced(keys: ProjectKeys, project: ProjectRecord): boolean {
  const [before] = keys.folders.flatMap(it => folderOf(project, it)?.roots.at(-1) ?? []);
  if (keys.root === undefined || before === undefined || before === keys.root) return false;
  return !sharesHistory(keys, project) && !sharesRemote(keys, project);
}

function sharesHistory(keys: ProjectKeys, project: ProjectRecord): boolean {
  return keys.root !== undefined && rootsOf(project).includes(keys.root);
}

/** A remote on this machine may also be a folder of the project, or the folder a remote of it. */
export function sharesRemote(keys: ProjectKeys, project: ProjectRecord): boolean {
  const remotes = remotesOf(project);
  return (
    keys.remotes.some(it => remotes.includes(it) || hasFolder(project, it)) || remotes.some(it => isFolderOf(keys, it))
  );
}
