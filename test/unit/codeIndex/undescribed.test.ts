import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { shortId } from '../../../src/engine/model/memory.js';
import { listTool } from '../../../src/operations/list.js';
import { reviseTool } from '../../../src/operations/revise.js';
import { TestHost } from '../../support/fixtures.js';

const chk = `export function chkGate(u) {
  const open = u.doors.filter(it => !it.shut);
  return open.length === 0;
}

export function rst(u) {
  u.doors.forEach(it => it.close());
  return u;
}
`;
const user = `/** Departures. */
import { chkGate } from './gate.js';

/** Lets a train leave. */
export function leave(train) {
  return chkGate(train) && train.go();
}
`;

class Project {
  readonly host = new TestHost({ project: true });
  readonly folder = this.host.workspaceFolders[0]!;

  write(name: string, text: string): void {
    writeFileSync(path.join(this.folder, name), text);
  }

  async indexed(): Promise<MemoryEngine> {
    this.write('gate.js', chk);
    this.write('leave.js', user);
    this.write('apart.js', 'export function zap(x) {\n  const y = x * 2;\n  return y;\n}\n');
    const engine = await this.host.open();
    await engine.codeIndex.run();
    return engine;
  }
}

async function list(engine: MemoryEngine): Promise<{ readonly text: string; readonly ids: readonly string[] }> {
  const { text, structured } = await listTool.run(engine, { undescribed: true }, { source: 'mcp' });
  return { text, ids: structured.memories.map(it => it.id) };
}

async function idOf(engine: MemoryEngine, start: string): Promise<string> {
  return shortId((await engine.list({ kinds: ['code-description'] })).find(it => it.content.startsWith(start))!);
}

async function describeWith(engine: MemoryEngine, id: string, description: string): Promise<string> {
  return (await reviseTool.run(engine, { id, description }, { source: 'mcp' })).text;
}

const shut = 'Says whether every door of a train is shut.';

describe('code without a comment', () => {
  it('gets onto the list for an assistant, with the files first that most others use', async () => {
    const engine = await new Project().indexed();
    const { text, ids } = await list(engine);
    const lines = text.split('\n').filter(it => it.startsWith('- ['));
    assert.deepEqual(
      lines.map(it => / (File|Function) .*?(\w+\.js)/u.exec(it)!.slice(1, 3)),
      [
        ['File', 'gate.js'],
        ['Function', 'gate.js'],
        ['Function', 'gate.js'],
        ['Function', 'apart.js'],
      ],
    );
    assert.equal(ids.length, 4);
    assert.match(text, /4 files and declarations without a description in all\.$/u);
    assert.equal((await engine.codeIndex.status()).undescribed, 4);
  });

  it('has an assistant’s description in the index, which recall finds, and leaves the list', async () => {
    const engine = await new Project().indexed();
    const text = await describeWith(engine, await idOf(engine, 'Function `chkGate(u)`'), shut);
    assert.match(
      text,
      /^#\w{8}: This is its description now\. Function `chkGate\(u\)` in gate\.js: says whether every door/u,
    );
    const { hits } = await engine.recall({ query: 'which function says whether the doors of a train are shut' });
    const { content, lane, provenance } = hits[0]!.memory;
    assert.match(content, /every door of a train is shut\. .*Used by `leave` \(leave\.js\)/u);
    assert.deepEqual([lane, provenance.reason], ['note', 'An assistant wrote this description, from the code.']);
    assert.equal((await list(engine)).ids.length, 3);
    const all = await engine.list({ kinds: ['code-description'] });
    assert.equal(all.filter(it => it.content.includes('`chkGate(u)`')).length, 1);
  });

  it('keeps descriptions that are written at the same time, of a file and of what it declares', async () => {
    const engine = await new Project().indexed();
    const [file, chkId, rstId] = (await list(engine)).ids;
    await Promise.all([
      describeWith(engine, file!, 'What holds a train back.'),
      describeWith(engine, chkId!, shut),
      describeWith(engine, rstId!, 'Shuts every door of a train.'),
    ]);
    const contents = (await engine.list({ kinds: ['code-description'] })).map(it => it.content);
    for (const it of ['what holds a train back', 'every door of a train is shut', 'shuts every door'])
      assert.ok(
        contents.some(content => content.includes(it)),
        it,
      );
    assert.equal((await list(engine)).ids.length, 1);
  });

  it('keeps its description while that code stays, and is listed again once it changes', async () => {
    const project = new Project();
    const engine = await project.indexed();
    await describeWith(engine, await idOf(engine, 'Function `chkGate(u)`'), shut);
    project.write('gate.js', `const one = 1;\n${chk.replace('it.close()', 'it.shutNow()')}`);
    await engine.codeIndex.run();
    assert.match((await engine.get(await idOf(engine, 'Function `chkGate(u)`'))).content, /every door/u);
    project.write('gate.js', chk.replace('=== 0', '< 1'));
    await engine.codeIndex.run();
    const changed = await engine.get(await idOf(engine, 'Function `chkGate(u)`'));
    assert.doesNotMatch(changed.content, /every door/u);
    assert.equal(changed.provenance.reason, undefined);
    assert.ok((await list(engine)).ids.includes(shortId(changed)));
  });

  it('says so where the code has changed since, and describes nothing', async () => {
    const project = new Project();
    const engine = await project.indexed();
    const id = await idOf(engine, 'Function `chkGate(u)`');
    project.write('gate.js', chk.replaceAll('chkGate', 'checkGate'));
    await assert.rejects(describeWith(engine, id, shut), /has changed since it was indexed/u);
    const contents = (await engine.list({ kinds: ['code-description'] })).map(it => it.content);
    assert.ok(!contents.some(it => it.includes('every door')));
  });

  it('takes no description with a secret, none of what a comment describes, and none that a person confirmed', async () => {
    const engine = await new Project().indexed();
    const id = await idOf(engine, 'Function `chkGate(u)`');
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    await assert.rejects(describeWith(engine, id, `Sends ${secret} to the yard.`), /secret|token/iu);
    const commented = await idOf(engine, 'Function `leave(train)`');
    await assert.rejects(describeWith(engine, commented, shut), /is no code that lacks a description/u);
    await engine.promote(id);
    await assert.rejects(describeWith(engine, id, shut), /is no code that lacks a description/u);
    assert.ok(!(await list(engine)).ids.includes(id));
    await assert.rejects(
      async () => reviseTool.run(engine, { id, description: shut, stillTrue: true }, { source: 'mcp' }),
      /Give description alone/u,
    );
  });
});
