import path from 'node:path';
import { z } from 'zod';
import {
  briefedPrograms,
  briefingBlocks,
  briefingTitles,
  type LeftOutMemory,
  type LeftOutReason,
} from '../../engine/model/briefing.js';
import { shortId } from '../../engine/model/memory.js';
import { pluralize } from '../../engine/model/pluralize.js';
import { previewBriefing, type NoticedBriefing } from '../../engine/hooks/sessionStartContext.js';
import { option } from '../../operations/personCommand.js';
import { defineProgramCommand, type ProgramContext } from '../command.js';

/** In characters, of a memory that is left out. */
const maxLeftOutLength = 100;

/** How many of them are shown. */
const maxLeftOut = 10;

const leftOutTexts: Readonly<Record<Exclude<LeftOutReason, 'unconfirmedImport'>, string>> = {
  noRoom: 'no room',
  replaced: 'replaced by another memory',
  readByProgram: 'the assistant reads it itself',
  repeated: 'the same words as another memory',
  faded: 'heard in a session long ago',
};

/** `recollect briefing`: what a session of an assistant would be given now, why each line is there, what is left out. */
export const briefingCommand = defineProgramCommand({
  name: 'briefing',
  description: 'show what an assistant is given at the start of a session here, why, and what is left out',
  input: z.strictObject({
    program: option('--for <program>', z.enum(briefedPrograms).default('claude-code'), 'the assistant'),
  }),
  async answer(context, { program }) {
    const config = context.config();
    const briefing = await readBriefing(context, { program, config });
    const isOn = config.hooks.moments.includes('start');
    const off = 'Switched off: the start of a session is not in hooks.moments. A session is given nothing of this.';
    return { output: { isOn, ...toJson(briefing) }, lines: [...(isOn ? [] : [off]), ...describe(briefing)] };
  },
});

/** Briefing that a session of an assistant would be given now in the projects that are meant. */
export function readBriefing(
  { dataDir, projects }: ProgramContext,
  given: Pick<Parameters<typeof previewBriefing>[0], 'program' | 'config' | 'withHandover'>,
): Promise<NoticedBriefing> {
  const modelsDir = path.join(__dirname, 'models');
  return previewBriefing({ dataDir, modelsDir, folders: projects(), now: new Date(), ...given });
}

function toJson({ context, tokens, lines, leftOut, others, notices }: NoticedBriefing): object {
  return {
    context,
    tokens,
    notices,
    lines: lines.map(({ block, memory, text, reason }) => ({ id: memory.id, block, text, reason: String(reason) })),
    leftOut,
    others,
  };
}

function describe({ tokens, lines, leftOut, others, notices }: NoticedBriefing): readonly string[] {
  const given = briefingBlocks.flatMap(block => {
    const its = lines.filter(it => it.block === block);
    return its.length === 0
      ? []
      : ['', briefingTitles[block], ...its.map(({ text, reason }) => `${text}\n    ${String(reason)}`)];
  });
  const notGiven = describeLeftOut(leftOut);
  return [
    ...notices,
    `${pluralize(lines.length, 'memory', 'memories')}, about ${pluralize(tokens, 'token')}.`,
    ...given,
    ...(notGiven.length === 0 ? [] : ['', 'Left out:', ...notGiven]),
    ...(others === 0
      ? []
      : [
          '',
          `${pluralize(others, 'more memory', 'more memories')}: no rule, not due, not in use lately. A recall finds ${others === 1 ? 'it' : 'them'}.`,
        ]),
  ];
}

/** The first ones, a line each; what awaits a review is one line. */
function describeLeftOut(leftOut: readonly LeftOutMemory[]): readonly string[] {
  const others = leftOut.flatMap(({ reason, ...it }) => (reason === 'unconfirmedImport' ? [] : [{ reason, ...it }]));
  const imported = leftOut.length - others.length;
  return [
    ...others.slice(0, maxLeftOut).map(({ id, content, reason }) => {
      const text = content.replaceAll(/\s+/gu, ' ').slice(0, maxLeftOutLength);
      return `- #${shortId({ id })} ${text}\n    ${leftOutTexts[reason]}`;
    }),
    ...(others.length > maxLeftOut ? [`- and ${others.length - maxLeftOut} more; --json names them all`] : []),
    ...(imported === 0
      ? []
      : [
          `- ${pluralize(imported, 'memory', 'memories')}: imported, and not confirmed by you\n    To keep or drop ${imported === 1 ? 'it' : 'them by file and heading'}: recollect import --review`,
        ]),
  ];
}
