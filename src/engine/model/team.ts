import type { ImportRefusal } from './importReport.js';
import type { Memory } from './memory.js';

/** What stands in the place of an author where git states none. */
export const lineIsUncommitted = 'not committed yet';
export const authorIsUnknown = 'author unknown';

/** Of a moved store whose server could not be used, for a model. */
export const unsearchedNotice =
  'Not searched: the memories of this project. They are on a server that cannot be used now, so do not take this for all that is remembered, and say so to the user.';

/** The name of an author without the mail address. @param author `NAME <ADDRESS>`, or a name alone */
export function memberName(author: string): string {
  return author.replace(/ <[^>]*>$/u, '');
}

/** How a memory came from a team, on the words "shared …". @param author as in its provenance */
export function describeSharing(author: string): string {
  return author.endsWith('>') ? `shared by ${author}` : `shared, ${author}`;
}

/** A file as it is and as it would be. */
export interface TeamFileChange {
  /** Path in the project, with slashes. */
  readonly file: string;
  /** What is added at its end. */
  readonly text: string;
}

export interface TeamInit {
  /** Path in the project, with slashes. */
  readonly folder: string;
  /** Empty where the folder is a team's already. */
  readonly changes: readonly TeamFileChange[];
  /** Git leaves the folder out, by a `.gitignore`. */
  readonly isIgnored: boolean;
}

/** What joining the team of a folder would read, from names of files and commits alone. */
export interface TeamJoin {
  /** Path in the project, with slashes. */
  readonly folder: string;
  readonly exists: boolean;
  readonly isJoined: boolean;
  /** With shared lines, by their names. */
  readonly files: number;
  /** Names of those whose commits changed the folder; they chose them. */
  readonly authors: readonly string[];
}

export interface ShareInput {
  /** Ids or short ids. */
  readonly references: readonly string[];
  /** Besides `references` every confirmed memory of the project, or those with one of these tags, that is not shared yet. */
  readonly every?: 'all' | { readonly tags: readonly string[] };
  /** The name that the team reads; kept for the next time. */
  readonly as?: string;
  /** A person's word that of `every` those go along that look personal. */
  readonly withPersonal?: boolean;
  /** Takes back what was shared, instead of sharing. */
  readonly withdraw?: boolean;
}

/** What sharing would write. */
export interface SharePreview extends TeamFileChange {
  /** Where it goes to a server, and to no file: its team and project. */
  readonly server?: string;
  /** The name that the team reads. */
  readonly as: string;
  readonly withdraw: boolean;
  /** In the order of the lines of `text`. */
  readonly memories: readonly Pick<Memory, 'id' | 'content'>[];
  /** Of `memories` those that sharing makes, as copies of global ones. */
  readonly copies: readonly { readonly id: string; readonly from: string }[];
  /** Of `memories` those that look personal, and by what: a sentence. */
  readonly personal: readonly { readonly id: string; readonly reason: string }[];
  /** Memories that would not be shared, and why; in the order given. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  /** Whether this person has shared nothing in this project yet. */
  readonly isFirst: boolean;
  /** A sentence where, by the lines of others, this machine's clock is wrong; of a folder alone. */
  readonly clock?: string;
}

/** What became of one shared memory. */
export interface TeamChange {
  /**
   * `added`: a note; `changed`: a note in the place of one that came from the same member; `restored`; `withdrawn`: archived;
   * `confirmed`, `replaced`, `settled`: another member decided so about a note; `kept`: a member changed, withdrew or replaced it,
   * and it stays because a person here has confirmed or changed it.
   */
  readonly what: 'added' | 'changed' | 'restored' | 'withdrawn' | 'confirmed' | 'replaced' | 'settled' | 'kept';
  readonly id: string;
  readonly content: string;
  /** As git states it, or that git states none. */
  readonly author: string;
  /** Why the text wants care; absent for most. */
  readonly careful?: string;
  readonly contradicts: readonly TeamContradiction[];
}

/** The other side of a contradiction. */
export interface TeamContradiction {
  readonly id: string;
  readonly content: string;
  /** Who shared it; absent where it is one's own. */
  readonly author?: string;
}

export interface TeamReadReport {
  /** Path in the project, with slashes; of a server, its team and project. */
  readonly folder: string;
  /** To take it back by (`recollect import --undo`); absent where it changed nothing. */
  readonly id?: string;
  readonly changes: readonly TeamChange[];
  /** Decisions of this person that were added to the folder, for the team to read once they are committed; absent for none. */
  readonly decided?: { readonly file: string; readonly decisions: number };
  /** A sentence where the team does not learn what this person decided, with the next step. */
  readonly unnamed?: string;
  /** Shared by others, and here already. */
  readonly known: number;
  /** Lines and files that were left out. */
  readonly refused: readonly ImportRefusal[];
  /** A sentence where, by the lines of others, this machine's clock is wrong; of a folder alone. */
  readonly clock?: string;
}

/** A memory of one's own that the team reads. */
export interface OwnShare {
  readonly id: string;
  /** The one id of the fact for the whole team: another than `id` where a member shared it before. */
  readonly sharedId: string;
  readonly content: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  readonly isCommitted: boolean;
  /** Whether the memory has another text by now, or is no longer in use. */
  readonly isStale: boolean;
}

/**
 * What others shared. `new`: not read yet; `note`: here, and not confirmed; `confirmed`; `known`: it was here before;
 * `dropped`: a person forgot, replaced or deleted it here.
 */
export type ReceivedState = 'new' | 'note' | 'confirmed' | 'known' | 'dropped';

export interface ReceivedShare {
  /** Of the memory here; absent where there is none. */
  readonly id?: string;
  /** The one id of the fact for the whole team. */
  readonly sharedId: string;
  readonly content: string;
  readonly author: string;
  /** The name that its member chose. */
  readonly by: string;
  readonly state: ReceivedState;
  /** Of memories here: what contradicts it and is not settled. */
  readonly contradicts: readonly TeamContradiction[];
}

export interface TeamStatus {
  /** Path in the project, with slashes; where there is a server, what it is to this project. */
  readonly folder: string;
  /** Absent where the project is connected to no server. */
  readonly server?: TeamServerStatus;
  readonly exists: boolean;
  /** Whether this person reads what others share: before, no file is opened. */
  readonly isJoined: boolean;
  /** The name under which this person shares; absent before the first time. */
  readonly name?: string;
  readonly own: readonly OwnShare[];
  readonly received: readonly ReceivedShare[];
  /** As of a reading. */
  readonly unnamed?: string;
  /** Withdrawals by others that were not read yet. */
  readonly withdrawalsToRead: number;
  /** A sentence where, by the lines of others, this machine's clock is wrong; of a folder alone. */
  readonly clock?: string;
  readonly refused: readonly ImportRefusal[];
}

/** A person who takes part in a team, for its members. */
export interface Colleague {
  readonly name: string;
  /** Is in the team no more; git does not know. */
  readonly hasDeparted: boolean;
}

/** A login of a team's server that is in the team. */
export interface TeamMember {
  readonly role: string;
  /** What the team reads. */
  readonly name: string;
  /** ISO-8601 UTC. */
  readonly joinedAt: string;
  /** Since when it is no longer in the team; ISO-8601 UTC. */
  readonly removedAt?: string;
}

export interface NewTeamMember {
  readonly team: string;
  readonly role: string;
  readonly name: string;
  /** Of a login that was made; shown once, and kept nowhere. */
  readonly password?: string;
  /** The login may do everything on the server, so that it sees every team. */
  readonly bypassesSecurity: boolean;
  /** One line to send: the address of the server with the login, and without a password. */
  readonly invitation: string;
}

/** What is left of a login whose membership was ended. */
export interface RemovedMember {
  readonly team: string;
  /** Connections of the login that stay open: the administrator may not end them, or they did not end in time. */
  readonly openConnections: number;
}

/** A project of a team's server. */
export interface TeamProject {
  readonly name: string;
  /** Normalized address of its repository, without credentials; absent where the team knows it by its name alone. */
  readonly repository?: string;
}

/** A project of a team's server, as its administrator sees it. */
export interface AdministeredProject extends TeamProject {
  readonly id: string;
  /** Shared in it and not withdrawn. */
  readonly facts: number;
  /** Members who shared those, also former ones. */
  readonly authors: number;
  /** When something was shared, decided or withdrawn last; absent for never. ISO-8601 UTC. */
  readonly changedAt?: string;
}

/** A shared memory on a team's server, as its administrator sees it. */
export interface AdministeredFact {
  /** The shared id. */
  readonly id: string;
  readonly content: string;
  /** Login of who shared it. */
  readonly role: string;
  /** The name of who shared it. */
  readonly by: string;
  readonly project: string;
  readonly projectId: string;
  /** ISO-8601 UTC. */
  readonly sharedAt: string;
}

/** For people. */
export function describeTeamProject({ name, repository }: TeamProject): string {
  return repository === undefined ? name : `${name} (${repository})`;
}

/** What connecting a project to a team's server would do. It shares nothing. */
export interface TeamConnection {
  /** Host, port and database. */
  readonly address: string;
  readonly isEncrypted: boolean;
  readonly team: string;
  readonly project: string;
  /** Normalized address of the repository that the project is; absent where it is known by its name alone. */
  readonly repository?: string;
  /** Of the project on the server; absent where it does not exist yet. */
  readonly projectId?: string;
  readonly isNewProject: boolean;
  /** Whether the team learns which repository the project is, which it knew by its name alone. */
  readonly namesRepository: boolean;
  /** Other projects of this name. */
  readonly namesakes: readonly TeamProject[];
  /** The name that the team reads, as its server knows this person. */
  readonly name: string;
  /** Teams that this person is in. */
  readonly teams: readonly string[];
  /** Of the team. */
  readonly projects: readonly TeamProject[];
}

export interface ConnectInput {
  /** By default the only one. */
  readonly team?: string;
  /** The name or the address of the project; by default that of the repository's remote, else the folder's name. */
  readonly project?: string;
}

/** What is known here of a project's place on a server. */
export interface TeamServerStatus {
  readonly team: string;
  readonly project: string;
  /** Normalized address of the repository by which the team knows the project; absent where it is known by its name alone. */
  readonly repository?: string;
  /** The address of this repository, where the team knows the project by its name alone. */
  readonly unnamedRepository?: string;
  readonly name: string;
  /** Shared here and not sent yet. */
  readonly waiting: number;
  /** When the server was reached last; absent before the first time. ISO-8601 UTC. */
  readonly syncedAt?: string;
}

export interface TeamSyncReport {
  readonly team: string;
  readonly project: string;
  /** Sent to the server. */
  readonly sent: number;
  /** Not sent yet. */
  readonly waiting: number;
  /** The server was not reached, or stopped answering. What is here was read all the same. */
  readonly isOffline: boolean;
  /** Why not everything was sent and fetched: a sentence. */
  readonly problem?: string;
  /** A sentence where this machine's clock is wrong; what was dated ahead was sent with the server's time. */
  readonly clock?: string;
  /** What others shared. */
  readonly read: TeamReadReport;
}

/** Where the memories of a project lie. */
export interface StorePlace {
  readonly kind: 'local' | 'server';
  /** The file, or address and schema without user and password; for people. */
  readonly name: string;
  /** What the store was moved from and is still there; undefined where there is none, or the server was not asked. */
  readonly source?: string;
}

/** A copy of a project's store on a server that holds the same, and is not used yet. */
export interface StoreCopy {
  readonly from: string;
  readonly to: string;
  readonly memories: number;
  /** What it is a copy of. */
  readonly state: string;
}

/** What a member shares with a team, for a file. */
export interface MemberExport {
  readonly memories: number;
  /** JSON lines of an export, each with its line end. */
  readonly lines: readonly string[];
}
