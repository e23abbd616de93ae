import path from 'node:path';
import { Option, type Command } from 'commander';
import { readClientRights } from '../../engine/access/clientRights.js';
import {
  briefedPrograms,
  briefingBlocks,
  briefingTitles,
  briefingTokenBudget,
  hookClients,
  type BriefedProgram,
  type LeftOutMemory,
  type LeftOutReason,
} from '../../engine/model/briefing.js';
import type { Config } from '../../engine/model/config.js';
import { shortId } from '../../engine/model/memory.js';
import { pluralize } from '../../engine/model/pluralize.js';
import { previewBriefing, type NoticedBriefing } from '../../engine/hooks/sessionStartContext.js';
import type { ProgramContext } from '../command.js';
import { filterProjects } from '../filterProjects.js';
import { requireFolder } from '../program.js';

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
export function registerBriefingCommand(program: Command, context: ProgramContext): void {
  program
    .command('briefing')
    .description('show what an assistant is given at the start of a session here, why, and what is left out')
    .addOption(new Option('--for <program>', 'the assistant').choices(briefedPrograms).default('claude-code'))
    .action(async ({ for: forProgram }: { readonly for: BriefedProgram }) => {
      const config = context.config();
      const { moments } = config.hooks;
      const withHandover = moments.includes('handover');
      const briefing = await readBriefing(context, config, { program: forProgram, withHandover });
      const isOn = moments.includes('start');
      context.print({ isOn, ...toJson(briefing) }, () => [
        ...(isOn
          ? []
          : ['Switched off: the start of a session is not in hooks.moments. A session is given nothing of this.']),
        ...describe(briefing),
      ]);
    });
}

/** Briefing that a session of an assistant would be given now in the projects that are meant. */
export function readBriefing(
  context: ProgramContext,
  { decay }: Config,
  { program, ...options }: Pick<Parameters<typeof previewBriefing>[0], 'program' | 'withHandover'>,
): Promise<NoticedBriefing> {
  const dataDir = context.dataDir();
  const client = hookClients[program];
  return previewBriefing({
    dataDir,
    modelsDir: path.join(__dirname, 'models'),
    onlyStore: readClientRights(dataDir, client).store,
    program,
    client,
    folders: foldersOf(context),
    now: new Date(),
    rules: decay,
    tokenBudget: briefingTokenBudget,
    ...options,
  });
}

/** The folders of the projects that are meant; none where the current folder can be no project. */
export function foldersOf({ projects }: ProgramContext): readonly string[] {
  return projects()?.map(requireFolder) ?? filterProjects([process.cwd()]);
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
