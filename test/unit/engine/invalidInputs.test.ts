import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import { tools } from '../../../src/operations/registry.js';
import { runTool } from '../../../src/operations/tool.js';
import { storeMemory, storeProblems, memoryInput, TestHost } from '../../support/fixtures.js';

/** What a bad text becomes: kept as this, or refused with a sentence that has this in it. */
type Becomes = { readonly kept: string } | { readonly refused: string };

const injection = "'; DROP TABLE memories; --";

export const texts: readonly (readonly [name: string, text: string, becomes: Becomes])[] = [
  ['nothing', '', { refused: 'nothing to remember' }],
  ['white space', ' \t\r\n\u00a0 ', { refused: 'nothing to remember' }],
  ['invisible characters', '\u200b\ufeff\u202e', { refused: 'nothing to remember' }],
  ['a megabyte', 'words '.repeat(175_000), { refused: 'a memory holds at most 8,000' }],
  ['a megabyte of one letter', 'x'.repeat(1_000_000), { refused: 'a memory holds at most 8,000' }],
  ['a megabyte of emoji', '👩‍👩‍👧'.repeat(125_000), { refused: 'a memory holds at most 8,000' }],
  ['one character too many', 'x'.repeat(8_001), { refused: 'The text has 8,001 characters' }],
  ['as much as there may be', 'x'.repeat(8_000), { kept: 'x'.repeat(8_000) }],
  [
    'binary',
    Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256)).toString('latin1'),
    { refused: 'binary data' },
  ],
  ['a NUL in a word', 'the port\0is 1', { refused: 'binary data' }],
  ['a lone surrogate', 'the port \ud83d is 1', { kept: 'the port \ufffd is 1' }],
  [
    'surrogates in the wrong order',
    'the port \ude00\ud83d is one of the many that we use',
    { kept: 'the port \ufffd\ufffd is one of the many that we use' },
  ],
  ['SQL', injection, { kept: injection }],
  ['a quote', 'the "port" is 1"', { kept: 'the "port" is 1"' }],
  [
    'FTS operators',
    'NEAR(port one, 2) AND port* OR ^port NOT "port" + {a b}: - x',
    { kept: 'NEAR(port one, 2) AND port* OR ^port NOT "port" + {a b}: - x' },
  ],
  ['a column filter', 'terms: port', { kept: 'terms: port' }],
  ['right to left', 'المنفذ هو 8443', { kept: 'المنفذ هو 8443' }],
  ['a hidden direction', 'the port \u202eis\u202c 1', { kept: 'the port is 1' }],
  ['emoji', '🚀 means deploy 👩‍👩‍👧', { kept: '🚀 means deploy 👩‍👩‍👧' }],
  ['only an emoji', '🚀', { kept: '🚀' }],
  ['only signs', '?!… --- ***', { kept: '?!… --- ***' }],
  ['CRLF', 'the port\r\nis 1\r', { kept: 'the port\nis 1' }],
  [
    'control characters',
    'the port is one\u001b[31m of many, and this goes on\u0007',
    { kept: 'the port is one of many, and this goes on' },
  ],
  ['a percent sign and a backslash', '100% \\ _ %s %n', { kept: '100% \\ _ %s %n' }],
  ['a prototype', '__proto__ constructor toString', { kept: '__proto__ constructor toString' }],
];

/** One line that says what to do; nothing of a program's inside. */
function assertSentence(message: string): void {
  assert.match(message, /^[^\n]{15,300}[.]$/u);
  assert.doesNotMatch(message, /SQLITE|TypeError|undefined|\[object|NaN/u);
}

describe('bad inputs', () => {
  for (const [name, text, becomes] of texts) {
    it(`to remember: ${name}`, async () => {
      const engine = await new TestHost().open();
      const other = await storeMemory(engine, 'This was here before.');
      const [outcome, ...more] = await engine.remember(memoryInput(text));
      assert.deepEqual(more, []);
      if ('refused' in becomes) {
        assert.ok(
          outcome?.outcome === 'refused' && outcome.reason.includes(becomes.refused),
          JSON.stringify(outcome).slice(0, 200),
        );
        assertSentence(outcome.reason);
      } else {
        assert.ok(outcome?.outcome === 'stored');
        const memory = await engine.get(outcome.id);
        assert.equal(memory.content, becomes.kept);
        assert.ok(memory.summary.length <= 240 && !memory.summary.includes('\n'));
        const again = await engine.remember(memoryInput(text));
        assert.deepEqual(
          again.map(it => it.outcome),
          ['reinforced'],
        );
      }
      const kept = (await engine.list()).map(it => it.id);
      assert.ok(kept.includes(other) && kept.length === ('kept' in becomes ? 2 : 1));
      assert.deepEqual(await storeProblems(engine), []);
    });

    it(`to recall: ${name}`, async () => {
      const engine = await new TestHost().open();
      await storeMemory(engine, 'the port is 1 of those that we use');
      if ('kept' in becomes) await storeMemory(engine, text);
      const found = await engine.recall({ query: text }).catch((error: unknown) => {
        assert.ok(EngineError.is(error, 'invalidInput') && text.trim() === '', String(error).slice(0, 200));
        assertSentence(error.message);
      });
      // What was kept is found by itself wherever it has a word.
      if ('kept' in becomes && /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(becomes.kept) && text.length < 2_000) {
        assert.equal(found?.hits[0]?.memory.content, becomes.kept);
      }
      assert.ok((await engine.traces()).every(it => it.query.length <= 2_000));
      assert.deepEqual(await storeProblems(engine), []);
    });

    it(`elsewhere: ${name}`, async () => {
      const host = new TestHost();
      const engine = await host.open();
      await storeMemory(engine, 'the port is 1');
      const tries = [
        engine.get(text),
        engine.forget(text),
        engine.remember(memoryInput('A tagged fact.', { tags: [text] })),
        engine.remember(memoryInput('A fact of a session.', { session: text, scopeId: text, uri: text, branch: text })),
        engine.list({ tags: [text], session: text, uri: text, scopeId: text }),
        engine.recall({ query: 'port', tags: [text], session: text, uri: text, scopeId: text }),
        engine.getMany([text, text]),
        engine.recall({ query: 'port', since: text }),
        engine.list({ until: text }),
        ...tools.map(it =>
          runTool(it, engine, { id: text, query: text, content: text, useful: true, tags: [text] }, { source: 'mcp' }),
        ),
        ...tools.map(it => runTool(it, engine, text, { source: 'mcp' })),
      ];
      for (const it of await Promise.allSettled(tries)) {
        if (it.status === 'fulfilled') continue;
        assert.ok(EngineError.is(it.reason), String(it.reason).slice(0, 300));
        assert.ok(
          ['invalidInput', 'notFound'].includes(it.reason.code),
          `${it.reason.code}: ${it.reason.message.slice(0, 200)}`,
        );
        assert.ok(
          it.reason.message.length < 600 && !/SQLITE|TypeError/u.test(it.reason.message),
          it.reason.message.slice(0, 600),
        );
      }
      // Not always first: a tag such as "NEAR(port one, 2)" is about ports too.
      const { hits } = await engine.recall({ query: 'port' });
      assert.ok(hits.some(it => it.memory.content === 'the port is 1'));
      assert.deepEqual(await storeProblems(engine), []);
    });
  }

  it('a thousand tags', async () => {
    const engine = await new TestHost().open();
    await storeMemory(engine, 'the port is 1', { tags: ['t1'] });
    const tags = Array.from({ length: 1_000 }, (_, i) => `t${i}`);
    await assert.rejects(engine.remember(memoryInput('A fact.', { tags })), it => EngineError.is(it, 'invalidInput'));
    assert.deepEqual(await engine.list({ tags }), []);
    assert.deepEqual((await engine.recall({ query: 'port', tags })).hits, []);
    assert.equal((await engine.list({ tags: Array.from({ length: 1_000 }, () => 't1') })).length, 1);
  });

  it('a thousand different words to recall', async () => {
    const engine = await new TestHost().open();
    await storeMemory(engine, 'the port is 1');
    const query = `${Array.from({ length: 1_000 }, (_, i) => i.toString(36))
      .join(' ')
      .slice(0, 1_990)} port`;
    assert.equal((await engine.recall({ query, withoutCut: true })).hits.length, 1);
  });

  it('numbers that are none', async () => {
    const engine = await new TestHost().open();
    for (const number of [NaN, Infinity, -1, 1.5, 1e300]) {
      for (const call of [
        engine.recall({ query: 'x', limit: number }),
        engine.recall({ query: 'x', tokenBudget: number }),
        engine.list({ limit: number }),
      ]) {
        await assert.rejects(call, it => EngineError.is(it, 'invalidInput'));
      }
    }
  });
});
