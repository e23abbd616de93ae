import path from 'node:path';
import type { Command } from 'commander';
import type { MemoryEngine } from '../engine/engine.js';
import { pluralize, formatMemoryCount } from '../engine/model/pluralize.js';
import type { IndexReport } from '../engine/model/codeIndex.js';
import { exitCodes, interruptible, print, type ExitCode, type WithEngine } from './command.js';

interface Options {
  readonly status?: true;
  readonly dryRun?: boolean;
}

/** `recollect index`. Ctrl+C keeps what is done. */
export function addCodeIndex(program: Command, withEngine: WithEngine): void {
  program
    .command('index')
    .description('describe the code of the project, so that it is found by what it does')
    .argument('[path...]', 'files and folders of the project (default: all of it)')
    .option('--status', 'say what is indexed')
    .option('--dry-run', 'say what would be done, and change nothing')
    .action((paths: readonly string[], options: Options) =>
      withEngine((engine, json) =>
        options.status === true ? status(engine, json) : index(engine, json, paths, options),
      ),
    );
}

async function status({ codeIndex }: MemoryEngine, json: boolean): Promise<ExitCode> {
  const found = await codeIndex.status();
  print(json, found, () => [
    found.lastAt === undefined
      ? 'No code is indexed. Index it with: recollect index'
      : `${pluralize(found.files, 'file')}, ${pluralize(found.pairs, 'description')} with code; last indexed ${found.lastAt}`,
  ]);
  return exitCodes.ok;
}

async function index(
  { codeIndex }: MemoryEngine,
  json: boolean,
  paths: readonly string[],
  { dryRun = false }: Options,
): Promise<ExitCode> {
  const report = await interruptible(signal =>
    codeIndex.run({
      ...(paths.length === 0 ? {} : { paths: paths.map(it => path.resolve(it)) }),
      dryRun,
      signal,
      onProgress: ({ done, total }) => {
        if (process.stderr.isTTY && !json) process.stderr.write(`\r${done} of ${pluralize(total, 'file')}`);
      },
    }),
  );
  if (process.stderr.isTTY && !json) process.stderr.write('\n');
  print(json, report, () => reportLines(report));
  return report.status === 'done' ? exitCodes.ok : exitCodes.failed;
}

function reportLines(it: IndexReport): string[] {
  const would = it.dryRun ? 'would be ' : '';
  const leftOut = Object.entries(it.leftOut).map(([reason, count]) => `${count} ${reason}`);
  return [
    `${pluralize(it.indexed, 'file')} ${would}indexed, ${it.unchanged} unchanged, ${it.removed} gone; ${pluralize(it.pairs, 'description')} ${would}made` +
      (it.dryRun ? '' : `, ${formatMemoryCount(it.archived)} archived`),
    ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.join(', ')}`]),
    ...(it.refused === 0
      ? []
      : [`Refused, for a secret or because you chose to forget it: ${pluralize(it.refused, 'text')}`]),
    ...(it.cut === 0
      ? []
      : [`Too long for one memory, so that only the beginning is kept: ${pluralize(it.cut, 'piece')}`]),
    ...(it.status === 'done' ? [] : ['Called off. Run it again to go on from there.']),
  ];
}
