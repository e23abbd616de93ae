import assert from 'node:assert/strict';
import { temperatures, type Memory } from '../../../src/engine/model/memory.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

const day = (daysAgo: number): string =>
  new Date(Date.parse('2026-03-02T09:00:00Z') - daysAgo * 86_400_000).toISOString();
const untouched = {
  pinned: false,
  decayClass: 'durable',
  accessCount: 0,
  updatedAt: day(90),
  reinforcedAt: day(90),
} as const;

describe('a memory', () => {
  const cases: readonly (readonly [string, Partial<Memory>, 'hot' | 'cold'])[] = [
    ['that was not touched for long', {}, 'cold'],
    ['that was used lately', { accessedAt: day(29) }, 'hot'],
    ['that was used 30 days ago, at any hour', { accessedAt: day(30) }, 'hot'],
    ['that was used 31 days ago', { accessedAt: day(31) }, 'cold'],
    ['that was said again lately', { reinforcedAt: day(29) }, 'hot'],
    ['that was changed lately', { updatedAt: day(29) }, 'hot'],
    ['that was used ten times', { accessedAt: day(45), accessCount: 10 }, 'cold'],
    ['that was used eleven times', { accessedAt: day(45), accessCount: 11 }, 'hot'],
    ['that was used often, but not for two months', { accessedAt: day(61), accessCount: 50 }, 'cold'],
    ['that is pinned', { pinned: true }, 'hot'],
    ['that is critical', { decayClass: 'permanent' }, 'hot'],
    ['that was made from code', { provenance: { source: 'code-index' } }, 'hot'],
  ];
  it('is listed by its temperature', async () => {
    const host = new TestHost();
    const engine = await host.open();
    for (const [what, { provenance, ...fields }] of cases) {
      const id = await storeMemory(engine, `The memory ${what} is number ${what.length}.`);
      const {
        accessedAt = null,
        pinned,
        decayClass,
        accessCount,
        updatedAt,
        reinforcedAt,
      } = { ...untouched, ...fields };
      const values = {
        accessed_at: accessedAt,
        pinned: Number(pinned),
        decay_class: decayClass,
        access_count: accessCount,
      };
      const all = {
        ...values,
        updated_at: updatedAt,
        reinforced_at: reinforcedAt,
        source: provenance?.source ?? 'explicit',
      };
      const assignments = Object.entries(all).map(([name, it]) => `${name} = ${it === null ? 'NULL' : `'${it}'`}`);
      await sql(host.globalFile, `UPDATE memories SET ${assignments.join()} WHERE id = '${id}'`);
    }
    const contents = async (from: Promise<readonly Memory[]>): Promise<string[]> =>
      (await from).map(it => it.content).sort();
    for (const temperature of temperatures) {
      const expected = cases.filter(it => it[2] === temperature);
      assert.deepEqual(
        await contents(engine.list({ temperature })),
        expected.map(([what]) => `The memory ${what} is number ${what.length}.`).sort(),
      );
    }
  });
});
