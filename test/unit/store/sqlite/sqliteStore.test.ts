import assert from 'node:assert/strict';
import type { StoreFilter } from '../../../../src/engine/store/store.js';
import { buildFilterSql } from '../../../../src/engine/store/sqlite/filterSql.js';
import { sqliteMigrations } from '../../../../src/engine/store/sqlite/migrations.js';
import { schemaVersion } from '../../../../src/engine/store/sqlite/schemaVersion.js';
import { groupsOfPeriodSql, groupsSql, StoreMemories } from '../../../../src/engine/store/sql/storeMemories.js';
import { sqliteDialect } from '../../../../src/engine/store/sqlite/sqliteDialect.js';
import { dropVectorsSql } from '../../../../src/engine/store/sqlite/sqliteTransaction.js';
import { archivedSql } from '../../../../src/engine/store/sqlite/usageWriter.js';
import { candidateTextsSql } from '../../../../src/engine/search/neighbors/compareFacts.js';
import { storeMemory, TestHost } from '../../../support/fixtures.js';
import { sql } from '../../../support/sqlite.js';

/** The SQL of a page of filtered memories, newest first. */
function page(filter: Omit<StoreFilter, 'scopeId'>): string {
  const { where, params } = buildFilterSql({ scopeId: '', ...filter });
  const text = params.reduce<string>((sum, it) => sum.replace('?', `'${String(it)}'`), where);
  return `SELECT content FROM memories m WHERE ${text} ORDER BY created_at DESC, id DESC LIMIT 200`;
}

const sortTies = 'USE TEMP B-TREE FOR RIGHT PART OF ORDER BY';
const listed = ['LIST SUBQUERY 1', 'SCAN json_each VIRTUAL TABLE INDEX 1:'];
const sortFew = 'USE TEMP B-TREE FOR ORDER BY';

/** Queries of a store with the steps of their query plans; none of them scans every memory. */
const plans: readonly (readonly [name: string, text: string, steps: readonly string[]])[] = [
  [
    'a page of a gate',
    page({ statuses: ['active'], gates: ['epistemic'], kinds: ['context'] }),
    ['SEARCH m USING INDEX memories_by_gate (status=? AND gate=? AND kind=?)', sortTies],
  ],
  [
    'a page of a decay class',
    page({ statuses: ['active'], decayClasses: ['durable'], kinds: ['context'] }),
    ['SEARCH m USING INDEX memories_by_decay_class (status=? AND decay_class=? AND kind=?)', sortTies],
  ],
  [
    'the newest memories',
    page({ statuses: ['active'] }),
    ['SEARCH m USING INDEX memories_by_time (scope_id=? AND status=?)', sortTies],
  ],
  [
    'the searchable active memories',
    `SELECT json_group_array(m.row) FROM memories m WHERE ${buildFilterSql({ scopeId: '', statuses: ['active'], withoutForgotten: true }).where}`,
    ['SEARCH m USING COVERING INDEX memories_by_time (scope_id=? AND status=?)'],
  ],
  [
    'the memories of a document',
    page({ statuses: ['active'], uri: 'file:///a.ts' }),
    ['SEARCH m USING INDEX memories_by_uri (uri=?)', sortFew],
  ],
  [
    'the memories of a session',
    page({ statuses: ['active'], session: 'one' }),
    ['SEARCH m USING INDEX memories_by_session (session=?)', sortFew],
  ],
  ['counts by group', groupsSql(sqliteDialect), ['SEARCH m USING COVERING INDEX memories_by_sort (scope_id=?)']],
  [
    'counts by group of a week',
    groupsOfPeriodSql(sqliteDialect),
    [
      'SEARCH m USING INDEX memories_by_time (scope_id=? AND status=? AND created_at>? AND created_at<?)',
      'USE TEMP B-TREE FOR GROUP BY',
    ],
  ],
  [
    'the newest memories before a moment',
    page({ statuses: ['archived'], until: '2026-01-01T00:00:00.000Z' }),
    ['SEARCH m USING INDEX memories_by_time (scope_id=? AND status=? AND created_at<?)', sortTies],
  ],
  [
    'the texts that a fact is compared with',
    candidateTextsSql,
    ['SEARCH memories USING INTEGER PRIMARY KEY (rowid=?)', ...listed],
  ],
  [
    'the archived memories that a recall returned',
    archivedSql,
    ['SEARCH memories USING INDEX sqlite_autoindex_memories_1 (id=?)', ...listed, sortFew],
  ],
  [
    'the vectors of a deleted memory',
    dropVectorsSql,
    [
      'SEARCH vectors USING PRIMARY KEY (model=? AND row=?)',
      'USING ROWID SEARCH ON TABLE models FOR IN-OPERATOR',
      'SCALAR SUBQUERY 2',
      'SEARCH memories USING COVERING INDEX sqlite_autoindex_memories_1 (id=?)',
    ],
  ],
];

describe('query plans of a store', () => {
  it('has the version that programs which only read expect', () => {
    assert.equal(schemaVersion, sqliteMigrations.length);
  });

  let file: string;

  beforeEach(async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'Paris is sunny.');
    await engine.close();
    file = host.globalFile;
  });

  const stepsOf = async (text: string): Promise<readonly string[]> =>
    (await sql(file, `EXPLAIN QUERY PLAN ${text}`)).map(it => String(it.detail));

  for (const [name, text, steps] of plans) {
    it(`reads ${name} from an index, however many memories there are`, async () => {
      assert.deepEqual(await stepsOf(text), steps);
    });
  }

  it('reads overdue plans by their due date', async () => {
    const asked: string[] = [];
    const none = (text: string): Promise<never[]> => {
      asked.push(text);
      return Promise.resolve([]);
    };
    const sql = { all: none, get: () => Promise.resolve(undefined), run: () => Promise.resolve() };
    await new StoreMemories(sql, sqliteDialect, 'project').plansToReview('', '', 1);
    assert.match((await stepsOf(asked[0]!))[0]!, /USING INDEX memories_due \(due_at<\?\)/u);
  });
});
