// What the stores of the pictures hold.
import { parseArgs } from 'node:util';
import type { EdgeType } from '../../../src/engine/model/edge.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { sql } from '../../support/sqlite.js';
import { sampleMemories } from './kit/sampleMemories.js';
import type { Storage } from './kit/window.js';
import { openEngineOf, projectFile, rememberMany, runCommandLine } from './storeFixtures.js';

export const buoyQuestion = 'which buoy was checked by crew 7';

/** Arguments of `recollect remember`, with the age of the memory. The tenth is remembered in the window, from a symbol. */
const olderFacts: readonly (readonly [days: number, args: readonly string[]])[] = [
  [52, sampleMemories.deploy],
  [45, sampleMemories.pullRequests],
  [34, sampleMemories.tideTables],
  [30, sampleMemories.heights],
  [27, sampleMemories.inger],
  [3, sampleMemories.harmonic],
  [16, ['Tide predictions are wrong by an hour in summer unless the zone is UTC.', '--gate', 'correction']],
  [41, ['The ferry Perpetua draws 2.1 metres.', '--gate', 'epistemic', '--kind', 'context']],
  [8, ['Since her refit the keel of Perpetua is at 2.4 metres.', '--gate', 'epistemic', '--kind', 'context']],
];
/** With how many minutes ago. */
const repeatedFacts = [
  [12, 'Where do the tide tables come from?'],
  [5, 'Who signs off clearances?'],
  [2, 'When does the ferry leave?'],
] as const;
/** Days since the memory about the tide tables was reinforced. */
const repeatAfterDays = 12;

export async function rememberTen(storage: Storage): Promise<void> {
  let now = new Date();
  const engine = await openEngineOf(storage, { now: () => now, client: 'vscode', embeddings: 'static' });
  const tell = async (days: number, args: readonly string[]): Promise<string> => {
    now = new Date(Date.now() - days * 86_400_000);
    const options = { gate: { type: 'string' }, kind: { type: 'string' }, lane: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    const more = values as Pick<RememberInput, 'gate' | 'kind' | 'lane'>;
    const content = positionals[0]!;
    const outcomes = await engine.remember({
      content,
      source: 'explicit',
      lane: 'confirmed',
      store: 'project',
      whole: true,
      ...more,
    });
    return (outcomes[0] as { readonly id: string }).id;
  };
  const ids: string[] = [];
  for (const [days, args] of olderFacts) ids.push(await tell(days, args));
  await tell(repeatAfterDays, sampleMemories.tideTables);
  now = new Date();
  await engine.embedMissing();
  // The first one waits until the model is loaded, and no picture is of it.
  await engine.recall({ query: 'ferry', isUntracked: true });
  for (const [minutes, query] of repeatedFacts) {
    now = new Date(Date.now() - minutes * 60_000);
    await engine.recall({ query, limit: 3 });
  }
  await engine.close();
  const row = (index: number): string => `(SELECT row FROM memories WHERE id = '${ids[index]}')`;
  const link = (newer: number, older: number, type: EdgeType, strength: number, reason: string): string =>
    `INSERT OR REPLACE INTO edges (source, target, type, strength, reason, created_at, settled_at) VALUES (${row(newer)}, ${row(older)}, '${type}', ${strength}, '${reason}', '2026-01-01T00:00:00.000Z', NULL)`;
  await sql(
    projectFile(storage),
    link(8, 7, 'contradicts', 0.9, '2.4 metres against 2.1 metres.'),
    "UPDATE edges SET outdated = 'target', marked_by = 'model', marked_at = created_at WHERE type = 'contradicts'",
    link(3, 2, 'refines', 0.9, 'It says in what unit.'),
    link(6, 2, 'relates_to', 0.8, 'Both are about tides.'),
    link(5, 6, 'relates_to', 0.6, 'Both are about predictions.'),
    link(8, 3, 'relates_to', 0.5, 'Both are heights in metres.'),
    `UPDATE memories SET due_at = '2026-01-01T12:00:00.000Z' WHERE id = '${ids[5]}'`,
    "UPDATE meta SET value = value + 1 WHERE key = 'revision'",
  );
}

export function rememberTwoHundred(storage: Storage): Promise<void> {
  return rememberMany(storage, 200);
}

export async function rememberTenThousand(storage: Storage): Promise<void> {
  await rememberMany(storage, 10_000);
  await runCommandLine(storage, 'recall', buoyQuestion);
  await runCommandLine(storage, 'recall', 'Which buoy is farthest from the pier?', '--limit', '20');
}
