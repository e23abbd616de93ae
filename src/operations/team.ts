import { z } from 'zod';
import { shortId } from '../engine/model/memory.js';
import { formatMemoryCount, pluralize } from '../engine/model/pluralize.js';
import {
  describeSharing,
  type OwnShare,
  type ReceivedShare,
  type TeamServerStatus,
  type TeamStatus,
} from '../engine/model/team.js';
import { definePersonCommand, type CommandGroup, type PersonCommand } from './personCommand.js';
import { teamMemberCommands } from './teamMembers.js';
import { teamPlaceCommands } from './teamPlace.js';
import { teamProjectCommands } from './teamProjects.js';
import { describeContradiction, noteShown, onOneLine } from './teamRead.js';
import { teamShareCommands } from './teamShare.js';

type Command = PersonCommand | CommandGroup;

const statusCommand = definePersonCommand({
  name: 'team status',
  isDefault: true,
  description: 'what is shared by whom, what waits for you and what is new; this is the default',
  input: z.strictObject({}),
  async run({ team, activity }) {
    const status = await team.status();
    noteShown(activity, 'team', [...status.own.map(it => ({ ...it, contradicts: [] })), ...status.received]);
    const { kind, name } = await team.store.place();
    const isAway = team.store.notices.length > 0;
    const moved: MovedStore = {
      ...(kind === 'server' ? { memoriesOn: name } : {}),
      ...(isAway ? { waitingMemories: await team.store.countWaiting() } : {}),
    };
    return {
      output: { ...status, ...moved },
      lines: [...describeStatus(status), ...describeMovedStore(moved)],
      hints: [...[status.clock, status.unnamed].filter(it => it !== undefined), ...adviceFor(status)],
    };
  },
});

/** Sharing memories of a project with a team: through a folder of its git repository, or through a server. */
export const teamCommands: readonly Command[] = [
  { name: 'team', description: 'memories that the members of a team share' },
  statusCommand,
  ...teamPlaceCommands,
  ...teamShareCommands,
  ...teamMemberCommands,
  ...teamProjectCommands,
];

interface MovedStore {
  /** The server, and the schema there. */
  readonly memoriesOn?: string;
  readonly waitingMemories?: number;
}

/** Where the first project's own memories are on a server, and how many of all wait here while one cannot be used. */
function describeMovedStore({ memoriesOn, waitingMemories }: MovedStore): readonly string[] {
  const parts = [
    ...(memoriesOn === undefined ? [] : [`on ${memoriesOn}`]),
    ...(waitingMemories === undefined ? [] : [`offline, ${waitingMemories} waiting`]),
  ];
  return parts.length === 0 ? [] : [`memories   ${parts.join(': ')}`];
}

function describeStatus({
  folder,
  exists,
  isJoined,
  server,
  name,
  own,
  received,
  refused,
}: TeamStatus): readonly string[] {
  if (!exists) return [`Nothing is shared: the project has no folder ${folder}.`];
  if (!isJoined) return [`${folder}: you have not joined, so nothing in it is read.`];
  return [
    `${folder}: ${formatMemoryCount(own.length)} by you${name === undefined ? '' : ` as ${name}`}, ${formatMemoryCount(received.length)} by others`,
    ...(server === undefined ? [] : [describeServer(server)]),
    ...own.map(it => describeOwnShare(it, server !== undefined)),
    ...received.flatMap(describeReceivedShare),
    ...refused.map(it => `left       ${it.where}: ${it.reason}`),
  ];
}

function describeOwnShare({ id, sharedId, content, at, isCommitted, isStale }: OwnShare, isOnServer: boolean): string {
  const unsent = isOnServer ? 'waits to be sent' : 'not committed yet';
  const labels = [
    `shared by you on ${at.slice(0, 10)}`,
    ...(sharedId === id ? [] : [`for the team #${shortId({ id: sharedId })}`]),
    ...(isCommitted ? [] : [unsent]),
    ...(isStale ? ['your memory says something else by now, or is put away'] : []),
  ];
  return `yours      #${shortId({ id })}  ${onOneLine(content)}  (${labels.join(' · ')})`;
}

function describeServer({ waiting, syncedAt }: TeamServerStatus): string {
  const when =
    syncedAt === undefined ? 'not reached yet' : `last reached ${syncedAt.slice(0, 16).replace('T', ' ')} UTC`;
  return `server     ${when}${waiting === 0 ? '' : `, ${waiting} waiting`}`;
}

/** By the id that the whole team knows it by; every command takes that one, too. */
function describeReceivedShare({
  id,
  sharedId,
  content,
  author,
  by,
  state,
  contradicts,
}: ReceivedShare): readonly string[] {
  const label = `#${shortId({ id: sharedId })}`;
  const alias = author.startsWith(`${by} <`) ? '' : `, as ${onOneLine(by)}`;
  return [
    `${state.padEnd(9)}  ${label}  ${onOneLine(content)}  (${describeSharing(author)}${alias})`,
    ...(id === undefined ? [] : contradicts.map(it => describeContradiction(id, it))),
  ];
}

/** What to do next, a sentence each. */
function adviceFor({ exists, isJoined, server, own, received, withdrawalsToRead }: TeamStatus): readonly string[] {
  if (!exists)
    return ['Share through git: recollect team init; through the PostgreSQL server of your team: recollect team join'];
  if (!isJoined) return ['To read what others share: recollect team join'];
  const unread = received.filter(it => it.state === 'new').length + withdrawalsToRead;
  const notes = received.filter(it => it.state === 'note').length;
  return [
    ...(unread === 0
      ? []
      : [`${pluralize(unread, 'line')} of others to take in, which happens by itself; or now: recollect team sync`]),
    ...(notes === 0 ? [] : [`${pluralize(notes, 'note')} of others to confirm: recollect confirm ID…`]),
    ...(own.every(it => it.isCommitted)
      ? []
      : [
          server === undefined
            ? 'What you shared reaches others once you commit and push it.'
            : 'What waits is sent by the next sync: recollect team sync',
        ]),
    ...(server?.unnamedRepository === undefined
      ? []
      : [
          `Your team knows this project by its name alone. That it is ${server.unnamedRepository}, you say once: recollect team join`,
        ]),
    ...(own.some(it => it.isStale) ? ['Share it again, or withdraw it: recollect team withdraw ID'] : []),
  ];
}
