import { z } from 'zod';
import type { Disagreement, MergeProposal } from '../engine/model/consolidation.js';
import { shortId } from '../engine/model/memory.js';
import { definePersonCommand, flag, option, written } from './personCommand.js';

const proposalId = z.string().exactOptional();

export const consolidateCommand = definePersonCommand({
  name: 'consolidate',
  description: 'show which memories say nearly the same, and merge those you accept',
  input: z.strictObject({
    accept: option('--accept <id>', proposalId, 'merge the memories of a proposal', ['reject', 'undo']),
    text: option('--text <text>', z.string().exactOptional(), 'with --accept: what the merged memory says instead'),
    reject: option('--reject <id>', proposalId, 'do not propose it again', ['undo', 'text']),
    undo: option(
      '--undo [id]',
      z.union([z.string(), z.literal(true)]).exactOptional(),
      'take a merge back, the last one without an id',
      ['text'],
    ),
  }),
  async run({ consolidation }, { accept, text, reject, undo }) {
    if (accept !== undefined) {
      const result = await consolidation.accept(accept, text);
      return {
        output: result,
        lines: [
          `Merged ${result.archived.length} into #${shortId(result.merged)}: ${result.merged.content}`,
          `Undo it with: recollect consolidate --undo ${result.id}`,
        ],
      };
    }
    if (reject !== undefined) {
      await consolidation.reject(reject);
      return { output: { rejected: reject }, lines: ['It is not proposed again until one of its memories changes.'] };
    }
    if (undo !== undefined) {
      const restored = await consolidation.undo(undo === true ? undefined : undo);
      return { output: restored, lines: restored.map(it => `Active again: #${shortId(it)}  ${it.summary}`) };
    }
    const suggestions = await consolidation.propose();
    return {
      output: suggestions,
      lines: [
        ...suggestions.proposals.flatMap(describeProposal),
        ...suggestions.disagreements.map(describeDisagreement),
        ...(suggestions.proposals.length === 0 ? ['Nothing can be merged.'] : []),
      ],
    };
  },
});

export const identityCommand = definePersonCommand({
  name: 'identity',
  description: 'print a page about how you work, from what is remembered',
  input: z.strictObject({
    withNotes: option('--with-notes', flag, 'with what a model noted and no person confirmed'),
    out: option('--out <file>', z.string().exactOptional(), 'a file instead of stdout'),
  }),
  async run(engine, { withNotes, out }, caller) {
    const page = await engine.identity({ withNotes: withNotes === true });
    if (out === undefined) return { output: { markdown: page }, lines: [page.trimEnd()] };
    await caller.write(out, [page]);
    return written(`Written to ${out}.`);
  },
});

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
