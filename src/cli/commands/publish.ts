import path from 'node:path';
import { Option, type Command } from 'commander';
import { pluralize, formatMemoryCount } from '../../engine/model/pluralize.js';
import { importFormats, type ImportFormat, type ImportReport } from '../../engine/model/importReport.js';
import { neutralizeText } from '../../engine/model/contextEnvelope.js';
import { describeInstructionMarks } from '../../engine/model/instructionMarks.js';
import { shortId, lanes, type Lane } from '../../engine/model/memory.js';
import { publishTargets, type PublishPreview, type PublishTarget } from '../../engine/model/publishing.js';
import { missingChoices, type MissingChoice, type SyncReport, type SyncSide } from '../../engine/model/sync.js';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import { changesDecisions, settleImportChanges, type ChangesDecision } from './importChanges.js';
import { printReviewGroups, reviewImport } from './importReview.js';
import { confirm, exitCodes, leftOut, withSigint, print, type ExitCode, type WithEngine } from '../command.js';

/** Where memories go out into files that people read and write, and come in from there. */
export function registerPublishingCommands(program: Command, withEngine: WithEngine): void {
  registerPublish(program, withEngine);
  registerImport(program, withEngine);
  registerSync(program, withEngine);
}

interface PublishOptions {
  readonly target?: PublishTarget[];
  readonly withNotes?: true;
  readonly remove?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

function registerPublish(program: Command, withEngine: WithEngine): void {
  program
    .command('publish')
    .description(
      'write what the project has agreed into the marked section of CLAUDE.md, or of the files of other assistants',
    )
    .addOption(
      new Option(
        '--target <file...>',
        'which files; user is your own CLAUDE.md (default: the setting publish.targets, or claude)',
      ).choices(publishTargets),
    )
    .option('--with-notes', 'with what a model noted and no person confirmed')
    .addOption(
      new Option('--remove', 'take out what was written, from every file of the project').conflicts('withNotes'),
    )
    .addOption(new Option('--dry-run', 'show the difference and write nothing').conflicts('yes'))
    .option('--yes', 'write without asking')
    .action((options: PublishOptions) => withEngine(({ publishing }, json) => publish(publishing, json, options)));
}

async function publish(
  publishing: MemoryEngine['publishing'],
  json: boolean,
  { target, withNotes, remove, dryRun, yes }: PublishOptions,
): Promise<ExitCode> {
  const targets = target === undefined ? {} : { targets: target };
  const previews =
    remove === true
      ? await publishing.previewWithdrawals(targets)
      : await publishing.preview({ ...targets, withNotes: withNotes === true });
  const changed = previews.filter(it => it.diff !== '');
  const mayAsk = dryRun !== true && !json;
  if (!json) {
    print(false, previews, () =>
      previews.length === 0
        ? ['Recollect has written nothing into these files.']
        : previews.map(it => it.diff.trimEnd() || describeUnchanged(it)),
    );
  }
  for (const it of previews.flatMap(describeOmissions)) console.error(it);
  const isConfirmed = yes === true || (changed.length > 0 && mayAsk && (await confirmWrite(changed)));
  if (isConfirmed) for (const it of changed) await publishing.write(it);
  if (json) print(true, { written: isConfirmed && changed.length > 0, files: previews }, () => []);
  else if (isConfirmed && changed.length > 0) console.error(describeWritten(changed));
  return exitCodes.ok;
}

interface ImportOptions {
  readonly format?: ImportFormat;
  readonly lane?: Lane;
  readonly own?: true;
  readonly dryRun?: true;
  readonly undo?: string | true;
  readonly list?: string | true;
  readonly review?: string | true;
  readonly changes?: ChangesDecision | true;
  readonly gitLog?: true;
}

function registerImport(program: Command, withEngine: WithEngine): void {
  program
    .command('import')
    .description('take in memories of another program, or an export of your own; twice changes nothing')
    .argument(
      '[path]',
      'an export, a memory.json of MCP, an instructions file (CLAUDE.md, AGENTS.md), a folder of rules or memories, a project',
    )
    .addOption(new Option('--format <format>', 'what it is (default: recognised)').choices(importFormats))
    .addOption(new Option('--lane <lane>', 'confirmed where you vouch for all of it (default: note)').choices(lanes))
    .addOption(
      new Option('--own', 'an export of your own, of any size: keep lanes, pins and decisions').conflicts('lane'),
    )
    .addOption(new Option('--dry-run', 'say what would be kept, where, and what would be left out; write nothing'))
    .addOption(
      new Option(
        '--undo [id]',
        'take an import back, the last one without an id; what was changed or confirmed since stays',
      ).conflicts(['dryRun', 'list', 'format', 'lane', 'own']),
    )
    .addOption(
      new Option('--list [id]', 'list the imports that can be taken back, or what came in by one of them').conflicts(
        'dryRun',
      ),
    )
    .addOption(
      new Option(
        '--review [id]',
        'keep or drop what an import brought in, the last one without an id, by file, heading or line; kept is confirmed',
      ).conflicts(['dryRun', 'list', 'undo']),
    )
    .addOption(
      new Option(
        '--changes [decision]',
        'list what changed in imported files since, of one file or of all; take it over, or leave the memory as it is',
      )
        .choices(changesDecisions)
        .conflicts(['dryRun', 'list', 'undo', 'review', 'format', 'lane', 'own']),
    )
    .addOption(
      new Option(
        '--git-log',
        'offer what reverts and merges in the history of the project say as candidates; keep nothing by itself',
      ).conflicts(['dryRun', 'list', 'undo', 'review', 'changes', 'format', 'lane', 'own']),
    )
    .action((importPath: string | undefined, options: ImportOptions) =>
      withEngine((engine, json) => runImport(engine, json, importPath, options)),
    );
}

/** One of the things that `recollect import` does, as its options say. */
async function runImport(
  { exchange, intakes, activity, capture }: MemoryEngine,
  json: boolean,
  importPath: string | undefined,
  options: ImportOptions,
): Promise<ExitCode> {
  const { format, lane, own, dryRun, undo, list, review, changes, gitLog } = options;
  if (gitLog === true && importPath === undefined) return offerGitLog(capture, json);
  if (changes !== undefined) return settleImportChanges(exchange, json, { file: importPath, decision: changes });
  if (list !== undefined || undo !== undefined || review !== undefined) {
    if (importPath !== undefined) throw new EngineError('invalidInput', 'Give a path, or --undo, --list or --review.');
    if (review !== undefined) {
      const reference = review === true ? undefined : review;
      const engine = { exchange, intakes, activity };
      return json ? printReviewGroups(engine, reference) : reviewImport(engine, reference);
    }
    if (typeof list === 'string') return listImported({ exchange, intakes, activity }, json, list);
    return list === true ? listImports(exchange, json) : undoImport(exchange, json, undo);
  }
  if (importPath === undefined || importPath.trim() === '')
    throw new EngineError('invalidInput', 'Name the file or folder to import: recollect import PATH.');
  const report = await withSigint(signal =>
    exchange.import({
      path: path.resolve(importPath),
      ...(format === undefined ? {} : { format }),
      ...(lane === undefined ? {} : { lane }),
      own: own === true,
      dryRun: dryRun === true,
      signal,
      ...(json || !process.stderr.isTTY ? {} : { onProgress: showProgress }),
    }),
  );
  print(json, report, () => describeImport(report));
  if (!json) for (const it of report.notes ?? []) console.error(it);
  const refused = report.sources.reduce((sum, it) => sum + it.refused, 0);
  if (dryRun === true && !json) console.error('This was a dry run: nothing was written.');
  return dryRun === true ? exitCodes.ok : leftOut(refused, 'item');
}

/** `recollect import --git-log`. */
async function offerGitLog(capture: MemoryEngine['capture'], json: boolean): Promise<ExitCode> {
  const found = await capture.readGitLog();
  print(json, found, () => [
    `${pluralize(found.commits, 'commit')} read; reverts and merges say ${pluralize(found.candidates, 'thing')} that may last.`,
  ]);
  if (!json && found.candidates > 0) console.error('Keep or drop the best of them: recollect candidates');
  return exitCodes.ok;
}

async function listImports(exchange: MemoryEngine['exchange'], json: boolean): Promise<ExitCode> {
  const imports = await exchange.listImports();
  print(json, imports, () =>
    imports.length === 0
      ? ['There is no import to undo.']
      : imports.map(it => `#${shortId(it)}  ${it.at.slice(0, 16)}  ${it.source}: ${formatMemoryCount(it.memories)}`),
  );
  return imports.length > 0 ? exitCodes.ok : exitCodes.notFound;
}

/** What came in by one import, with what has become of it. */
async function listImported(
  { exchange, intakes, activity }: Pick<MemoryEngine, 'exchange' | 'intakes' | 'activity'>,
  json: boolean,
  reference: string,
): Promise<ExitCode> {
  const wanted = reference.replace(/^#/u, '').trim().toLowerCase();
  const found = (await exchange.listImports()).find(it => wanted !== '' && it.id.endsWith(wanted));
  if (found === undefined) {
    const named = neutralizeText(reference).slice(0, 40);
    throw new EngineError('notFound', `There is no import "${named}". List them: recollect import --list.`);
  }
  const { items } = await intakes.review(found.id, { limit: Math.max(1, found.memories) });
  const memories = items.flatMap(it => it.memory ?? []);
  activity.noteCall('import --list', memories);
  print(json, memories, () =>
    memories.map(({ id, content, store, gate, kind, lane, status, archiveReason }) => {
      const marks = describeInstructionMarks(content);
      const careful = marks === undefined ? '' : ` · careful: it ${marks}`;
      const state = status === 'active' ? '' : ` · ${archiveReason ?? status}`;
      return `#${shortId({ id })}  ${neutralizeText(content)}\n           ${store} · ${gate} · ${kind} · ${lane}${state}${careful}`;
    }),
  );
  if (!json) console.error('Drop some: recollect forget ID…; take all back: recollect import --undo ' + shortId(found));
  return exitCodes.ok;
}

async function undoImport(
  exchange: MemoryEngine['exchange'],
  json: boolean,
  reference: string | true | undefined,
): Promise<ExitCode> {
  const undone = await exchange.undoImport(typeof reference === 'string' ? reference : undefined);
  print(json, undone, () => [
    `The import of ${undone.source} is undone: ${formatMemoryCount(undone.removed)} deleted.`,
    ...(undone.restored === 0 ? [] : [`As before it: ${formatMemoryCount(undone.restored)}.`]),
    ...undone.kept.map(it => `kept      #${shortId(it)}  ${it.summary}: it was changed, confirmed or said again since`),
  ]);
  return exitCodes.ok;
}

function registerSync(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly folder?: string;
    readonly globalFolder?: string;
    readonly lane?: Lane;
    readonly keepFile?: string[];
    readonly keepMemory?: string[];
    readonly missing?: MissingChoice;
    readonly traces?: true;
    readonly dryRun?: true;
  }
  program
    .command('sync')
    .description("carry changes between this project's memories and a folder of Markdown, both ways")
    .option('--folder <folder>', 'where the Markdown lies: absolute, or below the project (default: .recollect/memory)')
    .option('--global-folder <folder>', 'sync the global memory, with this folder of yours: ~/.lerim, or any other one')
    .addOption(new Option('--lane <lane>', 'confirmed where you vouch for new files (default: note)').choices(lanes))
    .option('--keep-file <name...>', 'of these conflicts keep the file')
    .option('--keep-memory <name...>', 'of these conflicts keep the memory')
    .addOption(
      new Option('--missing <what>', 'where the folder is gone, empty or a link: what becomes of its memories').choices(
        missingChoices,
      ),
    )
    .option(
      '--traces',
      'a folder named .lerim also gets what was said in captured sessions, without secrets, and reports of each run',
    )
    .option('--dry-run', 'say what would be done, and do nothing')
    .action(({ folder, globalFolder, lane, keepFile = [], keepMemory = [], missing, traces, dryRun }: Options) =>
      withEngine(async ({ sync }, json) => {
        const decisions: Record<string, SyncSide> = {};
        for (const it of keepFile) decisions[it] = 'file';
        for (const it of keepMemory) decisions[it] = 'memory';
        const report = await withSigint(signal =>
          sync.run({
            ...(folder === undefined ? {} : { mirror: folder }),
            ...(globalFolder === undefined ? {} : { globalFolder: path.resolve(globalFolder) }),
            ...(lane === undefined ? {} : { lane }),
            decisions,
            ...(missing === undefined ? {} : { missing }),
            traces: traces === true,
            dryRun: dryRun === true,
            signal,
          }),
        );
        if (!json) for (const it of report.notes ?? []) console.error(it);
        const memories = globalFolder === undefined ? 'memory of this project' : 'global memory';
        print(json, report, () => describeSync(report, { memories, dryRun: dryRun === true }));
        const exitCode = leftOut(report.refused.filter(it => it.isKnown !== true).length, 'file');
        return report.conflicts.length === 0 && report.missing === undefined ? exitCode : exitCodes.failed;
      }),
    );
}

const missingReasons = { gone: 'is gone', empty: 'is empty', link: 'is a link' } as const;

function describeSync(
  { mirror, compared, steps, conflicts, refused, missing, traces }: SyncReport,
  { memories, dryRun }: { readonly memories: string; readonly dryRun: boolean },
): readonly string[] {
  if (missing !== undefined) {
    return [
      `${mirror} ${missingReasons[missing.why]}, and the files of ${formatMemoryCount(missing.memories)} are missing. Nothing was done.`,
      'Write them again with --missing write, or archive the memories with --missing archive.',
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

function showProgress({ done, total }: { readonly done: number; readonly total: number }): void {
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  process.stderr.write(`\rImporting: ${percent}%${percent === 100 ? '\n' : ''}`);
}

/** A line for each file, and one for each thing that was refused. */
function describeImport({ id, format, sources, edges }: ImportReport): readonly string[] {
  const lines = sources.flatMap(
    ({ source, fresh, known, refused, passedOver = 0, refusals, careful = [], preview = [] }) => [
      `${source}: ${fresh} new, ${known} known, ${refused} left out${passedOver === 0 ? '' : `, ${passedOver} passed over`}`,
      ...preview.map(
        ({ where, content, store, gate, kind }) =>
          `  ${where}: keep for ${store === 'global' ? 'all projects' : 'this project'} (${gate} · ${kind})\n    ${content.replaceAll('\n', '\n    ')}`,
      ),
      ...refusals.map(it => `  ${it.where === source ? '' : `${it.where}: `}${it.reason}`),
      ...(refused + passedOver > refusals.length ? [`  and ${refused + passedOver - refusals.length} more`] : []),
      ...careful.map(it => `  careful, ${it.where}: it is imported, and it ${it.reason}`),
    ],
  );
  if (lines.length === 0) return ['There is nothing to import.'];
  return [
    ...lines,
    ...(edges === 0 ? [] : [`${pluralize(edges, 'connection')} between memories`]),
    ...(id === undefined
      ? []
      : [
          // An own export comes as it was, decided.
          ...(format === 'recollect'
            ? []
            : [`Keep or drop it by file and heading: recollect import --review ${shortId({ id })}`]),
          `Undo it with: recollect import --undo ${shortId({ id })}`,
        ]),
  ];
}

function describeUnchanged({ file, memories }: PublishPreview): string {
  return memories === 0 ? `${file}: there is nothing to publish.` : `${file} is up to date.`;
}

function describeOmissions({ file, contradicting, alreadySaid }: PublishPreview): string[] {
  return [
    ...(contradicting === 0
      ? []
      : [`Left out because of contradictions: ${formatMemoryCount(contradicting)}. See recollect conflicts.`]),
    ...(alreadySaid === 0
      ? []
      : [`Left out because ${file} or a file read with it says so already: ${formatMemoryCount(alreadySaid)}.`]),
  ];
}

function describeWritten(changed: readonly PublishPreview[]): string {
  const written = changed.filter(it => it.after !== undefined).map(it => it.file);
  const removed = changed.filter(it => it.after === undefined).map(it => it.file);
  return [
    ...(written.length === 0 ? [] : [`Wrote ${written.join(', ')}.`]),
    ...(removed.length === 0 ? [] : [`Removed ${removed.join(', ')}.`]),
  ].join(' ');
}

function confirmWrite(changed: readonly PublishPreview[]): Promise<boolean> {
  return confirm(`Write ${changed.map(it => it.file).join(', ')}?`);
}
