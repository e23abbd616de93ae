import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hookNames } from '../../src/cli/hooks/hookEvents.js';
import { formatHookOutput, readHookMessage } from '../../src/cli/hooks/hookMessages.js';
import type { ProcessResult } from '../support/runProcess.js';
import { runRecollect } from './shell.js';

type Json = Readonly<Record<string, unknown>>;

/** What a program sends, and where it reads the answer (`test/fixtures/hooks/README.md`). */
interface Caller {
  readonly program: string;
  readonly events: Readonly<Record<string, Json>>;
  readonly readsContextAt: string;
  readonly readsStopAt: string;
  /** It refuses an output with keys that it does not know. */
  readonly strict: boolean;
}

const folder = path.resolve('test', 'fixtures', 'hooks');
const callers = readdirSync(folder)
  .filter(it => it.endsWith('.json'))
  .map(it => JSON.parse(readFileSync(path.join(folder, it), 'utf8')) as Caller);

const at = (output: Json, keys: string): unknown =>
  keys.split('.').reduce<unknown>((value, key) => (value as Json | undefined)?.[key], output);

describe('recollect hook, called by', () => {
  // One memory for all tests.
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'recollect-hooks-')));
  const project = path.join(home, 'project');
  const run = (args: string | readonly string[], input = ''): Promise<ProcessResult> =>
    runRecollect(typeof args === 'string' ? args.split(' ') : args, {
      ...{ input, home, cwd: project },
      env: { RECOLLECT_HOME: path.join(home, 'memory') },
    });
  before(async () => {
    mkdirSync(project);
    assert.equal((await run(['remember', 'The ferry leaves from pier seven.'])).code, 0);
    const pitfall =
      'Never run `make flash` twice, nor edit src/flash.ts meanwhile: "No rule to make target" is what it says.';
    assert.equal((await run(['remember', pitfall])).code, 0);
  });
  after(() => {
    rmSync(home, { recursive: true, force: true });
  });

  for (const { program, events, readsContextAt, readsStopAt, strict } of callers) {
    describe(program, () => {
      for (const [name, event] of Object.entries(events)) {
        const hook = hookNames.find(it => name.startsWith(it));
        const payload = JSON.stringify(event)
          .replace('"PROJECT"', JSON.stringify(project))
          .replace('"PROJECT/src/flash.ts"', JSON.stringify(path.join(project, 'src', 'flash.ts')))
          .replace('"SESSION"', JSON.stringify(path.join(home, 'session.jsonl')));
        if (hook === 'session-start') {
          it(`gives the briefing where it reads it: ${name}`, async () => {
            // With a byte order mark, as PowerShell pipes have one.
            const { code, out, err } = await run(`hook ${hook}`, `\uFEFF${payload}\r\n`);
            assert.deepEqual([code, err], [0, '']);
            assert.match(String(at(JSON.parse(out) as Json, readsContextAt)), /The ferry leaves from pier seven\./u);
          });
        } else if (hook === 'before-tool' || hook === 'after-tool') {
          it(`gives what is remembered about the tool call where it reads it: ${name}`, async () => {
            // Of a session that has not been given it.
            const ofOwn = payload.replace(/("session_?id":)"[^"]+"/iu, `$1"${program} ${name}"`);
            const { code, out, err } = await run(`hook ${hook}`, ofOwn);
            assert.deepEqual([code, err], [0, '']);
            const output = JSON.parse(out) as Json;
            assert.match(String(at(output, readsContextAt)), /Never run `make flash` twice/u);
            if (event.hook_event_name !== undefined && program !== 'Copilot CLI 1.0.102, events in camel case')
              assert.equal(at(output, 'hookSpecificOutput.hookEventName'), event.hook_event_name);
          });
        } else if (hook === undefined) {
          it(`says nothing at ${String(event.hook_event_name)}, whichever hook is called for it`, async () => {
            for (const args of ['hook', ...hookNames.map(it => `hook ${it}`)])
              assert.deepEqual(await run(args, payload), { code: 0, out: '', err: '' });
          });
        }
        if (hook === undefined) continue;
        it(`reads and answers in the form of the program: ${name}`, () => {
          const { caller, cwd, prompt, event: hookEvent } = readHookMessage(JSON.parse(payload) as Json);
          assert.equal(cwd, project);
          assert.equal(prompt, event.prompt);
          const output = JSON.parse(formatHookOutput(caller, hook, { text: 'What is remembered.' }, hookEvent)) as Json;
          const keys = hook === 'stop' ? readsStopAt : readsContextAt;
          assert.equal(at(output, keys), 'What is remembered.');
          if (hook === 'stop') assert.equal(at(output, keys.replace('reason', 'decision')), 'block');
          const known = hook === 'stop' ? ['decision', 'reason'] : ['hookSpecificOutput'];
          if (strict) assert.deepEqual(Object.keys(output), known);
          assert.equal(formatHookOutput(caller, hook, { text: '' }), '');
        });
        if (hook !== 'before-tool') continue;
        it(`has the person asked where the program can ask, and only gives the line otherwise: ${name}`, () => {
          const { caller, event: hookEvent } = readHookMessage(JSON.parse(payload) as Json);
          const answer = { text: 'What is remembered.', question: 'Really?' };
          const output = JSON.parse(formatHookOutput(caller, hook, answer, hookEvent)) as Json;
          const decisionAt = (key: string): unknown => at(output, readsContextAt.replace('additionalContext', key));
          const asked = program.startsWith('Codex') ? [undefined, undefined] : ['ask', 'Really?'];
          assert.deepEqual([decisionAt('permissionDecision'), decisionAt('permissionDecisionReason')], asked);
          assert.equal(at(output, readsContextAt), 'What is remembered.');
        });
      }
    });
  }

  it('a program that names the event in its input, without an argument', async () => {
    const input = { hook_event_name: 'SessionStart', cwd: project, source: 'startup' };
    assert.match((await run('hook', JSON.stringify(input))).out, /pier seven/u);
  });

  it('a program that names its session, which is known by a hash that all its events share', () => {
    for (const { program, events } of callers) {
      const named = Object.values(events).filter(it => typeof (it.session_id ?? it.sessionId) === 'string');
      const idOf = (it: Json): string => String(it.session_id ?? it.sessionId);
      const hashes = new Map(named.map(it => [idOf(it), new Set<string | undefined>()]));
      for (const it of named) hashes.get(idOf(it))!.add(readHookMessage(it).session);
      for (const [id, [hash, ...others]] of Array.from(hashes, ([id, all]) => [id, [...all]] as const)) {
        assert.deepEqual([/^[\da-f]{16}$/u.test(hash ?? ''), others, id.includes(hash!)], [true, [], false], program);
      }
      assert.notEqual(named.length, 0, program);
    }
    assert.equal(readHookMessage({ session_id: 7 }).session, undefined);
  });

  it('a program whose sessions are a source of capture: its session is read as such, and that of another is not', () => {
    const sourceOf = (events: Record<string, Json>, file: string): string => {
      const { caller, transcript } = readHookMessage({ ...events.stop, transcript_path: file });
      return `${caller} ${transcript?.source ?? 'none'}`;
    };
    const found = callers.map(({ events }) => sourceOf(events, '/sessions/a.jsonl'));
    assert.deepEqual([...new Set(found)].sort(), [
      'claude-code claudeCode',
      'codex codex',
      'copilot copilotCli',
      'vscode none',
    ]);
    const asVsCode = callers.find(it => it.program.includes('VS Code'))!;
    assert.equal(sourceOf(asVsCode.events, '/home/.copilot/session-state/1/events.jsonl'), 'vscode copilotCli');
  });

  it('an assistant that a person does not let in: it is given nothing, and others go on', async () => {
    const name = 'codex-mcp-client';
    assert.equal((await run(['clients', 'deny', name])).code, 0);
    const [codex, claudeCode] = ['Codex', 'Claude Code'].map(it =>
      callers.find(({ program }) => program.startsWith(it))!,
    );
    for (const [{ events }, isLetIn] of [
      [codex!, false],
      [claudeCode!, true],
    ] as const) {
      const input = JSON.stringify({ ...events['session-start'], cwd: project });
      assert.equal((await run('hook', input)).out.includes('pier seven'), isLetIn);
    }
    assert.equal((await run(['clients', 'unset', name])).code, 0);
  });
});
