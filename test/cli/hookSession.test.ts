import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readAccesses } from '../../src/engine/access/accessLog.js';
import { storeMemory, TestHost } from '../support/fixtures.js';
import { Shell } from './shell.js';

const session = 'f0f0f0f0-1234-4cde-9abc-0123456789ab';

describe('recollect hook prompt, within one session', function () {
  let shell: Shell;
  const dataDir = (): string => path.join(shell.home, 'memory');
  const remember = async (content: string): Promise<string> => {
    const { data } = await shell.json(['remember', content, '--store', 'project']);
    return (data as { outcomes: { id: string }[] }).outcomes[0]!.id;
  };
  /** What the assistant is given, once that is in the log of reads. */
  const hook = async (name: string, more: object): Promise<string> => {
    const countReads = async (): Promise<number> =>
      (await readAccesses(dataDir())).filter(it => it.client === 'hook').length;
    const before = await countReads();
    const input = { session_id: session, cwd: shell.project, ...more };
    const { code, out, err } = await shell.run(`hook ${name}`, JSON.stringify(input));
    assert.deepEqual([code, err], [0, '']);
    while ((await countReads()) === before) await new Promise(resolve => setTimeout(resolve, 20));
    return out;
  };
  const ask = (prompt: string, more: object = {}): Promise<string> =>
    hook('prompt', { hook_event_name: 'UserPromptSubmit', prompt, ...more });
  const begin = (source: string): Promise<string> => hook('session-start', { hook_event_name: 'SessionStart', source });
  const question = 'Where does the ferry leave?';

  beforeEach(() => {
    shell = new Shell();
  });

  it('gives a memory once, to another session as well, and keeps no id of a session', async () => {
    await remember('The ferry leaves from pier seven.');
    assert.match(await ask(question), /pier seven/u);
    assert.equal(await ask(question), '');
    assert.match(await ask(question, { session_id: 'another' }), /pier seven/u);
    assert.match(await ask(question, { session_id: undefined }), /pier seven/u);
    assert.match(await ask(question, { session_id: undefined }), /pier seven/u);
    const log = readFileSync(path.join(dataDir(), 'access', 'reads.jsonl'), 'utf8');
    assert.ok(!log.includes(session.slice(0, 8)) && !log.includes('another'), log);
  });

  it('gives other memories in the place of those that the session has', async () => {
    await remember('The ferry leaves from pier seven.');
    await ask(question);
    await remember('The ferry leaves at nine on workdays.');
    const context = await ask('When and where does the ferry leave?');
    assert.deepEqual([...context.matchAll(/pier seven|at nine/gu)].map(String), ['at nine']);
  });

  it('leaves out what the session was given at its start', async () => {
    await remember('The ferry leaves from pier seven.');
    assert.match(await begin('startup'), /pier seven/u);
    assert.equal(await ask(question), '');
  });

  it('gives nothing for a prompt that only goes on with what was said before it', async () => {
    await remember('The yes button goes on to the second option of the wizard.');
    const input = { session_id: session, cwd: shell.project, hook_event_name: 'UserPromptSubmit' };
    const given = async (prompt: string): Promise<string> =>
      (await shell.run('hook prompt', JSON.stringify({ ...input, prompt }))).out;
    for (const it of ['yes please, go on', 'no, the second option', 'why?', 'ok, do it'])
      assert.equal(await given(it), '');
    assert.match(await given('yes, the wizard'), /yes button/u);
  });

  it('gives it again after the session was resumed or cleared, and after a compaction where the briefing has no room for it', async () => {
    await remember('The ferry leaves from pier seven.');
    await ask(question);
    for (const source of ['resume', 'clear', 'compact']) {
      assert.equal(await ask(question), '');
      const input = { hook_event_name: 'SessionStart', source };
      assert.doesNotMatch(await hook('session-start --budget 10', input), /pier seven/u, source);
      assert.match(await ask(question), /pier seven/u, source);
    }
  });

  it('gives it again when its text was changed, and when something contradicts it', async () => {
    const before = 'The ferry leaves from pier seven.';
    const id = await remember(before);
    await ask(question);
    const host = new TestHost();
    host.dataDir = dataDir();
    host.workspaceFolders = [shell.project];
    host.time = Date.now();
    const engine = await host.open();
    await engine.editText(id, { content: 'The ferry leaves from pier three.', before });
    assert.match(await ask(question), /pier three/u);
    assert.equal(await ask(question), '');
    host.time = Date.now();
    const newer = await storeMemory(engine, 'The ferry leaves from pier nine.', { store: 'project', lane: 'note' });
    await engine.revise({ id, replacedBy: newer }, 'model');
    await engine.close();
    const context = await ask(question);
    assert.deepEqual([...context.matchAll(/pier \w+|conflict/gu)].map(String), [
      'pier nine',
      'conflict',
      'pier three',
      'conflict',
    ]);
    assert.equal(await ask(question), '');
  });

  it('does not keep it from a call of recall', async () => {
    await remember('The ferry leaves from pier seven.');
    await ask(question);
    for (let i = 0; i < 2; i++) assert.match((await shell.run(['recall', question])).out, /pier seven/u);
  });
});
