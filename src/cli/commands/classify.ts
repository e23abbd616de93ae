import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { classifyStatement } from '../../engine/engine.js';
import type { ProgramContext } from '../command.js';

/** `recollect classify`, which needs no store. */
export function registerClassifyCommand(program: Command, { print }: ProgramContext): void {
  program
    .command('classify')
    .description('say as what a statement would be remembered (about, sort, how long); stores nothing')
    .argument('[text...]', 'one statement; without it, or with --stdin, one a line from stdin')
    .option('--stdin', 'read one statement a line from stdin')
    .action(async (words: string[], options: { readonly stdin?: true }) => {
      const classifyLine = (statement: string): void => {
        const classification = classifyStatement(statement, new Date());
        print(classification, () => [
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
