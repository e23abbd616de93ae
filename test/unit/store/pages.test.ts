import assert from 'node:assert/strict';
import type { StoreFilter } from '../../../src/engine/store/store.js';
import { filterSql } from '../../../src/engine/store/sqlite/filterSql.js';
import { keep, TestHost } from '../../support/memory.js';
import { sql } from '../../support/sqlite.js';

describe('a page of memories', () => {
  const pages: readonly (readonly [index: string, Omit<StoreFilter, 'scopeId'>])[] = [
    ['memories_by_gate', { statuses: ['active'], gates: ['epistemic'], kinds: ['context'] }],
    ['memories_by_decay_class', { statuses: ['active'], decayClasses: ['durable'], kinds: ['context'] }],
  ];
  for (const [index, filter] of pages) {
    it(`is read in the order of ${index}, however many memories there are`, async () => {
      const host = new TestHost();
      const engine = await host.open();
      await keep(engine, 'Paris is sunny.');
      await engine.close();
      const { where, params } = filterSql({ scopeId: '', ...filter });
      let text = where;
      for (const it of params) text = text.replace('?', `'${String(it)}'`);
      const plan = await sql(
        host.globalFile,
        `EXPLAIN QUERY PLAN SELECT content FROM memories m WHERE ${text} ORDER BY created_at DESC, id DESC`,
      );
      const [first, ...rest] = plan.map(it => String(it.detail));
      assert.match(first ?? '', new RegExp(`USING INDEX ${index} \\(status=\\? AND \\w+=\\? AND kind=\\?\\)`, 'u'));
      assert.deepEqual(rest, ['USE TEMP B-TREE FOR RIGHT PART OF ORDER BY']);
    });
  }
});
