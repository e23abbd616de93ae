import path from 'node:path';
import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { neutralizeText } from '../engine/model/contextEnvelope.js';
import { importFormats, type ImportReport } from '../engine/model/importReport.js';
import { describeInstructionMarks } from '../engine/model/instructionMarks.js';
import { lanes, shortId } from '../engine/model/memory.js';
import { formatMemoryCount, pluralize } from '../engine/model/pluralize.js';
import { changesDecisions, settleImportChanges } from './importChanges.js';
import { findImport, listReviewGroups, reviewImport } from './importReview.js';
import {
  argument,
  definePersonCommand,
  flag,
  leftOut,
  option,
  percentOf,
  refuseUnused,
  type CommandAnswer,
  type CommandCaller,
} from './personCommand.js';

const anImport = z.union([z.string(), z.literal(true)]).exactOptional();

/** Where memories come in from files that people and other programs wrote. */
const input = z.strictObject({
  path: argument(
    '[path]',
    z.string().exactOptional(),
    'an export, a memory.json of MCP, an instructions file (CLAUDE.md, AGENTS.md), a folder of rules or memories, a project',
  ),
  format: option('--format <format>', z.enum(importFormats).exactOptional(), 'what it is (default: recognized)'),
  lane: option(
    '--lane <lane>',
    z.enum(lanes).exactOptional(),
    'confirmed, if all of it is your own word (default: note, which expires unless you confirm it)',
  ),
  own: option('--own', flag, 'an export of your own, of any size: keep what was confirmed, pinned and decided', [
    'lane',
  ]),
  dryRun: option('--dry-run', flag, 'say what would be kept, where, and what would be left out; write nothing'),
  undo: option(
    '--undo [id]',
    anImport,
    'take an import back, the last one without an id; what was changed or confirmed since stays',
    ['dryRun', 'list', 'format', 'lane', 'own'],
  ),
  list: option('--list [id]', anImport, 'list the imports that can be taken back, or what came in by one of them', [
    'dryRun',
  ]),
  review: option(
    '--review [id]',
    anImport,
    'keep or drop what an import brought in, the last one without an id, by file, heading or line; kept is confirmed',
    ['dryRun', 'list', 'undo'],
  ),
  changes: option(
    '--changes [decision]',
    z.union([z.enum(changesDecisions), z.literal(true)]).exactOptional(),
    'list what changed in imported files since, of one file or of all; take it over, or leave the memory as it is',
    ['dryRun', 'list', 'undo', 'review', 'format', 'lane', 'own'],
  ),
  gitLog: option(
    '--git-log',
    flag,
    'offer what reverts and merges in the history of the project say as candidates; keep nothing by itself',
    ['dryRun', 'list', 'undo', 'review', 'changes', 'format', 'lane', 'own'],
  ),
});

export const importCommand = definePersonCommand({
  name: 'import',
  description:
    'take in memories of another program, rules for assistants, or an export of your own; a second time changes nothing',
  input,
  /** One of the things that its options name. */
  run(engine, { path: given, undo, list, review, changes, gitLog, ...options }, caller) {
    if (gitLog === true) {
      refuseUnused({ PATH: given }, 'not with --git-log, which reads the history of the project.');
      return offerGitLog(engine.capture);
    }
    if (changes !== undefined) return settleImportChanges(engine.exchange, { file: given, decision: changes });
    if (list === undefined && undo === undefined && review === undefined)
      return importFile(engine, given, options, caller);
    if (given !== undefined) throw new EngineError('invalidInput', 'Give a path, or --undo, --list or --review.');
    if (review !== undefined) {
      const reference = review === true ? undefined : review;
      return caller.isJson ? listReviewGroups(engine, reference) : reviewImport(engine, reference, caller);
    }
    if (list === undefined) return undoImport(engine.exchange, undo === true ? undefined : undo);
    return list === true ? listImports(engine.exchange) : listImported(engine, list);
  },
});

async function importFile(
  { exchange }: MemoryEngine,
  given: string | undefined,
  { own, dryRun, ...options }: Pick<z.infer<typeof input>, 'format' | 'lane' | 'own' | 'dryRun'>,
  caller: CommandCaller,
): Promise<CommandAnswer> {
  if (given === undefined)
    throw new EngineError('invalidInput', 'Name the file or folder to import: recollect import PATH.');
  const report = await caller.interruptible(signal =>
    exchange.import({
      ...options,
      path: path.resolve(given),
      own: own === true,
      dryRun: dryRun === true,
      signal,
      onProgress: percentOf(caller, 'Importing'),
    }),
  );
  const refused = report.sources.reduce((sum, it) => sum + it.refused, 0);
  const answer = { output: report, lines: describeImport(report), hints: report.notes ?? [] };
  if (dryRun === true) return { ...answer, hints: [...answer.hints, 'This was a dry run: nothing was written.'] };
  return {
    ...answer,
    hints: [...answer.hints, ...(await describeGone(exchange, report))],
    ...leftOut(refused, 'item'),
  };
}

/** Memories of an earlier import whose line is gone from these files. */
async function describeGone(exchange: MemoryEngine['exchange'], { sources }: ImportReport): Promise<readonly string[]> {
  const names = new Set(sources.map(it => it.source));
  const changes = (await exchange.changedFiles()).filter(it => names.has(it.file));
  const count = changes.reduce((sum, it) => sum + it.changed.length + it.gone.length, 0);
  if (count === 0) return [];
  const are = count === 1 ? 'is' : 'are';
  return [
    `${formatMemoryCount(count)} of an earlier import ${are} no longer there in these words: recollect import --changes`,
  ];
}

/** `recollect import --git-log`. */
async function offerGitLog(capture: MemoryEngine['capture']): Promise<CommandAnswer> {
  const found = await capture.readGitLog();
  return {
    output: found,
    lines: [
      `${pluralize(found.commits, 'commit')} read; reverts and merges say ${pluralize(found.candidates, 'thing')} that may last.`,
    ],
    hints: found.candidates > 0 ? ['Keep or drop the best of them: recollect candidates'] : [],
  };
}

async function listImports(exchange: MemoryEngine['exchange']): Promise<CommandAnswer> {
  const imports = await exchange.listImports();
  return {
    output: imports,
    lines: imports.map(it => `#${shortId(it)}  ${it.at.slice(0, 16)}  ${it.source}: ${formatMemoryCount(it.memories)}`),
    hints: imports.length === 0 ? ['There is no import to undo.'] : [],
  };
}

/** Memories that came in by one import, as they are now. */
async function listImported(engine: MemoryEngine, reference: string): Promise<CommandAnswer> {
  const found = await findImport(engine, reference);
  const { items } = await engine.intakes.review(found.id, { limit: Math.max(1, found.memories) });
  const memories = items.flatMap(it => it.memory ?? []);
  engine.activity.noteCall('import --list', memories);
  return {
    output: memories,
    lines: memories.map(({ id, content, store, gate, kind, lane, status, archiveReason }) => {
      const marks = describeInstructionMarks(content);
      const careful = marks === undefined ? '' : ` · careful: it ${marks}`;
      const state = status === 'active' ? '' : ` · ${archiveReason ?? status}`;
      return `#${shortId({ id })}  ${neutralizeText(content)}\n           ${store} · ${gate} · ${kind} · ${lane}${state}${careful}`;
    }),
    hints: [`Drop some: recollect forget ID…; take all back: recollect import --undo ${shortId(found)}`],
  };
}

async function undoImport(exchange: MemoryEngine['exchange'], reference: string | undefined): Promise<CommandAnswer> {
  const undone = await exchange.undoImport(reference);
  return {
    output: undone,
    lines: [
      `The import of ${undone.source} is undone: ${formatMemoryCount(undone.removed)} deleted.`,
      ...(undone.restored === 0 ? [] : [`As before it: ${formatMemoryCount(undone.restored)}.`]),
      ...undone.kept.map(
        it => `kept      #${shortId(it)}  ${it.summary}: it was changed, confirmed or said again since`,
      ),
    ],
  };
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
