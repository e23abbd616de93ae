import assert from 'node:assert/strict';
import { Shell } from './shell.js';

describe('recollect handover', () => {
  let shell: Shell;
  const briefing = async (id: string): Promise<string> => {
    const input = { hook_event_name: 'SessionStart', source: 'startup', cwd: shell.project, session_id: id };
    return (await shell.run('hook session-start', JSON.stringify(input))).out;
  };
  beforeEach(() => {
    shell = new Shell();
  });

  it('gives the next session of an assistant a note once, and shows it until then', async () => {
    const note = 'Done: the parser. Open: its error texts. Next: run the fuzzer.';
    assert.equal((await shell.run(['handover', '-'], `${note}\n`)).code, 0);
    assert.match((await shell.run('handover')).out, /Next: run the fuzzer/u);
    assert.match(await briefing('a'), /Next: run the fuzzer/u);
    assert.doesNotMatch(await briefing('b'), /fuzzer/u);
    const { code, err } = await shell.run('handover');
    assert.deepEqual([code, err.trim()], [3, 'Nothing is handed over here. Hand over: recollect handover TEXT']);
  });

  it('takes back what no session was given, and a text and --undo are not both', async () => {
    await shell.run(['handover', 'Done: the lexer. Next: its tests.']);
    assert.match((await shell.run('handover --undo')).out, /^Taken back\. Undo: recollect restore [\da-f]{8}$/mu);
    assert.equal((await shell.run('handover --undo')).code, 3);
    assert.doesNotMatch(await briefing('c'), /lexer/u);
    assert.equal((await shell.run('handover --undo again')).code, 2);
  });

  it('refuses a text that is longer than a session would be given', async () => {
    const { code, err } = await shell.run(['handover', 'word '.repeat(300)]);
    assert.equal(code, 2);
    assert.match(err, /at most 1000 characters, and this one has 1499/u);
    const secret = await shell.run(['handover', `Done: the login with ghp_${'a1B2'.repeat(9)}`]);
    assert.equal(secret.code, 1);
    assert.match(secret.out, /^Refused: It contains a secret[^\n]*\n$/u);
  });
});
