import assert from 'node:assert/strict';
import os from 'node:os';
import fs from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { forgetTool } from '../../../src/operations/forget.js';
import { listTool } from '../../../src/operations/list.js';
import { recallTool } from '../../../src/operations/recall.js';
import { rememberTool } from '../../../src/operations/remember.js';
import { reviseTool } from '../../../src/operations/revise.js';
import { runTool, type Tool } from '../../../src/operations/tool.js';
import { TestHost } from '../../support/fixtures.js';

interface Stored {
  readonly id: string;
  readonly reason?: string;
}

describe('what a model reads after a call', () => {
  let host: TestHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new TestHost({ project: true });
    engine = await host.open();
  });

  async function call(tool: unknown, input: object): Promise<{ text: string; structured: Record<string, unknown> }> {
    return runTool(tool as Tool, engine, input, { source: 'mcp' });
  }
  async function store(...facts: object[]): Promise<readonly Stored[]> {
    return (await call(rememberTool, { facts })).structured.outcomes as readonly Stored[];
  }
  const gateOf = async (id: string): Promise<string> => {
    const { gate, kind } = await engine.get(id);
    return `${gate} ${kind}`;
  };

  it('keeps the gate and kind of a rule in what replaces it, unless the caller gives one', async () => {
    const content = 'The migrations run at the start of the container.';
    const rule = { content: 'Run just migrate before each deploy.', gate: 'behavioral', kind: 'procedure' };
    const [old] = await store(rule);
    const [heir] = await store({ content, replaces: [old!.id] });
    const [other] = await store({ content: `${content} Always.`, replaces: [heir!.id], gate: 'epistemic' });
    assert.deepEqual([await gateOf(heir!.id), await gateOf(other!.id)], ['behavioral procedure', 'epistemic context']);
  });

  it('says which words stand where a caller takes two facts for the same', async () => {
    const [note] = await store({ content: 'Bob reviews the docs.' });
    const [reworded] = await store({ content: 'The docs are reviewed by Bob.', sameAs: note!.id });
    assert.equal(reworded!.reason, 'It has the new words now, in the place of "Bob reviews the docs.".');
    await engine.promote(note!.id);
    const [kept] = await store({ content: 'Payments go through Adyen.', sameAs: note!.id });
    assert.match(
      kept!.reason ?? '',
      /^Its words stay: "The docs are reviewed by Bob\."\. The new ones are not kept; if/u,
    );
    const [both] = await store({ content: 'Bob, the docs.', sameAs: note!.id, replaces: [note!.id] });
    assert.match(both!.reason ?? '', /cannot replace or refine itself\.$/u);
  });

  it('says that the project has no such file, and takes the right one when it is said again', async () => {
    const file = path.join(host.workspaceFolders[0]!, 'parser.ts');
    fs.writeFileSync(file, 'export const parser = 1;\n');
    const content = 'The parser of invoices reads UTF-16.';
    const [wrong] = await store({ content, file: 'src/parser.ts', lines: '3' });
    assert.equal(wrong!.reason, 'No file src/parser.ts was found in the project, so it is kept without one.');
    for (const other of [os.devNull, '.']) {
      const [kept] = await store({ content, file: other });
      assert.equal(kept!.reason, `No file ${other} was found in the project, so it is kept without one.`);
      assert.equal((await engine.get(kept!.id)).provenance.uri, undefined);
    }
    const places: readonly (readonly [object, string])[] = [
      [{ lines: '3' }, 'The lines 3 were left out, because no file is named with them.'],
      [{ file: 'parser.ts', lines: '8-9' }, 'parser.ts has 2 lines, so the lines 8-9 were left out.'],
      [{ file: 'parser.ts', lines: '1-9' }, 'parser.ts has 2 lines, so of the lines 1-9 those after 2 were left out.'],
    ];
    for (const [i, [place, reason]] of places.entries())
      assert.equal((await store({ content: `Rule ${i} of the harbour.`, ...place }))[0]!.reason, reason);
    const recalled = await call(recallTool, { query: 'parser of invoices' });
    assert.match(recalled.text, /note\] The parser/u);
    const [right] = await store({ content, file: 'parser.ts' });
    assert.deepEqual([right!.id, right!.reason], [wrong!.id, undefined]);
    assert.match((await engine.get(right!.id)).provenance.uri ?? '', /parser\.ts$/u);
    fs.rmSync(file);
    assert.match((await call(recallTool, { query: 'parser of invoices', mode: 'fresh' })).text, /code gone/u);
  });

  it('says of a plan that its day is past, and not of one of today, wherever that is', async () => {
    const day = (ago: number): string => new Date(host.time - ago * 86_400_000).toISOString().slice(0, 10);
    const outcomes = await store(
      { content: 'The certificate is renewed.', due: day(30) },
      { content: 'The lock is oiled.', due: day(1) },
      { content: 'The audit starts.', due: day(-3) },
    );
    assert.deepEqual(
      outcomes.map(it => it.reason?.replace(/, .*?,/u, ', DAY,')),
      ['Its day, DAY, is past. If that is a slip, remember it again with the right one.', undefined, undefined],
    );
  });

  it('does not say "replaced" of a memory for which another one stands that says the same', async () => {
    const [a, b] = await store({ content: 'Grafana runs on port 3000.' }, { content: 'Port 3000 has Grafana.' });
    await call(reviseTool, { id: a!.id, sameAs: b!.id });
    const { text, structured } = await call(listTool, {});
    assert.match(text, new RegExp(`#${a!.id} .* · said by #${b!.id}, too\\]`, 'u'));
    assert.doesNotMatch(text, /replaced/u);
    const rows = structured.memories as readonly { id: string; sameAs?: string; replacedBy?: string }[];
    assert.deepEqual(
      rows.map(it => [it.id, it.sameAs, it.replacedBy]).sort(),
      [
        [a!.id, b!.id, undefined],
        [b!.id, undefined, undefined],
      ].sort(),
    );
  });

  it('names the call that lists a gate where nothing of it answers a vague question', async () => {
    await store({ content: 'Never force-push to main.', gate: 'correction' });
    const query = 'quarterly revenue in Portugal';
    assert.equal(
      (await call(recallTool, { query, gates: ['correction'] })).text,
      'Nothing is remembered about this. Others have these gates: to read them all, call list with {"gates":["correction"]}.',
    );
    assert.equal((await call(recallTool, { query, gates: ['relational'] })).text, 'Nothing is remembered about this.');
  });

  it('says how to put a memory in other words to a call of revise that tries to', async () => {
    const [a] = await store({ content: 'Grafana runs on port 3000.' });
    await assert.rejects(call(reviseTool, { id: a!.id, content: 'It runs on 3001.' }), {
      message:
        'The input of revise is not valid: input: say what of it: replacedBy, sameAs, stillTrue, appliesTo, questions or keywords (for other words, call remember with the new text as content and its id in sameAs, or in replaces where it no longer holds); unknown: content. Correct it and call again.',
    });
    await assert.rejects(call(reviseTool, { text: 'x' }), {
      message: 'The input of revise is not valid: id: is missing; unknown: text. Correct it and call again.',
    });
  });

  it('promises nothing after a search for what to forget that only a person may do', async () => {
    await store({ content: 'Grafana runs on port 3000.' });
    const { text } = await call(forgetTool, { query: 'Grafana' });
    assert.match(text, /Only the user archives it: they are asked then, or find the request in Recollect\.$/u);
  });
});
