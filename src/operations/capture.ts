import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import {
  captureSources,
  type CaptureCandidate,
  type CaptureResult,
  type FailedSession,
  type CapturePreview,
  type SessionCapture,
  type SessionPreview,
} from '../engine/model/capture.js';
import { neutralizeText } from '../engine/model/contextEnvelope.js';
import { describeInstructionMarks } from '../engine/model/instructionMarks.js';
import { shortId } from '../engine/model/memory.js';
import { pluralize } from '../engine/model/pluralize.js';
import {
  count,
  definePersonCommand,
  flag,
  leftOut,
  option,
  type CommandAnswer,
  type PersonCommand,
} from './personCommand.js';

/** Reads the new part of sessions of the project with an assistant, or of named files. */
const captureCommand = definePersonCommand({
  name: 'capture',
  description: 'read your sessions with an assistant in this project, and keep as notes what you decided there',
  input: z.strictObject({
    source: option(
      '--source <source>',
      z.enum(captureSources).default('claudeCode'),
      'the assistant; you allow each one by itself',
    ),
    files: option(
      '--session <file...>',
      z.array(z.string()).exactOptional(),
      'these session files instead of those of the project',
    ),
    dryRun: option('--dry-run', flag, 'say what would be read and sent, and keep nothing', ['allow']),
    allow: option('--allow', flag, 'allow it from now on, then capture'),
    forbid: option('--forbid', flag, 'take the permission back', ['allow', 'dryRun', 'session']),
  }),
  async run({ capture }, { dryRun, allow, forbid, ...input }, caller): Promise<CommandAnswer> {
    const { source } = input;
    if (forbid === true) {
      await capture.forbid(source);
      return { output: { allowed: false }, lines: ['Sessions are no longer captured. What was captured stays.'] };
    }
    if (allow === true) await capture.allow(source);
    if (dryRun === true || !(await capture.isAllowed(source))) {
      const preview = await capture.preview(input);
      const answer = { output: preview, lines: describePreview(preview) };
      if (preview.isAllowed || dryRun === true) return answer;
      const sourceFlag = source === 'claudeCode' ? '' : ` --source ${source}`;
      const next = `Nothing was kept. To allow it: recollect capture${sourceFlag} --allow`;
      return { ...answer, remarks: [next], ending: 'failed' };
    }
    const captured = await caller.interruptible(signal => capture.run({ ...input, signal }));
    const { length } = await capture.candidates();
    const waiting = length > 0 ? [`${pluralize(length, 'statement')} may be lasting: recollect candidates`] : [];
    const { remarks = [], ending = 'done' } = leftOut(countLeftOut(captured), 'item');
    return {
      output: captured,
      lines: describeCaptureResult(captured),
      remarks: [...waiting, ...remarks],
      ending: captured.cancelled ? 'failed' : ending,
    };
  },
});

/** Candidates of one page: what is read in a minute. */
const pageSize = 10;
const ids = z.array(z.string()).default([]);

/** Statements of sessions that may be lasting, to keep or drop in one go. */
const candidatesCommand = definePersonCommand({
  name: 'candidates',
  description: 'list what you said in captured sessions that may be worth keeping, and keep or drop it',
  input: z.strictObject({
    keep: option('--keep <id...>', ids, 'keep these as confirmed memories'),
    wording: option('--as <text>', z.string().exactOptional(), 'keep the one of --keep in these words'),
    drop: option('--drop <id...>', ids, 'take these off the list'),
    rest: option('--rest <what>', z.enum(['keep', 'drop']).exactOptional(), 'what to do with all others of the page'),
    page: option('--page <number>', count.default(1), `a later page, of ${pageSize} each; the likeliest come first`),
  }),
  async run({ capture }, { keep, drop, rest, wording, page }) {
    const all = await capture.candidates();
    const listed = all.slice((page - 1) * pageSize, page * pageSize);
    if (keep.length + drop.length === 0 && rest === undefined)
      return { output: listed, lines: describeCandidates(listed, { page, pages: Math.ceil(all.length / pageSize) }) };
    if (wording !== undefined && keep.length !== 1)
      throw new EngineError('invalidInput', 'Name one candidate with --keep that is kept in the words of --as.');
    const others = listed.map(it => it.id).filter(it => !keep.includes(it) && !drop.includes(it));
    const decision = {
      keep: rest === 'keep' ? [...keep, ...others] : keep,
      drop: rest === 'drop' ? [...drop, ...others] : drop,
      ...(wording === undefined ? {} : { edited: { [keep[0]!]: wording } }),
    };
    const outcomes = await capture.decide(decision);
    return {
      output: { outcomes, dropped: decision.drop.length },
      lines: [
        ...outcomes.map(it =>
          it.outcome === 'refused' ? `refused: ${it.reason}` : `${it.outcome} #${shortId(it)}  ${it.content}`,
        ),
        `${decision.drop.length} dropped.`,
      ],
    };
  },
});

/** About sessions with an assistant. */
export const captureCommands: readonly PersonCommand[] = [captureCommand, candidatesCommand];

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
