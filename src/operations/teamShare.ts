import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { shortId } from '../engine/model/memory.js';
import { formatMemoryCount } from '../engine/model/pluralize.js';
import { sharedMessages } from '../engine/model/sharedMessages.js';
import type { ShareInput, SharePreview, TeamFileChange, TeamSyncReport } from '../engine/model/team.js';
import {
  agrees,
  argument,
  definePersonCommand,
  flag,
  leftOut,
  option,
  type CommandAnswer,
  type CommandCaller,
  type PersonCommand,
} from './personCommand.js';
import { withdrawAsAdministrator } from './teamProjects.js';
import { commitCommand, onOneLine } from './teamRead.js';

/** Options of all commands that write into a team's folder. */
export const writeOptions = {
  commit: option('--commit', flag, 'have git commit the folder of the team, and nothing else'),
  dryRun: option('--dry-run', flag, 'show what would be written, and write nothing'),
  yes: option('--yes', flag, 'write without asking'),
};
/** As they were given. */
export type WriteOptions = Readonly<Partial<Record<keyof typeof writeOptions, true>>>;

const text = z.string().exactOptional();
const ids = z.array(z.string()).default([]);
const asOption = option('--as <name>', text, 'the name that your team reads (default: the last one)');

const shareInput = z.strictObject({
  references: argument('[id...]', ids, 'ids, or the last eight digits of them'),
  all: option('--all', flag, 'all that you confirmed in this project and have not shared yet'),
  tags: option('--tag <tag...>', z.array(z.string()).exactOptional(), 'those of them with one of these tags'),
  as: asOption,
  withPersonal: option('--with-personal', flag, 'of --all and --tag also what looks personal'),
  ...writeOptions,
});

const shareCommand = definePersonCommand({
  name: 'team share',
  description: 'share memories of this project with its team: what you confirmed; of a global memory, a copy',
  input: shareInput,
  run: (engine, input, caller) => share(engine, { ...input, withdraw: false }, caller),
});

const withdrawCommand = definePersonCommand({
  name: 'team withdraw',
  description: 'take back what you shared; through git also what others did. The history of git keeps it',
  input: z.strictObject({
    references: argument('[id...]', ids, 'ids, or the last eight digits of them, as recollect team lists them'),
    as: asOption,
    team: option('--team <name>', text, 'as the administrator of a server: what any member of this team shared'),
    by: option('--by <login>', text, 'with --team: all that this login shared'),
    ...writeOptions,
  }),
  run(engine, { team, by, ...input }, caller) {
    if (team !== undefined) return withdrawAsAdministrator(engine, { ...input, team, by }, caller);
    if (by !== undefined) throw new EngineError('invalidInput', 'Say of which team: --team NAME.');
    return share(engine, { ...input, withdraw: true }, caller);
  },
});

/** Sharing memories, and taking them back. */
export const teamShareCommands: readonly PersonCommand[] = [shareCommand, withdrawCommand];

/** For a release. */
export const formerShareCommand = definePersonCommand({
  name: 'share',
  now: 'recollect team share, and recollect team withdraw',
  description: shareCommand.description,
  input: shareInput.extend({
    withdraw: option('--withdraw', flag, 'take back what is shared; the history of git keeps it'),
  }),
  run: (engine, { withdraw, ...input }, caller) => share(engine, { ...input, withdraw: withdraw === true }, caller),
});

type ShareRequest = Omit<z.infer<typeof shareInput>, 'withdraw'> & { readonly withdraw: boolean };

async function share(
  { team, activity }: Pick<MemoryEngine, 'team' | 'activity'>,
  { dryRun, yes, commit, ...request }: ShareRequest,
  caller: CommandCaller,
): Promise<CommandAnswer> {
  const preview = await team.previewShare(toInput(request));
  activity.noteCall('team share', preview.memories);
  const { memories, refused } = preview;
  if (memories.length > 0) caller.show(describePreview(preview));
  const mayWrite = memories.length > 0 && dryRun !== true;
  caller.say([
    ...(caller.isJson ? [] : preview.personal.map(it => `Careful with #${shortId(it)}. ${it.reason}`)),
    ...(preview.clock === undefined ? [] : [preview.clock]),
    ...refused.map(it => `Left out #${shortId(it)}. ${it.reason}`),
    ...(mayWrite && yes === true && preview.isFirst && !caller.isJson ? [noticeOf(preview)] : []),
  ]);
  const isConfirmed = mayWrite && (await agrees(caller, yes, askToShare(preview)));
  if (isConfirmed) await team.share(preview);
  const sync = isConfirmed && preview.server !== undefined ? await send(team) : undefined;
  const isCommitted = isConfirmed && preview.server === undefined && commit === true;
  if (isCommitted) await team.commit(describeDone(preview));
  const { remarks = [], ending = 'done' } = leftOut(refused.length, 'item');
  return {
    output: { written: isConfirmed, ...preview, ...(sync === undefined ? {} : { sync }) },
    lines: [],
    hints: [describeOutcome(preview, { isDryRun: dryRun === true, isConfirmed, isCommitted, sync })],
    ...(memories.length === 0 ? {} : { remarks }),
    ending,
  };
}

function toInput({ references, as, all, tags, withPersonal, withdraw }: ShareRequest): ShareInput {
  if (references.length === 0 && all !== true && tags === undefined)
    throw new EngineError(
      'invalidInput',
      withdraw ? 'Say which memories: their ids.' : 'Say which memories: their ids, --all or --tag TAG.',
    );
  if (references.length > 0 && (all === true || tags !== undefined))
    throw new EngineError('invalidInput', 'Name ids, or say --all or --tag TAG: not both.');
  return {
    references,
    ...(as === undefined ? {} : { as }),
    ...(tags !== undefined ? { every: { tags } } : all === true ? { every: 'all' } : {}),
    withPersonal: withPersonal === true,
    withdraw,
  };
}

function describeOutcome(
  preview: SharePreview,
  {
    isDryRun,
    isConfirmed,
    isCommitted,
    sync,
  }: {
    readonly isDryRun: boolean;
    readonly isConfirmed: boolean;
    readonly isCommitted: boolean;
    readonly sync: Awaited<ReturnType<typeof send>> | undefined;
  },
): string {
  if (isDryRun) return 'This was a dry run: nothing was written.';
  if (sync !== undefined) return describeSent(preview, sync);
  if (isConfirmed) return describeShared(preview, isCommitted);
  return preview.memories.length + preview.refused.length === 0
    ? 'There is nothing to share that is not shared already.'
    : 'Nothing was written.';
}

const historyNotice =
  'Once you commit it, git keeps it for ever, also after it is withdrawn, for everyone who can read the repository.';
const serverNotice =
  'Members of the team and who runs its server can read it. recollect team withdraw takes it from the server, not from backups or from what members took in.';

const noticeOf = ({ server }: SharePreview): string => (server === undefined ? historyNotice : serverNotice);

function askToShare(preview: SharePreview): string {
  const { memories, as, withdraw, server } = preview;
  const count = formatMemoryCount(memories.length);
  if (!withdraw) return `Share ${count} as ${as}? ${noticeOf(preview)}`;
  const rest =
    server === undefined
      ? String(sharedMessages.gitKeepsHistory)
      : 'What members took in is put away at their next sync.';
  return `Withdraw ${count} as ${as}? ${rest}`;
}

/** What was shared is kept whatever the server says. */
async function send(team: MemoryEngine['team']): Promise<Pick<TeamSyncReport, 'waiting' | 'problem' | 'clock'>> {
  try {
    return await team.sync();
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return { waiting: (await team.serverStatus())?.waiting ?? 0, problem: error.message };
  }
}

function describeSent(
  preview: SharePreview,
  { waiting, problem, clock }: Pick<TeamSyncReport, 'waiting' | 'problem' | 'clock'>,
): string {
  const what = describeDone(preview);
  const sent =
    problem === undefined ? `${what}: the server has it.` : `${what}: ${waiting} waiting to be sent. ${problem}`;
  return clock === undefined ? sent : `${sent}\n${clock}`;
}

/** The one command that a person has left to run. */
function describeShared(preview: SharePreview, isCommitted: boolean): string {
  const what = describeDone(preview);
  return isCommitted
    ? `${what}, and committed. To send it: git push`
    : `${what}. To send it: ${commitCommand(preview.file.slice(0, preview.file.lastIndexOf('/')))}`;
}

function describeDone({ memories, withdraw }: SharePreview): string {
  return `${formatMemoryCount(memories.length)} ${withdraw ? 'withdrawn' : 'shared'}`;
}

function describePreview(preview: SharePreview): readonly string[] {
  const { file, server, memories, withdraw } = preview;
  if (server === undefined) return [file, ...describeAddition(preview)];
  return [server, ...memories.map(it => `${withdraw ? '-' : '+'} ${onOneLine(it.content)}`)];
}

export const describeAddition = ({ text }: TeamFileChange): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map(it => `+ ${it}`);
