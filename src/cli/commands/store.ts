import { createInterface } from 'node:readline/promises';
import { Option, type Command } from 'commander';
import {
  classifyStatement,
  exportFormats,
  readAuditAnchorFile,
  writeAuditAnchorFile,
  type ExportFormat,
} from '../../engine/engine.js';
import { storeScopes, type StoreScope } from '../../engine/model/memory.js';
import { pluralize } from '../../engine/model/pluralize.js';
import { exitCodes, print, type WithEngine } from '../command.js';
import { describeStoreReport } from '../output/describeMemory.js';
import { writeOutputFile } from '../output/outputFile.js';

/** Registers the commands about whole stores, and those that need none. */
export function registerStoreCommands(program: Command, withEngine: WithEngine): void {
  registerExport(program, withEngine);
  registerVerify(program, withEngine);
  registerClassify(program);
}

function registerExport(program: Command, withEngine: WithEngine): void {
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

interface VerifyOptions {
  readonly seen?: true;
  readonly writeAnchor?: string;
  readonly anchor?: string;
}

function registerVerify(program: Command, withEngine: WithEngine): void {
  program
    .command('verify')
    .description('check the files, the search index and the audit log')
    .option('--seen', 'the notices about damage have been read: do not show them again')
    .option('--write-anchor <file>', 'write the heads of the audit logs, to keep on another machine')
    .option('--anchor <file>', 'check that the audit logs still hold what such a file says')
    .action(({ seen, writeAnchor, anchor }: VerifyOptions) =>
      withEngine(async (engine, json) => {
        if (seen === true) await engine.confirmDamage({ alsoOlderCopies: true });
        const stores = await engine.verify(anchor === undefined ? undefined : await readAuditAnchorFile(anchor));
        const isHealthy = stores.every(it => it.problems.length === 0);
        if (writeAnchor !== undefined) await writeAuditAnchorFile(writeAnchor, await engine.auditAnchor());
        const damage = engine.damageNotices.map(String);
        print(json, { ok: isHealthy, stores, ...(damage.length > 0 ? { damage } : {}) }, () =>
          stores.flatMap(describeStoreReport),
        );
        return isHealthy ? exitCodes.ok : exitCodes.damaged;
      }),
    );
}

function registerClassify(program: Command): void {
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
