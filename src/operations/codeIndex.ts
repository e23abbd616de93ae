import path from 'node:path';
import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { IndexReport } from '../engine/model/codeIndex.js';
import { pluralize, formatMemoryCount } from '../engine/model/pluralize.js';
import {
  argument,
  definePersonCommand,
  flag,
  leftOut,
  option,
  type CommandAnswer,
  type CommandCaller,
} from './personCommand.js';

/** Control-C keeps what is done. */
export const indexCommand = definePersonCommand({
  name: 'index',
  description: 'describe the code of the project, so that a recall finds it by what it does',
  input: z.strictObject({
    paths: argument(
      '[path...]',
      z.array(z.string()).default([]),
      'files and folders of the project (default: all of it)',
    ),
    status: option('--status', flag, 'say what is indexed'),
    dryRun: option('--dry-run', flag, 'say what would be done, and change nothing'),
  }),
  async run(engine, { paths, status, dryRun }, caller) {
    if (status === true) return showStatus(engine);
    const report = await caller.interruptible(async signal => {
      const done = await engine.codeIndex.run({
        ...(paths.length === 0 ? {} : { paths: paths.map(it => path.resolve(it)) }),
        dryRun: dryRun === true,
        signal,
        onProgress: ({ done, total }) => {
          caller.showProgress(`${done} of ${pluralize(total, 'file')}`, done === total);
        },
      });
      if (dryRun !== true && done.status === 'done') await embedDescriptions(engine, signal, caller);
      return done;
    });
    const answer = { output: report, lines: describeIndexReport(report), ...leftOut(report.failed.length, 'item') };
    return report.status === 'done' ? answer : { ...answer, ending: 'failed' };
  },
});

async function showStatus({ codeIndex }: MemoryEngine): Promise<CommandAnswer> {
  const status = await codeIndex.status();
  return {
    output: status,
    lines: [
      status.lastAt === undefined
        ? 'No code is indexed. Index it with: recollect index'
        : `${pluralize(status.files, 'file')}, ${pluralize(status.pairs, 'description')} with code; last indexed ${status.lastAt}`,
      ...(status.undescribed === 0
        ? []
        : [`${status.undescribed} have no comment: an assistant describes them, with its prompt or skill "describe"`]),
    ],
  };
}

/**
 * Descriptions are asked for in other words than their own, so they are embedded before the command ends: no other process
 * may come that does it. Where the model cannot be asked, they wait for one.
 */
async function embedDescriptions(engine: MemoryEngine, signal: AbortSignal, caller: CommandCaller): Promise<void> {
  try {
    await engine.embedMissing({
      signal,
      isPatient: false,
      onProgress: ({ embedded, total }) => {
        if (total > 0) caller.showProgress(`${embedded} of ${formatMemoryCount(total)} embedded`, embedded === total);
      },
    });
  } catch (error) {
    if (!EngineError.is(error, 'embedderUnavailable')) throw error;
  }
}

function describeIndexReport(report: IndexReport): string[] {
  const would = report.dryRun ? 'would be ' : '';
  const skipped = Object.entries(report.leftOut).map(([reason, count]) => `${count} ${reason}`);
  return [
    `${pluralize(report.indexed, 'file')} ${would}indexed, ${report.unchanged} unchanged, ${report.removed} gone; ${pluralize(report.pairs, 'description')} ${would}made` +
      (report.dryRun ? '' : `, ${formatMemoryCount(report.archived)} forgotten`),
    ...(skipped.length === 0 ? [] : [`Left out: ${skipped.join(', ')}`]),
    ...(report.refused === 0
      ? []
      : [
          `Refused, for a secret or because you chose to forget it: ${pluralize(report.refused, 'text')}`,
          ...nameFirst(report.refusedFiles ?? [], it => it),
        ]),
    ...(report.cut === 0
      ? []
      : [`Too long for one memory, so that only the beginning is kept: ${pluralize(report.cut, 'piece')}`]),
    ...describeModelWork(report),
    ...describeFailures(report.failed),
    ...(report.status === 'done' ? [] : ['Cancelled. Run it again to go on from there.']),
  ];
}

function describeModelWork({ describedByModel, waitingForModel = 0, dryRun }: IndexReport): string[] {
  if (describedByModel === undefined) return [];
  const waiting =
    waitingForModel === 0 ? '' : `; ${waitingForModel} without a comment wait for ${dryRun ? 'a' : 'the next'} run`;
  return [`Described by the language model: ${pluralize(describedByModel, 'declaration')}${waiting}`];
}

/** Files that are named; of an unknown kind there may be hundreds. */
const maxNamedFailures = 20;

function describeFailures(failed: IndexReport['failed']): string[] {
  if (failed.length === 0) return [];
  return [
    `Skipped, because they could not be read or described: ${failed.length}. The rest is indexed.`,
    ...nameFirst(
      failed,
      ({ file, symbol, problem }) => `${file}${symbol === undefined ? '' : `: ${symbol}`} (${problem})`,
    ),
  ];
}

function nameFirst<T>(items: readonly T[], describe: (item: T) => string): string[] {
  const rest = items.length - maxNamedFailures;
  return [
    ...items.slice(0, maxNamedFailures).map(it => `  ${describe(it)}`),
    ...(rest > 0 ? [`  and ${rest} more; --json names them all`] : []),
  ];
}
