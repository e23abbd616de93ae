import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sessionId, userLine } from '../unit/capture/captureHost.js';
import { Shell } from './shell.js';

describe('a run over many items of which one cannot be taken', function () {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  /** In the project of the shell. */
  const makePipe = (shell: Shell, name: string): void => {
    mkdirSync(path.dirname(path.join(shell.project, name)), { recursive: true });
    execFileSync('mkfifo', [path.join(shell.project, name)]);
  };
  const contentsOf = async (shell: Shell): Promise<string[]> =>
    ((await shell.json('list')).data as { readonly content: string }[]).map(it => it.content).sort();

  it('imports the rest of a folder, names the item, and ends with 1, and with 0 once it is gone', async () => {
    const shell = new Shell();
    makePipe(shell, '.claude/rules/pipe.md');
    writeFileSync(path.join(shell.project, '.claude/rules/ferries.md'), '- Ferries leave at nine.\n');
    const { code, out, err } = await shell.run('import .');
    assert.equal(code, 1);
    assert.match(out, /ferries\.md: 1 new/u);
    assert.match(out, /pipe\.md is a pipe, a socket or a device\. Name a regular file\./u);
    assert.match(err, /^1 item was left out; the rest is done\.$/mu);
    rmSync(path.join(shell.project, '.claude/rules/pipe.md'));
    assert.equal((await shell.run('import .')).code, 0);
  });

  it('imports what is left of a graph in which the name of a type is no tag', async () => {
    const shell = new Shell();
    const entity = (name: string, entityType: string): string =>
      JSON.stringify({ type: 'entity', name, entityType, observations: [`${name} leaves at nine.`] });
    const lines = [entity('Ferry one', 'ship'), entity('Ferry two', 'a\u0000b'), entity('Ferry three', 'ship')];
    writeFileSync(path.join(shell.project, 'memory.jsonl'), lines.join('\n'));
    const { code, out } = await shell.run('import memory.jsonl');
    assert.equal(code, 1);
    assert.match(out, /2 new, 0 known, 1 left out\n {2}line 2: Tag 1 of 1 must be plain text/u);
  });

  it('syncs the other files, and does not take a pipe for a file that was deleted', async () => {
    const shell = new Shell();
    await shell.run(['remember', '--store', 'project', 'The API listens on port 8443.']);
    await shell.run('sync');
    const folder = path.join('.recollect', 'memory', 'decisions');
    const [name] = readdirSync(path.join(shell.project, folder));
    rmSync(path.join(shell.project, folder, name!));
    makePipe(shell, path.join(folder, name!));
    writeFileSync(path.join(shell.project, '.recollect/memory/mailer.md'), 'The mailer listens on port 2525.\n');
    const { code, out, err } = await shell.run('sync');
    assert.equal(code, 1);
    assert.match(out, /^left .*port-8443\.md: .* is a pipe/mu);
    assert.match(err, /^1 file was left out; the rest is done\.$/mu);
    assert.deepEqual(await contentsOf(shell), ['The API listens on port 8443.', 'The mailer listens on port 2525.']);
  });

  it('does not count a file that says what a memory says already', async () => {
    const shell = new Shell();
    await shell.run(['remember', '--store', 'project', 'The API listens on port 8443.']);
    await shell.run('sync');
    writeFileSync(path.join(shell.project, '.recollect/memory/again.md'), 'The API listens on port 8443.\n');
    const { code, out } = await shell.run('sync');
    assert.match(out, /^left .*again\.md: The memory #[0-9a-f]{8} says the same already\.$/mu);
    assert.equal(code, 0);
  });

  it('ends alike in each command: 3 for a file that is not there, 1 for a secret, 0 for an empty list', async () => {
    const shell = new Shell();
    const key = 'AKIAQ7T3M5KZ2WXR9PLN';
    writeFileSync(path.join(shell.project, 'key.ts'), `/** Uses ${key} for the pier. */\nexport const pier = 1;\n`);
    const lines: readonly (readonly [code: number, line: string])[] = [
      ...['import no.txt', 'capture --allow --session no.jsonl', 'verify --anchor no', 'ab --file no'].map(
        it => [3, it] as const,
      ),
      ...[`remember The key is ${key}.`, `goals add Use ${key} again`, 'index'].map(it => [1, it] as const),
      ...['import --list', 'key', 'conflicts', 'candidates', 'audit --client no'].map(it => [0, it] as const),
    ];
    for (const [code, line] of lines) assert.deepEqual([(await shell.run(line)).code, line], [code, line]);
  });

  it('refuses options that would do nothing, and says with which they go', async () => {
    const shell = new Shell();
    const refused: readonly (readonly [line: string, sentence: RegExp])[] = [
      ['remember --label key The pier is green.', /^--label: only with --sensitive\.$/mu],
      ['index --status --dry-run', /^--dry-run: not with --status/mu],
      ['move --suggest --to project', /^--to: not with --suggest/mu],
      ['consolidate --text both', /^--text: only with --accept ID/mu],
      ['candidates --as both', /^--as: only with --keep and one candidate/mu],
      ['import --git-log notes.md', /^PATH: not with --git-log/mu],
      ['sensitive withdraw 12345678 --all', /^ID: not with --all/mu],
      ['ab --results What is green?', /^PROMPT: not with --results/mu],
      ['connect --undo', /^--undo: only with the name of an assistant/mu],
      ['index --dry-run src ', /^An empty word was given for \[path\.\.\.\]/mu],
      ['list --offset -1', /It must be at least 0\./u],
    ];
    for (const [line, sentence] of refused) {
      const { code, err } = await shell.run(line.split(' '));
      assert.deepEqual([line, code], [line, 2]);
      assert.match(err, sentence);
    }
  });

  it('says that a path to index is not there', async () => {
    const shell = new Shell();
    const { code, out } = await shell.run('index nowhere.ts');
    assert.match(out, /^ {2}nowhere\.ts \(It is not there\.\)$/mu);
    assert.equal(code, 1);
  });

  it('indexes the other files', async () => {
    const shell = new Shell();
    makePipe(shell, 'pipe.ts');
    makePipe(shell, '.gitignore');
    writeFileSync(path.join(shell.project, 'port.ts'), 'export function parsePort(): number {\n  return 8443;\n}\n');
    const { code, out, err } = await shell.run('index');
    assert.equal(code, 1);
    assert.match(out, /^1 file indexed/mu);
    assert.match(out, /^ {2}pipe\.ts \(The file .*pipe\.ts is a pipe/mu);
    assert.match(err, /^1 item was left out; the rest is done\.$/mu);
  });

  it('captures the other sessions, and counts what is refused in one', async () => {
    const shell = new Shell();
    const project = realpathSync(shell.project);
    makePipe(shell, 'pipe.jsonl');
    const session = path.join(shell.home, `${sessionId}.jsonl`);
    const turns = ['From now on never paint the pier green.', 'From now on use AKIAQ7T3M5KZ2WXR9PLN as the key.'];
    writeFileSync(session, turns.map(it => `${userLine(it, { cwd: project })}\n`).join(''));
    const { code, out, err } = await shell.run(['capture', '--allow', '--session', 'pipe.jsonl', session, 'no.jsonl']);
    assert.equal(code, 1);
    assert.match(out, /\+ #[0-9a-f]{8} {2}From now on never paint the pier green\./u);
    assert.match(out, /^Left out: .*pipe\.jsonl is a pipe/mu);
    assert.match(out, /^Left out: There is no file .*no\.jsonl/mu);
    assert.match(err, /^\d items were left out; the rest is done\.$/mu);
    assert.doesNotMatch(out + err, /AKIA/u);
    assert.equal((await shell.run(['capture', '--session', session])).code, 0);
  });

  it('says what is in the place of the settings, of the keys and of a store', async () => {
    const shell = new Shell();
    await shell.run('list');
    const memory = path.join(shell.home, 'memory');
    execFileSync('mkfifo', [path.join(memory, 'settings.json')]);
    const listed = await shell.run('list');
    assert.equal(listed.code, 0);
    assert.match(listed.err, /settings\.json is a pipe.*The default settings are used\./u);
    rmSync(path.join(memory, 'global', 'memory.db'));
    execFileSync('mkfifo', [path.join(memory, 'global', 'memory.db')]);
    const refused = await shell.run('list');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /The memory store .*memory\.db is a pipe/u);
  });
});
