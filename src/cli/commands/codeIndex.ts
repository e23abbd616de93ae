import path from 'node:path';
import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { pluralize, formatMemoryCount } from '../../engine/model/pluralize.js';
import type { IndexReport } from '../../engine/model/codeIndex.js';
import { exitCodes, leftOut, withSigint, print, type ExitCode, type WithEngine } from '../command.js';

interface IndexCommandOptions {
  readonly status?: true;
  readonly dryRun?: boolean;
}

/** `recollect index`. Ctrl+C keeps what is done. */
export function registerIndexCommand(program: Command, withEngine: WithEngine): void {
  program
    .command('index')
    .description('describe the code of the project, so that it is found by what it does')
    .argument('[path...]', 'files and folders of the project (default: all of it)')
    .option('--status', 'say what is indexed')
    .option('--dry-run', 'say what would be done, and change nothing')
    .action((paths: readonly string[], options: IndexCommandOptions) =>
      withEngine((engine, json) =>
        options.status === true ? showStatus(engine, json) : indexCode(engine, json, paths, options),
      ),
    );
}

async function showStatus({ codeIndex }: MemoryEngine, json: boolean): Promise<ExitCode> {
  const status = await codeIndex.status();
  print(json, status, () => [
    status.lastAt === undefined
      ? 'No code is indexed. Index it with: recollect index'
      : `${pluralize(status.files, 'file')}, ${pluralize(status.pairs, 'description')} with code; last indexed ${status.lastAt}`,
    ...(status.undescribed === 0
      ? []
      : [`${status.undescribed} have no comment: an assistant describes them, with its prompt or skill "describe"`]),
  ]);
  return exitCodes.ok;
}

async function indexCode(
  engine: MemoryEngine,
  json: boolean,
  paths: readonly string[],
  { dryRun = false }: IndexCommandOptions,
): Promise<ExitCode> {
  const showsProgress = process.stderr.isTTY && !json;
  const report = await withSigint(async signal => {
    const done = await engine.codeIndex.run({
      ...(paths.length === 0 ? {} : { paths: paths.map(it => path.resolve(it)) }),
      dryRun,
      signal,
      onProgress: ({ done, total }) => {
        if (showsProgress) process.stderr.write(`\r${done} of ${pluralize(total, 'file')}`);
      },
    });
    if (showsProgress) process.stderr.write('\n');
    if (!dryRun && done.status === 'done') await embedDescriptions(engine, signal, showsProgress);
    return done;
  });
  print(json, report, () => describeIndexReport(report));
  const exitCode = leftOut(report.failed.length, 'item');
  return report.status === 'done' ? exitCode : exitCodes.failed;
}

/**
 * Descriptions are asked for in other words than their own, so they are embedded before the command ends: no other process
 * may come that does it. Where the model cannot be asked, they wait for one.
 */
async function embedDescriptions(engine: MemoryEngine, signal: AbortSignal, showsProgress: boolean): Promise<void> {
  try {
    await engine.embedMissing({
      signal,
      isPatient: false,
      onProgress: ({ embedded, total }) => {
        if (showsProgress && total > 0) process.stderr.write(`\r${embedded} of ${formatMemoryCount(total)} embedded`);
      },
    });
  } catch (error) {
    if (!EngineError.is(error, 'embedderUnavailable')) throw error;
  }
  if (showsProgress) process.stderr.write('\n');
}

function describeIndexReport(report: IndexReport): string[] {
  const would = report.dryRun ? 'would be ' : '';
  const skipped = Object.entries(report.leftOut).map(([reason, count]) => `${count} ${reason}`);
  return [
    `${pluralize(report.indexed, 'file')} ${would}indexed, ${report.unchanged} unchanged, ${report.removed} gone; ${pluralize(report.pairs, 'description')} ${would}made` +
      (report.dryRun ? '' : `, ${formatMemoryCount(report.archived)} archived`),
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
