import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { RecallInput } from '../../../src/engine/model/query.js';
import { encoderHost, waitForEncoder } from '../../support/encoderHost.js';
import { storeMemory } from '../../support/fixtures.js';

const damaged = 'Kran 3 steht wegen eines Risses bis Ostern still.';
const quiet = 'Between ten at night and six in the morning the horn of the pilot boat stays silent.';
const loading = 'Containers are loaded with the script tools/load.sh, after a dry run.';
const others = [
  'The harbour office is closed on Sundays.',
  'Berth 4 takes ships of 90 metres.',
  'The weather mast reports every ten minutes.',
  'Fresh water is sold at the east quay.',
  'The dredger works from March to May.',
  'Anna keeps the list of the moorings.',
];

describe('a recall by its parts', () => {
  waitForEncoder();

  let engine: MemoryEngine;
  beforeEach(async () => {
    engine = await encoderHost().open();
    for (const it of [damaged, quiet, loading, ...others]) {
      const aids = { questions: [`What about ${it.split(' ').slice(0, 3).join(' ')}?`], keywords: [it.split(' ')[0]!] };
      await storeMemory(engine, it, { aids });
    }
    await engine.embedMissing();
  });

  const found = async (input: RecallInput): Promise<readonly string[]> =>
    (await engine.recall({ isUntracked: true, ...input })).hits.map(it => it.memory.content);

  it('finds by a keyword what the question does not name', async () => {
    assert.ok((await found({ query: 'Which machine is broken?', keywords: ['Risses'] })).includes(damaged));
    assert.ok((await found({ query: 'Which machine is broken?', keywords: ['Kran'] })).includes(damaged));
  });

  it('has what answers each subject of a task', async () => {
    const answer = await found({
      query: 'Bring the cargo of the evening aboard',
      alternatives: [
        'how are containers loaded',
        'quiet hours of the pilot boat at night',
        'machines that stand still',
        'who to call',
      ],
    });
    assert.ok(
      [quiet, loading].every(it => answer.includes(it)),
      answer.join('\n'),
    );
  });

  it('stays empty where no part is answered', async () => {
    assert.deepEqual(await found({ query: 'salary of the mayor', keywords: ['pension', 'wages'] }), []);
  });
});
