import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { shortId } from '../../engine/model/memory.js';
import { formatMemoryCount } from '../../engine/model/pluralize.js';
import type { ShareInput, SharePreview, TeamFileChange, TeamSyncReport } from '../../engine/model/team.js';
import { confirm, exitCodes, leftOut, print, type ExitCode, type WithEngine } from '../command.js';
import { withdrawAsAdministrator } from './teamProjects.js';
import { commitCommand, onOneLine } from './teamRead.js';

/** Options of all commands that write into a team's folder. */
export interface WriteOptions {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly commit?: true;
}

interface ShareOptions extends WriteOptions {
  readonly as?: string;
  readonly all?: true;
  readonly tag?: readonly string[];
  readonly withPersonal?: true;
  readonly withdraw?: true;
}

interface WithdrawOptions extends ShareOptions {
  readonly team?: string;
  readonly by?: string;
}

/** The options that all of them take. */
export function addWriteOptions(command: Command): Command {
  return command
    .option('--commit', 'have git commit the folder of the team, and nothing else')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--yes', 'write without asking');
}

/** Sharing memories, and taking them back. @param isRenamed for the former `recollect share` */
export function registerShare(parent: Command, withEngine: WithEngine, isRenamed = false): Command {
  const command = parent
    .command('share', { hidden: isRenamed })
    .description('share memories of this project with its team: what you confirmed; of a global memory, a copy')
    .argument('[id...]', 'ids, or the last eight digits of them')
    .option('--all', 'all that you confirmed in this project and have not shared yet')
    .option('--tag <tag...>', 'those of them with one of these tags')
    .option('--as <name>', 'the name that your team reads (default: the last one)')
    .option('--with-personal', 'of --all and --tag also what looks personal');
  if (isRenamed) command.option('--withdraw', 'take back what is shared; the history of git keeps it');
  return addWriteOptions(command).action((references: string[], options: ShareOptions) =>
    withEngine((engine, json) => share(engine, json, references, options)),
  );
}

export function registerWithdraw(parent: Command, withEngine: WithEngine): void {
  const command = parent
    .command('withdraw')
    .description('take back what you shared; through git also what others did. The history of git keeps it')
    .argument('[id...]', 'ids, or the last eight digits of them, as recollect team lists them')
    .option('--as <name>', 'the name that your team reads (default: the last one)')
    .option('--team <name>', 'as the administrator of a server: what any member of this team shared')
    .option('--by <login>', 'with --team: all that this login shared');
  addWriteOptions(command).action((references: string[], { team, by, ...options }: WithdrawOptions) =>
    withEngine((engine, json) => {
      if (team !== undefined) return withdrawAsAdministrator(engine, json, references, { ...options, team, by });
      if (by !== undefined) throw new EngineError('invalidInput', 'Say of which team: --team NAME.');
      return share(engine, json, references, { ...options, withdraw: true });
    }),
  );
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

function showPreview(preview: SharePreview): void {
  if (preview.memories.length > 0) print(false, preview, () => describePreview(preview));
  for (const it of preview.personal) console.error(`Careful with #${shortId(it)}. ${it.reason}`);
}

function toInput(references: readonly string[], { as, all, tag, withPersonal, withdraw }: ShareOptions): ShareInput {
  if (references.length === 0 && all !== true && tag === undefined)
    throw new EngineError(
      'invalidInput',
      withdraw === true ? 'Say which memories: their ids.' : 'Say which memories: their ids, --all or --tag TAG.',
    );
  return {
    references,
    ...(as === undefined ? {} : { as }),
    ...(all === true ? { every: 'all' } : tag === undefined ? {} : { every: { tags: tag } }),
    withPersonal: withPersonal === true,
    withdraw: withdraw === true,
  };
}

async function share(
  { team, activity }: Pick<MemoryEngine, 'team' | 'activity'>,
  json: boolean,
  references: readonly string[],
  options: ShareOptions,
): Promise<ExitCode> {
  const { dryRun, yes, commit } = options;
  const preview = await team.previewShare(toInput(references, options));
  activity.noteCall('team share', preview.memories);
  const count = preview.memories.length;
  if (!json) showPreview(preview);
  if (preview.clock !== undefined) console.error(preview.clock);
  for (const it of preview.refused) console.error(`Left out #${shortId(it)}. ${it.reason}`);
  const mayAsk = dryRun !== true && !json && count > 0;
  if (mayAsk && yes === true && preview.isFirst) console.error(noticeOf(preview));
  const isConfirmed =
    count > 0 && dryRun !== true && (yes === true || (mayAsk && (await confirm(askToShare(preview)))));
  if (isConfirmed) await team.share(preview);
  const sync = isConfirmed && preview.server !== undefined ? await send(team) : undefined;
  const isCommitted = isConfirmed && preview.server === undefined && commit === true;
  if (isCommitted) await team.commit(describeDone(preview));
  if (json) print(true, { written: isConfirmed, ...preview, ...(sync === undefined ? {} : { sync }) }, () => []);
  else console.error(describeOutcome(preview, { isDryRun: dryRun === true, isConfirmed, isCommitted, sync }));
  return leftOutOf(count, preview.refused.length);
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
      ? 'The history of git keeps what was committed.'
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

/** Some were refused: all of them, or the rest is done. */
function leftOutOf(done: number, refused: number): ExitCode {
  if (refused === 0) return exitCodes.ok;
  return done === 0 ? exitCodes.failed : leftOut(refused, 'item');
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
