import path from 'node:path';
import { z } from 'zod';
import { lanes, shortId } from '../engine/model/memory.js';
import { formatMemoryCount, pluralize } from '../engine/model/pluralize.js';
import { missingChoices, type SyncReport, type SyncSide } from '../engine/model/sync.js';
import { definePersonCommand, flag, leftOut, option } from './personCommand.js';

const folder = z.string().exactOptional();
const names = z.array(z.string()).default([]);

export const syncCommand = definePersonCommand({
  name: 'sync',
  description: "carry changes between this project's memories and a folder of Markdown, both ways",
  input: z.strictObject({
    mirror: option(
      '--folder <folder>',
      folder,
      'where the Markdown lies: absolute, or below the project (default: .recollect/memory)',
    ),
    globalFolder: option(
      '--global-folder <folder>',
      folder,
      'sync the global memory, with this folder of yours: ~/.lerim, or any other one',
    ),
    lane: option(
      '--lane <lane>',
      z.enum(lanes).exactOptional(),
      'confirmed, if new files are your own word (default: note, which expires unless you confirm it)',
    ),
    keepFile: option('--keep-file <name...>', names, 'of these conflicts keep the file'),
    keepMemory: option('--keep-memory <name...>', names, 'of these conflicts keep the memory'),
    missing: option(
      '--missing <what>',
      z.enum(missingChoices).exactOptional(),
      'where the folder is gone, empty or a link: what becomes of its memories',
    ),
    traces: option(
      '--traces',
      flag,
      'a folder named .lerim also gets what was said in captured sessions, without secrets, and reports of each run',
    ),
    dryRun: option('--dry-run', flag, 'say what would be done, and do nothing'),
  }),
  async run({ sync }, { globalFolder, keepFile, keepMemory, traces, dryRun, ...input }, caller) {
    const decisions: Record<string, SyncSide> = {};
    for (const it of keepFile) decisions[it] = 'file';
    for (const it of keepMemory) decisions[it] = 'memory';
    const report = await caller.interruptible(signal =>
      sync.run({
        ...input,
        ...(globalFolder === undefined ? {} : { globalFolder: path.resolve(globalFolder) }),
        decisions,
        traces: traces === true,
        dryRun: dryRun === true,
        signal,
      }),
    );
    const memories = globalFolder === undefined ? 'memory of this project' : 'global memory';
    const { remarks = [], ending = 'done' } = leftOut(report.refused.filter(it => it.isKnown !== true).length, 'file');
    return {
      output: report,
      lines: describeSync(report, { memories, dryRun: dryRun === true }),
      hints: report.notes ?? [],
      remarks: [...(report.undecided ?? []).map(it => `There was nothing to decide about ${it}.`), ...remarks],
      ending: report.conflicts.length === 0 && report.missing === undefined ? ending : 'failed',
    };
  },
});

const missingReasons = { gone: 'is gone', empty: 'is empty', link: 'is a link' } as const;

function describeSync(
  { mirror, compared, steps, conflicts, refused, missing, traces }: SyncReport,
  { memories, dryRun }: { readonly memories: string; readonly dryRun: boolean },
): readonly string[] {
  if (missing !== undefined) {
    return [
      `${mirror} ${missingReasons[missing.why]}, and the files of ${formatMemoryCount(missing.memories)} are missing. Nothing was done.`,
      'Write them again with --missing write, or forget the memories with --missing archive.',
    ];
  }
  if (compared === 0 && (traces ?? 0) === 0)
    return [`Nothing to sync: there is no ${memories} to write, and no Markdown in ${mirror} to read.`];
  const conflictLines = conflicts.flatMap(it => [
    `${it.isProposal ? 'proposal' : 'conflict'}  ${it.name}`,
    it.diff.trimEnd(),
  ]);
  const proposals = conflicts.filter(it => it.isProposal).length;
  const counts = [
    `${steps.length} ${dryRun ? 'to be carried over' : 'carried over'}`,
    pluralize(conflicts.length - proposals, 'conflict'),
    ...(proposals > 0 ? [pluralize(proposals, 'proposal')] : []),
    ...(traces === undefined ? [] : [`${pluralize(traces, 'session')} in meta/traces`]),
  ];
  return [
    `${mirror}: ${counts.join(', ')}`,
    ...steps.map(
      ({ what, name, id }) => `${what.padEnd(8)}  ${name}${id === undefined ? '' : `  #${shortId({ id })}`}`,
    ),
    ...refused.map(it => `left      ${it.name}: ${it.reason}`),
    ...conflictLines,
    ...(conflicts.length === 0 ? [] : ['Decide with --keep-file NAME or --keep-memory NAME.']),
  ];
}
