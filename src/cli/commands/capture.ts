import { InvalidArgumentError, Option, type Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import {
  captureSources,
  type CaptureCandidate,
  type CaptureResult,
  type FailedSession,
  type CapturePreview,
  type CaptureSource,
  type SessionCapture,
  type SessionPreview,
} from '../../engine/model/capture.js';
import { neutralizeText } from '../../engine/model/contextEnvelope.js';
import { describeInstructionMarks } from '../../engine/model/instructionMarks.js';
import { shortId } from '../../engine/model/memory.js';
import { pluralize } from '../../engine/model/pluralize.js';
import { exitCodes, leftOut, withSigint, print, type ExitCode, type WithEngine } from '../command.js';

interface CaptureCommandOptions {
  readonly source: CaptureSource;
  readonly session?: string[];
  readonly dryRun?: true;
  readonly allow?: true;
  readonly forbid?: true;
}

/** Commands about sessions with an assistant. */
export function registerCaptureCommands(program: Command, withEngine: WithEngine): void {
  registerCaptureCommand(program, withEngine);
  registerCandidatesCommand(program, withEngine);
}

/** `recollect capture`: what is new in the sessions of the project with an assistant, or in named files. */
function registerCaptureCommand(program: Command, withEngine: WithEngine): void {
  program
    .command('capture')
    .description('keep what you laid down in sessions of the project with an assistant, as notes')
    .addOption(
      new Option('--source <source>', 'whose sessions; each is allowed by itself')
        .choices(captureSources)
        .default('claudeCode'),
    )
    .option('--session <file...>', 'these session files instead of those of the project')
    .addOption(new Option('--dry-run', 'say what would be read and sent, and keep nothing').conflicts('allow'))
    .option('--allow', 'allow it from now on, then capture')
    .addOption(new Option('--forbid', 'take the permission back').conflicts(['allow', 'dryRun', 'session']))
    .action(({ source, session, dryRun, allow, forbid }: CaptureCommandOptions) =>
      withEngine(async ({ capture }, json): Promise<ExitCode> => {
        const input = { source, ...(session === undefined ? {} : { files: session }) } as const;
        if (forbid === true) {
          await capture.forbid(source);
          print(json, { allowed: false }, () => ['Sessions are no longer captured. What was captured stays.']);
          return exitCodes.ok;
        }
        if (allow === true) await capture.allow(source);
        if (dryRun === true || !(await capture.isAllowed(source))) {
          const preview = await capture.preview(input);
          print(json, preview, () => describePreview(preview));
          if (preview.isAllowed || dryRun === true) return exitCodes.ok;
          const sourceFlag = source === 'claudeCode' ? '' : ` --source ${source}`;
          console.error(`Nothing was kept. To allow it: recollect capture${sourceFlag} --allow`);
          return exitCodes.failed;
        }
        const captured = await withSigint(signal => capture.run({ ...input, signal }));
        print(json, captured, () => describeCaptureResult(captured));
        const { length } = await capture.candidates();
        if (length > 0) console.error(`${pluralize(length, 'statement')} may be lasting: recollect candidates`);
        const exitCode = leftOut(countLeftOut(captured), 'item');
        return captured.cancelled ? exitCodes.failed : exitCode;
      }),
    );
}

interface CandidatesOptions {
  readonly keep?: string[];
  readonly drop?: string[];
  readonly rest?: 'keep' | 'drop';
  readonly as?: string;
  readonly page: number;
}

/** Candidates of one page: what is read in a minute. */
const pageSize = 10;

/** `recollect candidates`: what was said in sessions and may be lasting, to keep or drop in one go. */
function registerCandidatesCommand(program: Command, withEngine: WithEngine): void {
  program
    .command('candidates')
    .description('list what you said in captured sessions that may be lasting; keep or drop it in one go')
    .option('--keep <id...>', 'keep these as confirmed memories')
    .option('--as <text>', 'keep the one of --keep in these words')
    .option('--drop <id...>', 'take these off the list')
    .addOption(new Option('--rest <what>', 'what to do with all others of the page').choices(['keep', 'drop']))
    .option('--page <number>', `a later page, of ${pageSize} each; the likeliest come first`, toPage, 1)
    .action(({ keep = [], drop = [], rest, as: wording, page }: CandidatesOptions) =>
      withEngine(async ({ capture }, json): Promise<ExitCode> => {
        const all = await capture.candidates();
        const listed = all.slice((page - 1) * pageSize, page * pageSize);
        if (keep.length + drop.length === 0 && rest === undefined) {
          print(json, listed, () => describeCandidates(listed, { page, pages: Math.ceil(all.length / pageSize) }));
          return exitCodes.ok;
        }
        if (wording !== undefined && keep.length !== 1)
          throw new EngineError('invalidInput', 'Name one candidate with --keep that is kept in the words of --as.');
        const others = listed.map(it => it.id).filter(it => !keep.includes(it) && !drop.includes(it));
        const decision = {
          keep: rest === 'keep' ? [...keep, ...others] : keep,
          drop: rest === 'drop' ? [...drop, ...others] : drop,
          ...(wording === undefined ? {} : { edited: { [keep[0]!]: wording } }),
        };
        const outcomes = await capture.decide(decision);
        print(json, { outcomes, dropped: decision.drop.length }, () => [
          ...outcomes.map(it =>
            it.outcome === 'refused' ? `refused: ${it.reason}` : `${it.outcome} #${shortId(it)}  ${it.content}`,
          ),
          `${decision.drop.length} dropped.`,
        ]);
        return exitCodes.ok;
      }),
    );
}

function toPage(value: string): number {
  const page = Number(value);
  if (!Number.isInteger(page) || page < 1) throw new InvalidArgumentError('Name a page: 1, 2, …');
  return page;
}

function describeCandidates(
  candidates: readonly CaptureCandidate[],
  { page, pages }: { readonly page: number; readonly pages: number },
): string[] {
  if (candidates.length === 0) return [pages === 0 ? 'There are no candidates.' : `There are ${pages} pages.`];
  return [
    ...candidates.flatMap(({ id, content, said, at }) => {
      const marks = describeInstructionMarks(content);
      const careful = marks === undefined ? '' : `  (careful: it ${marks})`;
      const line = `${id}  ${at?.slice(0, 10) ?? ''.padEnd(10)}  ${neutralizeText(content)}${careful}`;
      return said === undefined ? [line] : [line, `${''.padEnd(22)}in: ${neutralizeText(said)}`];
    }),
    ...(pages > 1 ? [`Page ${page} of ${pages}${page < pages ? `; the next: --page ${page + 1}` : ''}.`] : []),
    'Keep or drop them: recollect candidates --keep ID… --rest drop; in other words: --keep ID --as "…"',
  ];
}

/** Files that cannot be read, and facts that are refused. A line of another program that is no JSON is only counted. */
function countLeftOut({ sessions, failed }: CaptureResult): number {
  const inSessions = sessions.map(it => it.outcomes.filter(({ outcome }) => outcome === 'refused').length);
  return inSessions.reduce((sum, it) => sum + it, failed.length);
}

function describeFailed(failed: readonly FailedSession[]): string[] {
  return failed.map(it => `Left out: ${it.problem}`);
}

function describePreview({ sessions, failed, folder, sends }: CapturePreview): string[] {
  const unreadSessions = sessions.filter(it => it.unread.lines > 0);
  const location = folder === undefined ? '' : ` below ${folder}`;
  return [
    `${pluralize(unreadSessions.length, 'session file')} with something new${location}.`,
    ...unreadSessions.map(describeSession),
    ...describeFailed(failed),
    'Read are your own words and what the assistant says came of them: no outputs, reminders, sub-agents or recalled memories.',
    sends === undefined
      ? 'Nothing is sent. What you asked to be remembered is kept; you decide about what else may last: recollect candidates'
      : `Sent to the language model (${sends.provider}): ${sends.characters} characters in about ${pluralize(sends.calls, 'call')}.`,
  ];
}

function describeSession({ file, unread }: SessionPreview): string {
  const { lines, personTurns, outcomes, broken, characters } = unread;
  const brokenText = broken === 0 ? '' : `, ${broken} broken`;
  return `  ${file}: ${pluralize(lines, 'line')}${brokenText}; ${pluralize(personTurns, 'turn')} of yours, ${pluralize(outcomes, 'answer')}, ${pluralize(characters, 'character')}`;
}

function describeCaptureResult({ sessions, failed, cancelled, waitsUntil }: CaptureResult): string[] {
  return [
    ...sessions.flatMap(describeSessionCapture),
    ...describeFailed(failed),
    ...(sessions.length + failed.length === 0 ? ['There is nothing new.'] : []),
    ...(cancelled ? ['Cancelled; the rest is captured the next time.'] : []),
    ...(waitsUntil === undefined
      ? []
      : [`The language model waits until ${waitsUntil.toISOString()}; so does the rest.`]),
  ];
}

function describeSessionCapture({ file, outcomes, summary, read }: SessionCapture): string[] {
  const refused = outcomes.filter(it => it.outcome === 'refused').length;
  return [
    `${file}: ${pluralize(read.lines, 'line')} read${read.broken === 0 ? '' : `, ${read.broken} broken`}${refused === 0 ? '' : `, ${refused} refused`}`,
    ...outcomes.flatMap(it =>
      it.outcome === 'refused'
        ? [`  left out: ${it.reason}`]
        : [`  ${it.outcome === 'stored' ? '+' : '='} #${it.id.slice(-8)}  ${it.content}`],
    ),
    ...(summary === undefined ? [] : [`  ${summary}`]),
  ];
}
