import assert from 'node:assert/strict';
import { storeMemory, storeProblems, TestHost, writeToStore } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

function link(host: TestHost, source: string, target: string): Promise<void> {
  const edge = { source, target, type: 'refines', strength: 1, reason: 'The one says more.' } as const;
  return writeToStore(host, 'global', host.globalFile, tx => tx.link([edge]));
}

function unlink(host: TestHost, source: string, target: string): Promise<void> {
  return writeToStore(host, 'global', host.globalFile, tx => tx.unlink(source, target, 'refines'));
}

/** Changes a store with edges and vectors past the engine, by SQL, and says what `verify` finds. */
function check(name: string, statements: readonly string[], problems: readonly RegExp[]): void {
  it(name, async () => {
    const host = new TestHost();
    const engine = await host.open();
    const first = await storeMemory(engine, 'The build runs on Node 20.');
    const second = await storeMemory(engine, 'The docs are in docs/.');
    await storeMemory(engine, 'Invoices are sent on Friday.');
    await link(host, first, second);
    assert.deepEqual(await storeProblems(engine), []);
    await engine.close();
    const [{ edges, vectors } = {}] = await sql(
      host.globalFile,
      "SELECT (SELECT count(*) FROM edges WHERE type = 'refines') AS edges, (SELECT count(DISTINCT row) FROM vectors) AS vectors",
    );
    assert.deepEqual([edges, vectors], [1, 3]);
    await sql(host.globalFile, ...statements);
    const found = await storeProblems(await host.open());
    assert.equal(found.length, problems.length, found.join('\n'));
    for (const [i, it] of problems.entries()) assert.match(found[i]!, it);
  });
}

const changedEdges = /^Memories whose connections are not what was last written: 1 \(#[0-9a-f]{8}\)\. /u;
const changedVectors = /^Memories whose vector for the search by meaning is not what was last written: 1 \(#/u;
const newEdge = (source: number, target: number, type: string): string =>
  `INSERT INTO edges (source, target, type, strength, reason, created_at) VALUES (${source}, ${target}, '${type}', 1, 'x', '2026-03-02T09:00:00.000Z')`;

describe('edges and vectors changed past the engine', () => {
  check('an edge added to a memory that had one', [newEdge(1, 3, 'refines')], [changedEdges]);
  check('an edge added to a memory that had none', [newEdge(3, 1, 'contradicts')], [changedEdges]);
  check('an edge deleted', ["DELETE FROM edges WHERE type = 'refines'"], [changedEdges]);
  for (const change of [
    'strength = 0.1',
    "type = 'derived_from'",
    "outdated = 'target', marked_by = 'person', marked_at = ''",
  ])
    check(`an edge changed: ${change}`, [`UPDATE edges SET ${change} WHERE type = 'refines'`], [changedEdges]);
  check(
    'an edge turned round',
    ["UPDATE edges SET source = target, target = source WHERE type = 'refines'"],
    [/: 2 \(#/u],
  );
  check(
    'a vector overwritten',
    ['UPDATE vectors SET vector = zeroblob(length(vector)) WHERE row = 2'],
    [changedVectors],
  );
  check(
    'two vectors that changed places',
    [
      'UPDATE vectors SET row = 9 WHERE row = 1',
      'UPDATE vectors SET row = 1 WHERE row = 2',
      'UPDATE vectors SET row = 2 WHERE row = 9',
    ],
    [/vector for the search by meaning is not what was last written: 2 \(#/u],
  );
  check(
    'a vector added for another model',
    [
      "INSERT INTO models (id) VALUES ('other')",
      "INSERT INTO vectors SELECT (SELECT number FROM models WHERE id = 'other'), row, vector FROM vectors WHERE row = 2 LIMIT 1",
    ],
    [changedVectors],
  );
  check(
    'a store of an earlier version, whose log has no digests',
    [
      `UPDATE audit SET detail = json_remove(detail, '$.state', '$.digests')`,
      newEdge(1, 3, 'refines'),
      'UPDATE vectors SET vector = zeroblob(length(vector)) WHERE row = 2',
    ],
    // Their hashes are of the lines as they were.
    [1, 2, 3, 4].map(it => new RegExp(`^Audit entry ${it} was altered`, 'u')),
  );

  it('finds nothing wrong after whatever the engine does to edges and vectors', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const first = await storeMemory(engine, 'The build runs on Node 20.');
    const second = await storeMemory(engine, 'The build runs on Node 22.');
    const third = await storeMemory(engine, 'The docs are in docs/.');
    const [checkpoint] = await engine.checkpoints.make('before');
    await link(host, first, second);
    await link(host, third, second);
    await engine.editText(third, { before: 'The docs are in docs/.', content: 'The docs are in a wiki.' });
    await unlink(host, first, second);
    await link(host, first, third);
    await engine.deletion.purge([second]);
    assert.deepEqual(await storeProblems(engine), []);
    await engine.checkpoints.restore(checkpoint!.id);
    assert.deepEqual(await storeProblems(engine), []);
    await unlink(host, first, third);
    assert.deepEqual(await storeProblems(engine), []);
    // No line for a person to read has digests.
    assert.doesNotMatch(JSON.stringify(await engine.activity.changes()), /digest|"state"/u);
  });
});
