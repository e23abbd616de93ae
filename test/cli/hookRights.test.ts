import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hookNames, type HookName } from '../../src/cli/hooks/hookEvents.js';
import type { ProcessResult } from '../support/runProcess.js';
import { runRecollect } from './shell.js';

type Json = Readonly<Record<string, unknown>>;

/** What a program sends to its hooks (`test/fixtures/hooks/README.md`). */
interface Caller {
  readonly program: string;
  readonly events: Readonly<Record<string, Json>>;
}

const folder = path.resolve('test', 'fixtures', 'hooks');
const callers = readdirSync(folder)
  .filter(it => it.endsWith('.json'))
  .map(it => JSON.parse(readFileSync(path.join(folder, it), 'utf8')) as Caller);

/** The name of a program in the settings, by the beginning of its name in the fixtures. */
const clients: Readonly<Record<string, string>> = {
  'Claude Code': 'claude-code',
  Codex: 'codex-mcp-client',
  'Copilot CLI': 'copilot-cli',
  'VS Code': 'vscode',
};

const ofProject = 'Never run `make flash` here while the ferry lies at pier seven: "No rule to make target" follows.';
const ofPerson = 'Never run `make flash` anywhere without the blue cable: "No rule to make target" follows.';
/** The moments of a session: the hooks but the last, which is asked nothing here. */
const moments = hookNames.filter(it => it !== 'stop');

describe('the rights of a program hold at each moment of a session:', () => {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'recollect-hook-rights-')));
  const project = path.join(home, 'project');
  const run = (args: readonly string[], input = ''): Promise<ProcessResult> =>
    runRecollect(args, { input, home, cwd: project, env: { RECOLLECT_HOME: path.join(home, 'memory') } });
  let session = 0;

  before(async () => {
    mkdirSync(path.join(project, '.git'), { recursive: true });
    for (const [text, store] of [
      [ofProject, 'project'],
      [ofPerson, 'global'],
    ] as const)
      assert.equal((await run(['remember', text, '--store', store, '--kind', 'pitfall'])).code, 0);
  });
  after(() => {
    rmSync(home, { recursive: true, force: true });
  });

  /** What a new session of the program is given at a moment: `project`, `person`. */
  async function givenAt({ program, events }: Caller, hook: HookName): Promise<readonly string[]> {
    const [, event] = Object.entries(events).find(([name]) => name.startsWith(hook))!;
    const prompt = { prompt: 'May I run make flash with the blue cable, or at pier seven?' };
    const id = `session ${session++}`;
    const input = {
      ...event,
      ...('prompt' in event ? prompt : {}),
      ...('sessionId' in event ? { sessionId: id } : { session_id: id }),
    };
    const text = JSON.stringify(input)
      .replaceAll('"PROJECT', `"${project}`)
      .replace('"SESSION"', JSON.stringify(path.join(home, 'session.jsonl')));
    const { code, out, err } = await run(['hook', hook, '--timeout', '60'], text);
    assert.deepEqual([code, err], [0, ''], program);
    return [...(out.includes('pier seven') ? ['project'] : []), ...(out.includes('blue cable') ? ['person'] : [])];
  }

  async function givenAtAll(caller: Caller): Promise<Readonly<Record<string, readonly string[]>>> {
    const found: [string, readonly string[]][] = [];
    for (const it of moments) found.push([it, await givenAt(caller, it)]);
    return Object.fromEntries(found);
  }

  for (const caller of callers) {
    const [, client] = Object.entries(clients).find(([name]) => caller.program.startsWith(name))!;

    describe(caller.program, () => {
      afterEach(async () => {
        assert.equal((await run(['clients', 'unset', client])).code, 0);
      });

      it('gets nothing where it may do nothing', async () => {
        assert.equal((await run(['clients', 'deny', client])).code, 0);
        assert.deepEqual(await givenAtAll(caller), Object.fromEntries(moments.map(it => [it, []])));
      });

      it('gets only what the tools give that it may call', async () => {
        assert.equal((await run(['clients', 'allow', client, '--tools', 'remember', 'list'])).code, 0);
        assert.deepEqual(await givenAtAll(caller), Object.fromEntries(moments.map(it => [it, []])));
      });

      it('gets all where it may change nothing', async () => {
        assert.equal((await run(['clients', 'allow', client, '--read-only'])).code, 0);
        const given = await givenAtAll(caller);
        assert.deepEqual(given['session-start'], ['project', 'person']);
        for (const it of moments) assert.notDeepEqual(given[it], [], it);
      });

      // VS Code's chat uses the memories of its window, and cannot be limited to a store.
      if (client === 'vscode') return;
      for (const [store, allowed] of [
        ['project', 'project'],
        ['global', 'person'],
      ] as const) {
        it(`gets only memories of the store that it may use: ${store}`, async () => {
          assert.equal((await run(['clients', 'allow', client, '--store', store])).code, 0);
          for (const [moment, given] of Object.entries(await givenAtAll(caller)))
            assert.deepEqual(given, [allowed], moment);
        });
      }
    });
  }

  it('both programs that send the same input must be let in where nothing says which one it is', async () => {
    const [chat, copilot] = ['VS Code', 'Copilot CLI 1.0.102, events named'].map(name =>
      callers.find(it => it.program.startsWith(name))!,
    );
    assert.equal((await run(['clients', 'deny', 'copilot-cli'])).code, 0);
    assert.notDeepEqual(await givenAt(chat!, 'session-start'), []);
    assert.deepEqual(await givenAt(copilot!, 'session-start'), []);
    assert.equal((await run(['clients', 'unset', 'copilot-cli'])).code, 0);
    assert.equal((await run(['clients', 'deny', 'vscode'])).code, 0);
    assert.deepEqual(await givenAt(chat!, 'session-start'), []);
    assert.deepEqual(await givenAt(copilot!, 'session-start'), []);
    assert.equal((await run(['clients', 'unset', 'vscode'])).code, 0);
  });

  it('nothing is given at a moment that is switched off, whichever the program', async () => {
    const settings = path.join(home, 'memory', 'settings.json');
    writeFileSync(settings, JSON.stringify({ 'hooks.moments': ['stop'] }));
    for (const caller of callers)
      assert.deepEqual(await givenAtAll(caller), Object.fromEntries(moments.map(it => [it, []])), caller.program);
    rmSync(settings);
  });
});
