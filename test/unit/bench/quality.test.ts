import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run as beam } from '../../bench/beam.js';
import { inTemporaryFolder, splitToFit } from '../../bench/kit/corpus.js';
import { BenchError, type BenchOptions } from '../../bench/kit/options.js';
import { toJson, toText, type Report } from '../../bench/kit/report.js';
import { run as locomo } from '../../bench/locomo.js';

const turn = { session: 1, date: '9:05 am on 3 March, 2025', caption: null };
const conversations = [
  {
    id: 'talk',
    turns: [
      { ...turn, id: 'T1', speaker: 'Ada', text: 'I moved the lighthouse keeper notes to the attic.' },
      { ...turn, id: 'T2', speaker: 'Ben', text: 'Look what I baked!', caption: 'a loaf of rye bread' },
      { ...turn, id: 'T3', speaker: 'Ada', text: 'See you.' },
      // The same turn again is the same memory; either id is right.
      { ...turn, id: 'T4', session: 2, speaker: 'Ada', text: 'See you.' },
    ],
    questions: [
      { id: 'q1', question: 'Where are the lighthouse notes?', category: 4, evidence: ['T1'] },
      { id: 'q2', question: 'Who baked rye bread?', category: 1, evidence: ['T2'] },
      { id: 'q3', question: 'What is the name of the boat?', category: 5, evidence: ['T1'] },
    ],
  },
];
const chats = [
  {
    id: 1,
    messages: [
      { id: 0, date: 'March-15-2025', text: 'The release branch is cut from main on Mondays.' },
      { id: 2, date: null, text: 'My cat likes the radiator.' },
      { id: 4, date: 'April-02-2025', text: 'We now cut the release branch on Thursdays.' },
      { id: 6, date: null, text: `${'All about gardens.\n'.repeat(900)}The spade is in the shed.` },
    ],
    probes: [
      {
        id: 'p1',
        kind: 'knowledge_update',
        question: 'When is the release branch cut?',
        evidence: [0, 4],
        pair: [[0], [4]],
      },
      { id: 'p2', kind: 'information_extraction', question: 'Where is the spade?', evidence: [6] },
    ],
  },
];

describe('quality benches', () => {
  const check = (
    title: string,
    bench: (options: BenchOptions) => Promise<Report>,
    data: unknown,
    expected: Readonly<Record<string, number>>,
  ): void => {
    it(title, () =>
      inTemporaryFolder(async folder => {
        const file = path.join(folder, 'data.json');
        await writeFile(file, JSON.stringify(data));
        const report = await bench({ data: file });
        const { n, figures, baseline } = report;
        const keys = Object.keys(expected).filter(it => it !== 'n');
        assert.deepEqual({ n, ...Object.fromEntries(keys.map(it => [it, figures[it]])) }, expected);
        assert.deepEqual(Object.keys(baseline), Object.keys(figures));
        assert.deepEqual(await bench({ data: file }), report, 'two runs differ');
        assert.match(toText(report), new RegExp(`^${report.name}, n = ${n}`));
        assert.ok('figures' in toJson(report));
      }),
    );
  };
  check('locomo finds the turns of a small conversation', locomo, conversations, { n: 2, 'hit@5': 100, mrr: 100 });
  check('beam finds both sides of an update, and a message too long for one memory', beam, chats, {
    n: 2,
    'recall@10': 100,
    pairsComplete: 100,
  });
  it('says what to do when there is no data', async () => {
    await assert.rejects(locomo({ data: 'no such file' }), (error: Error) => {
      return error instanceof BenchError && error.message.includes('--data FILE');
    });
  });
  it('cuts a long text between lines, else between words, and loses nothing', () => {
    assert.deepEqual(splitToFit('one\ntwo three four', 8), ['one\ntwo', ' three', ' four']);
    assert.deepEqual(splitToFit('abcdefghij', 4), ['abcd', 'efgh', 'ij']);
  });
});
