import type { Memory } from './memory.js';

/** Why a project may be the one that a folder belongs to. */
export type ProjectLikeness = 'history' | 'remote' | 'folder' | 'name';

/** A project that has a store on this machine. */
export interface ProjectSummary {
  /** Name of the folder of its store. */
  readonly key: string;
  readonly name: string;
  /** Folders that use its memory, the latest last. */
  readonly folders: readonly string[];
  /** Normalized remotes of these folders. */
  readonly remotes: readonly string[];
}

export interface CountedProject extends ProjectSummary {
  /** Memories of any status. */
  readonly memories: number;
}

/** Where memories are: a project, or the memory that every project reads. */
export interface MemoryPlace {
  /** Key of the project, or `globalPlace`. */
  readonly id: string;
  /** Of the project; empty for the global memory. */
  readonly name: string;
  readonly folders: readonly string[];
  /** Active memories outside isolated sets. */
  readonly memories: number;
  /** Whether this session uses it. */
  readonly isOpen: boolean;
}

/** `used`: said again or recalled most; `fading`: soonest out of use unless something happens. */
export const memoryOrders = ['newest', 'used', 'fading'] as const;
export type MemoryOrder = (typeof memoryOrders)[number];

/** Which memories of a place, and how many. */
export interface PlaceInput {
  /** By meaning: those that probably answer it, best first, whatever the order. */
  readonly query?: string;
  /** Only memories whose text has each of these words, in any case and as parts of longer ones. */
  readonly words?: string;
  /** Default `newest`. */
  readonly order?: MemoryOrder;
  /** Archived and replaced ones, instead of those in use. */
  readonly outOfUse?: boolean;
  readonly limit: number;
  /** Number of memories that were shown before. */
  readonly offset?: number;
}

export interface PlacePage {
  readonly memories: readonly Memory[];
  /** Of all pages; absent for a query, whose answers are not counted. */
  readonly total?: number;
}

/** Id of the place of what every project reads. */
export const globalPlace = 'global';

/**
 * Notice for a person about the project of a folder. `similar`: the folder has no memories and looks like the
 * project, which it does not read until a person agrees; `copy` and `moved`: it has just been taken for that project.
 */
export type ProjectNotice =
  | {
      readonly kind: 'similar';
      readonly folder: string;
      readonly project: ProjectSummary;
      readonly likeness: ProjectLikeness;
    }
  | { readonly kind: 'copy' | 'moved'; readonly folder: string; readonly project: ProjectSummary };

/** Whose memory a folder uses. */
export interface ProjectStatus {
  readonly folder: string;
  /** The projects whose memories it reads; the first one takes what is written. */
  readonly projects: readonly CountedProject[];
  /** Others that match it in part. */
  readonly similar: readonly { readonly project: CountedProject; readonly likeness: ProjectLikeness }[];
}

/** A changed link between a folder and the memory of projects. */
export interface ProjectLink {
  readonly folder: string;
  readonly projects: readonly ProjectSummary[];
}

/**
 * One line for a model, without a path of another project. Empty where nothing is asked.
 * @param notices of the folders that are open
 */
export function projectNoticeForModel(notices: readonly ProjectNotice[]): string {
  const similar = notices.find(it => it.kind === 'similar');
  if (similar === undefined) return '';
  return `This folder has no memories of its own and looks like the project "${similar.project.name}", whose memory is not used here until the user agrees: \`recollect project link\`, or \`recollect project unlink\` if it is another project.`;
}

/**
 * One line for the start of a session in a folder that has just been taken for a project, whose memory is read there now. Empty
 * where none has been.
 */
export function takenProjectNotice(notices: readonly ProjectNotice[]): string {
  const taken = notices.find(it => it.kind !== 'similar');
  if (taken === undefined) return '';
  const why =
    taken.kind === 'copy'
      ? 'it has its first commit and its remote'
      : 'it has its first commit, and its folder is gone';
  return `This folder was taken for the project "${taken.project.name}", since ${why}, and uses its memory. Tell the user; if it is another project: \`recollect project unlink\`.`;
}
