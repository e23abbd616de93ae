import { createInterface } from 'node:readline/promises';
import { Option, type Command } from 'commander';
import { classifyStatement, exportFormats, type ExportFormat } from '../../engine/engine.js';
import { storeScopes, type StoreScope } from '../../engine/model/memory.js';
import { pluralize } from '../../engine/model/pluralize.js';
import { exitCodes, print, type WithEngine } from '../command.js';
import { writeOutputFile } from '../output/outputFile.js';

/** `recollect export`. */
export function registerExportCommand(program: Command, withEngine: WithEngine): void {
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
        else await writeOutputFile(out, text);
        const encrypted = await engine.sensitive.count();
        if (encrypted > 0)
          console.error(
            `Not exported: ${pluralize(encrypted, 'sensitive memory', 'sensitive memories')}. One by one: recollect show ID --reveal --json`,
          );
        return exitCodes.ok;
      }),
    );
}

/** `recollect classify`, which needs no store. */
export function registerClassifyCommand(program: Command): void {
  program
    .command('classify')
    .description('say what statements would be kept as; stores nothing')
    .argument('[text...]', 'one statement; without it, or with --stdin, one a line from stdin')
    .option('--stdin', 'read one statement a line from stdin')
    .action(async (words: string[], options: { readonly stdin?: true }) => {
      const json = program.opts<{ readonly json?: true }>().json === true;
      const classifyLine = (statement: string): void => {
        const classification = classifyStatement(statement, new Date());
        print(json, classification, () => [
          `${classification.gate} · ${classification.kind} · ${classification.confidence}%${classification.dueAt === undefined ? '' : ` · due ${classification.dueAt}`} · ${classification.cues.join(', ') || 'no cue'}`,
        ]);
      };
      if (words.length > 0 && options.stdin !== true) {
        classifyLine(words.join(' '));
        return;
      }
      for await (const line of createInterface({ input: process.stdin })) classifyLine(line);
    });
}
