import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import { neutralizeText } from '../../engine/model/contextEnvelope.js';
import { shortId } from '../../engine/model/memory.js';
import { formatMemoryCount, pluralize } from '../../engine/model/pluralize.js';
import {
  describeSharing,
  type OwnShare,
  type ReceivedShare,
  type SharePreview,
  type TeamChange,
  type TeamContradiction,
  type TeamFileChange,
  type TeamReadReport,
  type TeamServerStatus,
  type TeamStatus,
  type TeamSyncReport,
} from '../../engine/model/team.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { registerTeamServerCommands } from './teamServer.js';
import { confirm, exitCodes, leftOut, print, type ExitCode, type WithEngine } from '../command.js';

/** Sharing memories of a project with a team, through its git repository. */
export function registerTeamCommands(program: Command, withEngine: WithEngine): void {
  registerShare(program, withEngine);
  const team = program.command('team').description('memories that the members of a team share');
  team
    .command('status', { isDefault: true })
    .description('what is shared by whom, what waits for you and what is new; this is the default')
    .action(() => withEngine(showStatus));
  const git = team.command('git').description('sharing through a folder of the git repository, without a server');
  git
    .command('init')
    .description('make the folder, after showing what is written; git carries it once you commit it')
    .argument('[folder]', 'a folder in the project (default: .recollect/team)')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--yes', 'write without asking')
    .action((folder: string | undefined, options: WriteOptions) =>
      withEngine(({ team }, json) => init(team, json, folder, options)),
    );
  git
    .command('read')
    .description('take in as notes what others shared and git has brought; run git pull yourself before')
    .action(() => withEngine(read));
  registerTeamServerCommands(team, withEngine, { describe: describeRead, advise: adviseAfterRead, note: noteShown });
}

type TeamEngine = Pick<MemoryEngine, 'team' | 'activity'>;

interface WriteOptions {
  readonly dryRun?: true;
  readonly yes?: true;
}

function registerShare(program: Command, withEngine: WithEngine): void {
  interface Options extends WriteOptions {
    readonly as?: string;
    readonly withPersonal?: true;
    readonly withdraw?: true;
  }
  program
    .command('share')
    .description(
      'share memories of this project with your team: through its server (see team connect), or a line each in its folder (team git init)',
    )
    .argument('<id...>', 'ids, or the last eight digits of them')
    .option('--as <name>', 'the name that your team reads (default: the last one)')
    .option('--with-personal', 'share a preference, a correction or personal data too: your team reads it as yours')
    .option('--withdraw', 'take back what you shared; the history of git keeps it')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--yes', 'write without asking')
    .action((references: string[], { as, withPersonal, withdraw, dryRun, yes }: Options) =>
      withEngine(async ({ team, activity }, json) => {
        const preview = await team.previewShare({
          references,
          ...(as === undefined ? {} : { as }),
          withPersonal: withPersonal === true,
          withdraw: withdraw === true,
        });
        activity.noteCall('share', preview.memories);
        const count = preview.memories.length;
        if (!json && count > 0) print(false, preview, () => describePreview(preview));
        for (const it of preview.refused) {
          console.error(`Left out #${shortId(it)}. ${it.reason}`);
        }
        const mayAsk = dryRun !== true && !json && count > 0;
        if (mayAsk && yes === true && preview.isFirst) console.error(noticeOf(preview));
        const isConfirmed =
          count > 0 && dryRun !== true && (yes === true || (mayAsk && (await confirm(askToShare(preview)))));
        if (isConfirmed) await team.share(preview);
        const sync = isConfirmed && preview.server !== undefined ? await send(team) : undefined;
        if (json) print(true, { written: isConfirmed, ...preview, ...(sync === undefined ? {} : { sync }) }, () => []);
        else if (dryRun === true) console.error('This was a dry run: nothing was written.');
        else if (sync !== undefined) for (const it of describeSent(preview, sync)) console.error(it);
        else if (isConfirmed) console.error(describeShared(preview));
        else if (count > 0) console.error('Nothing was written.');
        return leftOutOf(count, preview.refused.length);
      }),
    );
}

const historyNotice =
  'Once you commit it, git keeps it for ever, also after --withdraw, for everyone who can read the repository.';
const serverNotice =
  'Members of the team and who runs its server can read it. --withdraw takes it from the server, not from backups or from what members took in.';

const noticeOf = ({ server }: SharePreview): string => (server === undefined ? historyNotice : serverNotice);

function askToShare(preview: SharePreview): string {
  const { memories, as, withdraw, server } = preview;
  const count = formatMemoryCount(memories.length);
  if (!withdraw) return `Share ${count} as ${as}? ${noticeOf(preview)}`;
  const rest =
    server === undefined
      ? 'The history of git keeps what was committed.'
      : 'What members took in is put away at their next sync.';
  return `Withdraw ${count} as ${as}? ${rest}`;
}

/** What was shared is kept whatever the server says. */
async function send(team: MemoryEngine['team']): Promise<Pick<TeamSyncReport, 'waiting' | 'problem'>> {
  try {
    return await team.sync();
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return { waiting: (await team.serverStatus())?.waiting ?? 0, problem: error.message };
  }
}

function describeSent(
  { memories, withdraw }: SharePreview,
  { waiting, problem }: Pick<TeamSyncReport, 'waiting' | 'problem'>,
): readonly string[] {
  const what = `${formatMemoryCount(memories.length)} ${withdraw ? 'withdrawn' : 'shared'}`;
  return problem === undefined
    ? [`${what}: the server has it.`]
    : [`${what}: ${waiting} waiting to be sent. ${problem}`];
}

function describeShared({ file, memories, withdraw }: SharePreview): string {
  const what = `${formatMemoryCount(memories.length)} ${withdraw ? 'withdrawn' : 'shared'}`;
  return `${what}: commit and push ${file}. Recollect does neither.`;
}

/** Some were refused: all of them, or the rest is done. */
function leftOutOf(done: number, refused: number): ExitCode {
  if (refused === 0) return exitCodes.ok;
  return done === 0 ? exitCodes.failed : leftOut(refused, 'item');
}

async function init(
  team: MemoryEngine['team'],
  json: boolean,
  folder: string | undefined,
  { dryRun, yes }: WriteOptions,
): Promise<ExitCode> {
  const preview = await team.previewInit(folder);
  const { changes, isIgnored } = preview;
  if (!json) print(false, preview, () => changes.flatMap(it => [it.file, ...describeAddition(it)]));
  const question = `Write ${pluralize(changes.length, 'file')} into ${preview.folder}?`;
  const isConfirmed = dryRun !== true && (changes.length === 0 || yes === true || (!json && (await confirm(question))));
  if (isConfirmed) await team.init(preview);
  if (json) print(true, { written: isConfirmed && changes.length > 0, ...preview }, () => []);
  else if (dryRun === true) console.error('This was a dry run: nothing was written.');
  else if (!isConfirmed) console.error('Nothing was written.');
  else console.error(describeInit(preview.folder, changes.length > 0));
  if (isIgnored)
    console.error(`Git ignores ${preview.folder}: take it out of .gitignore, or nothing in it reaches your team.`);
  return exitCodes.ok;
}

function describeInit(folder: string, isNew: boolean): string {
  const state = isNew
    ? `The folder ${folder} is there: commit it.`
    : `The folder ${folder} was there, and is used here.`;
  return `${state} Share a memory: recollect share ID. Take in those of others: recollect team git read`;
}

function describePreview(preview: SharePreview): readonly string[] {
  const { file, server, memories, withdraw } = preview;
  if (server === undefined) return [file, ...describeAddition(preview)];
  return [server, ...memories.map(it => `${withdraw ? '-' : '+'} ${onOneLine(it.content)}`)];
}

const describeAddition = ({ text }: TeamFileChange): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map(it => `+ ${it}`);

async function read({ team, activity }: TeamEngine, json: boolean): Promise<ExitCode> {
  const report = await team.read();
  noteShown(activity, 'team git read', report.changes);
  print(json, report, () => describeRead(report));
  if (!json) adviseAfterRead(report);
  return leftOut(report.refused.length, 'line');
}

function adviseAfterRead({ id, changes }: TeamReadReport): void {
  if (id === undefined) return;
  const isNew = changes.some(it => it.what === 'added' || it.what === 'changed');
  const advice = isNew
    ? 'Confirm what is right: recollect promote ID…; drop others: recollect forget ID…; take'
    : 'Take';
  console.error(`${advice} all back: recollect import --undo ${shortId({ id })}`);
}

/** Notes what a call gave out, as every listing does. */
function noteShown(
  activity: MemoryEngine['activity'],
  via: string,
  shown: readonly { readonly id?: string; readonly contradicts: readonly TeamContradiction[] }[],
): void {
  const ids = shown.flatMap(it => [...(it.id === undefined ? [] : [it.id]), ...it.contradicts.map(other => other.id)]);
  const memories = [...new Set(ids)].map(id => ({ id }));
  activity.noteCall(via, memories);
}

function describeRead({ folder, changes, known, refused }: TeamReadReport): readonly string[] {
  const fresh = changes.filter(it => it.what === 'added' || it.what === 'changed').length;
  return [
    `${folder}: ${fresh} new, ${known} known`,
    ...changes.flatMap(describeChange),
    ...refused.map(it => `left       ${it.where}: ${it.reason}`),
  ];
}

function describeChange({ what, id, content, author, careful, contradicts }: TeamChange): readonly string[] {
  const labels = [describeSharing(author), ...(careful === undefined ? [] : [`careful: ${careful}`])];
  return [
    `${what.padEnd(9)}  #${shortId({ id })}  ${onOneLine(content)}  (${labels.join(' · ')})`,
    ...(what === 'kept' ? ['    its member has changed or withdrawn it; here a person vouches for it'] : []),
    ...contradicts.map(it => describeContradiction(id, it)),
  ];
}

function describeContradiction(id: string, { id: other, content, author }: TeamContradiction): string {
  const from = author === undefined ? 'yours' : describeSharing(author);
  return `    contradicts #${shortId({ id: other })}  ${onOneLine(content)}  (${from}); settle it: recollect settle ${shortId({ id })} ${shortId({ id: other })} --keep a, b or both`;
}

interface MovedStore {
  /** The server, and the schema there. */
  readonly memoriesOn?: string;
  readonly waitingMemories?: number;
}

async function showStatus({ team, activity }: TeamEngine, json: boolean): Promise<ExitCode> {
  const status = await team.status();
  noteShown(activity, 'team', [...status.own.map(it => ({ ...it, contradicts: [] })), ...status.received]);
  const { kind, name } = await team.store.place();
  const isAway = team.store.notices.length > 0;
  const moved: MovedStore = {
    ...(kind === 'server' ? { memoriesOn: name } : {}),
    ...(isAway ? { waitingMemories: await team.store.countWaiting() } : {}),
  };
  print(json, { ...status, ...moved }, () => [...describeStatus(status), ...describeMovedStore(moved)]);
  if (!json) for (const it of adviceFor(status)) console.error(it);
  return exitCodes.ok;
}

/** Where the first project's own memories are on a server, and how many of all wait here while one cannot be used. */
function describeMovedStore({ memoriesOn, waitingMemories }: MovedStore): readonly string[] {
  const parts = [
    ...(memoriesOn === undefined ? [] : [`on ${memoriesOn}`]),
    ...(waitingMemories === undefined ? [] : [`offline, ${waitingMemories} waiting`]),
  ];
  return parts.length === 0 ? [] : [`memories   ${parts.join(': ')}`];
}

function describeStatus({ folder, exists, server, name, own, received, refused }: TeamStatus): readonly string[] {
  if (!exists) return [`Nothing is shared: the project has no folder ${folder}.`];
  return [
    `${folder}: ${formatMemoryCount(own.length)} by you${name === undefined ? '' : ` as ${name}`}, ${formatMemoryCount(received.length)} by others`,
    ...(server === undefined ? [] : [describeServer(server)]),
    ...own.map(it => describeOwnShare(it, server !== undefined)),
    ...received.flatMap(describeReceivedShare),
    ...refused.map(it => `left       ${it.where}: ${it.reason}`),
  ];
}

function describeOwnShare({ id, content, at, isCommitted, isStale }: OwnShare, isOnServer: boolean): string {
  const unsent = isOnServer ? 'waits to be sent' : 'not committed yet';
  const labels = [
    `shared by you on ${at.slice(0, 10)}`,
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

function describeReceivedShare({ id, content, author, by, state, contradicts }: ReceivedShare): readonly string[] {
  const label = id === undefined ? '         ' : `#${shortId({ id })}`;
  const alias = author.startsWith(`${by} <`) ? '' : `, as ${onOneLine(by)}`;
  return [
    `${state.padEnd(9)}  ${label}  ${onOneLine(content)}  (${describeSharing(author)}${alias})`,
    ...(id === undefined ? [] : contradicts.map(it => describeContradiction(id, it))),
  ];
}

/** What to do next, a sentence each. */
function adviceFor({ exists, server, own, received, withdrawalsToRead }: TeamStatus): readonly string[] {
  if (!exists)
    return [
      'Share through git: recollect team git init; through the PostgreSQL server of your team: recollect team connect',
    ];
  const unread = received.filter(it => it.state === 'new').length + withdrawalsToRead;
  const notes = received.filter(it => it.state === 'note').length;
  return [
    ...(unread === 0
      ? []
      : [
          `${pluralize(unread, 'line')} of others to take in: recollect team ${server === undefined ? 'git read' : 'sync'}`,
        ]),
    ...(notes === 0 ? [] : [`${pluralize(notes, 'note')} of others to confirm: recollect promote ID…`]),
    ...(own.every(it => it.isCommitted)
      ? []
      : [
          server === undefined
            ? 'What you shared reaches others once you commit and push it.'
            : 'What waits is sent by the next sync: recollect team sync',
        ]),
    ...(own.some(it => it.isStale) ? ['Share it again, or withdraw it: recollect share --withdraw ID'] : []),
  ];
}

const onOneLine = (text: string): string => neutralizeText(text.replaceAll(/\s+/gu, ' '));
