import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { compareStatements, parseStatement } from '../../../src/engine/contradiction/statement.js';
import { memoryInput, TestHost } from '../../support/fixtures.js';

interface Pair {
  readonly older: string;
  readonly newer: string;
}

const folder = path.resolve('test/fixtures/conflicts');
/** Labelled pairs about one subject that the rules find to contradict each other. */
const pairs = ['dev', 'dev2', 'unseen']
  .flatMap(it => JSON.parse(readFileSync(path.join(folder, `${it}.json`), 'utf8')) as Pair[])
  .filter(({ older, newer }) => {
    const [was, is] = [parseStatement(older), parseStatement(newer)];
    return compareStatements(was, is).relation === 'conflicting' && was.topicKeys.some(it => is.topicKeys.includes(it));
  });

describe('a new fact in a store', () => {
  it('contradicts the memories that the rules name, even with dissimilar vectors', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const tell = (which: keyof Pair) =>
      engine.rememberAll(pairs.map((it, i) => memoryInput(it[which], { scopeId: `pair ${i}` })));
    const older = await tell('older');
    host.advanceDays(1);
    const newer = await tell('newer');
    const missed = pairs.filter((_, i) => {
      const [[was], [is]] = [older[i]!, newer[i]!];
      const contradicts = is?.outcome === 'stored' ? (is.contradicts ?? []) : [];
      return was?.outcome !== 'stored' || !contradicts.some(it => it.id === was.id);
    });
    assert.deepEqual(missed, []);
    assert.ok(pairs.length > 150, String(pairs.length));
  });
});
