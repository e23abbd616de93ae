import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { pipeline } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import { EngineError } from '../engine/base/errors.js';
import { classifyStatement, exportFormats, type ExportFormat } from '../engine/engine.js';
import { storeScopes, type StoreScope } from '../engine/model/memory.js';
import { exitCodes, print, type WithEngine } from './command.js';
import { describeReport } from './describe.js';

/** What one does with whole stores, and what needs none. */
export function addStores(program: Command, withEngine: WithEngine): void {
  addExport(program, withEngine);
  addVerify(program, withEngine);
  addClassify(program);
}

function addExport(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly format: ExportFormat;
    readonly scope: StoreScope;
    readonly out?: string;
  }
  program
    .command('export')
    .description('write out everything, archived memories too')
    .addOption(
      new Option('--format <format>', 'lossless lines, or Markdown to read').choices(exportFormats).default('jsonl'),
    )
    .addOption(new Option('--scope <scope>', 'which stores').choices(storeScopes).default('project-then-global'))
    .option('--out <file>', 'a file instead of stdout')
    .action(({ format, scope, out }: Options) =>
      withEngine(async engine => {
        const text = engine.exchange.export(format, scope);
        if (out === undefined) for await (const chunk of text) process.stdout.write(chunk);
        else await pipeline(text, createWriteStream(out)).catch(unwritable(out));
        return exitCodes.ok;
      }),
    );
}

/** Turns what the file system says about a file into a sentence. */
function unwritable(file: string): (error: unknown) => never {
  return error => {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new EngineError('storeUnavailable', `The file ${file} cannot be written (${code}). Choose another one.`);
  };
}

function addVerify(program: Command, withEngine: WithEngine): void {
  program
    .command('verify')
    .description('check the files, the search index and the audit log')
    .action(() =>
      withEngine(async (engine, json) => {
        const stores = await engine.verify();
        const ok = stores.every(it => it.problems.length === 0);
        print(json, { ok, stores }, () => stores.flatMap(describeReport));
        return ok ? exitCodes.ok : exitCodes.damaged;
      }),
    );
}

function addClassify(program: Command): void {
  program
    .command('classify')
    .description('say what statements would be kept as; stores nothing')
    .argument('[text...]', 'one statement; without it, or with --stdin, one a line from stdin')
    .option('--stdin', 'read one statement a line from stdin')
    .action(async (words: string[], options: { readonly stdin?: true }) => {
      const json = program.opts<{ readonly json?: true }>().json === true;
      const one = (statement: string): void => {
        const found = classifyStatement(statement, new Date());
        print(json, found, () => [
          `${found.gate} · ${found.kind} · ${found.decayClass} · ${found.confidence}%${found.dueAt === undefined ? '' : ` · due ${found.dueAt}`} · ${found.cues.join(', ') || 'no cue'}`,
        ]);
      };
      if (words.length > 0 && options.stdin !== true) {
        one(words.join(' '));
        return;
      }
      for await (const line of createInterface({ input: process.stdin })) one(line);
    });
}
