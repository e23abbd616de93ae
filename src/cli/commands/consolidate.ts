import { Option, type Command } from 'commander';
import type { Disagreement, MergeProposal } from '../../engine/model/consolidation.js';
import { shortId } from '../../engine/model/memory.js';
import { exitCodes, print, type ExitCode, type WithEngine } from '../command.js';
import { writeOutputFile } from '../output/outputFile.js';

/** `recollect consolidate` and `recollect identity`. */
export function registerConsolidationCommands(program: Command, withEngine: WithEngine): void {
  registerConsolidate(program, withEngine);
  program
    .command('identity')
    .description('print a page about how you work, from what is remembered')
    .option('--with-notes', 'with what a model noted and no person confirmed')
    .option('--out <file>', 'a file instead of stdout')
    .action(({ withNotes, out }: { readonly withNotes?: true; readonly out?: string }) =>
      withEngine(async (engine, json) => {
        const page = await engine.identity({ withNotes: withNotes === true });
        if (out === undefined) print(json, { markdown: page }, () => [page.trimEnd()]);
        else await writeOutputFile(out, [page]);
        return exitCodes.ok;
      }),
    );
}

interface ConsolidateOptions {
  readonly accept?: string;
  readonly text?: string;
  readonly reject?: string;
  readonly undo?: string | true;
}

function registerConsolidate(program: Command, withEngine: WithEngine): void {
  program
    .command('consolidate')
    .description('show which memories say nearly the same, and merge those you accept')
    .addOption(new Option('--accept <id>', 'merge the memories of a proposal').conflicts(['reject', 'undo']))
    .option('--text <text>', 'with --accept: what the merged memory says instead')
    .addOption(new Option('--reject <id>', 'do not propose it again').conflicts(['undo', 'text']))
    .addOption(new Option('--undo [id]', 'take a merge back, the last one without an id').conflicts('text'))
    .action((options: ConsolidateOptions) =>
      withEngine(async ({ consolidation }, json): Promise<ExitCode> => {
        const { accept, text, reject, undo } = options;
        if (accept !== undefined) {
          const result = await consolidation.accept(accept, text);
          print(json, result, () => [
            `Merged ${result.archived.length} into #${shortId(result.merged)}: ${result.merged.content}`,
            `Undo it with: recollect consolidate --undo ${result.id}`,
          ]);
        } else if (reject !== undefined) {
          await consolidation.reject(reject);
          print(json, { rejected: reject }, () => ['It is not proposed again until one of its memories changes.']);
        } else if (undo !== undefined) {
          const restored = await consolidation.undo(undo === true ? undefined : undo);
          print(json, restored, () => restored.map(it => `Active again: #${shortId(it)}  ${it.summary}`));
        } else {
          const suggestions = await consolidation.propose();
          print(json, suggestions, () => [
            ...suggestions.proposals.flatMap(describeProposal),
            ...suggestions.disagreements.map(describeDisagreement),
            ...(suggestions.proposals.length === 0 ? ['Nothing can be merged.'] : []),
          ]);
        }
        return exitCodes.ok;
      }),
    );
}

function describeProposal({ id, store, originals, content, similarity }: MergeProposal): string[] {
  return [
    `${id}  ${originals.length} memories of the ${store} store, ${Math.round(similarity * 100)}% alike`,
    ...originals.map(it => `  - #${shortId(it)}  ${it.content}`),
    `  + ${content}`,
  ];
}

function describeDisagreement({ memories: [first, second] }: Disagreement): string {
  return `Not merged, for they disagree: #${shortId(first)}  ${first.summary}  /  #${shortId(second)}  ${second.summary}`;
}
