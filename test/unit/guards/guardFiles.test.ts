import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { GuardedCall } from '../../../src/engine/model/guards.js';
import { findToolCallMatch } from '../../../src/engine/hooks/toolCallMatch.js';
import { loadToolCallContext, type GuardContext } from '../../../src/engine/hooks/toolCallContext.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

const command = (line: string): GuardedCall => ({ moment: 'command', files: [], text: '', command: line, error: '' });
const edit = (file: string, text = ''): GuardedCall => ({
  moment: 'edit',
  files: [file],
  text,
  command: '',
  error: '',
});

describe('what an assistant is given at a tool call', () => {
  let host: TestHost;
  const folder = (): string => host.workspaceFolders[0]!;
  const keysFile = (): string => path.join(host.dataDir, 'global', 'guards.json');

  /** By the files that a closed engine has written. */
  async function ask(call: GuardedCall, session = 'a1'): Promise<GuardContext> {
    const match = await findToolCallMatch(host.dataDir, folder(), call);
    const asker = {
      dataDir: host.dataDir,
      client: 'hook',
      session,
      onlyStore: undefined,
      now: host.now(),
      rules: host.config().decay,
    };
    return match === undefined ? { context: '', question: undefined } : loadToolCallContext(match, asker);
  }
  const remember = async (contents: Readonly<Record<string, object>>): Promise<string[]> => {
    const engine = await host.open();
    const ids: string[] = [];
    for (const [content, rest] of Object.entries(contents)) ids.push(await storeMemory(engine, content, rest));
    await engine.close();
    return ids;
  };
  const linesOf = ({ context }: GuardContext): string[] => context.match(/^- .*$/gmu)?.map(String) ?? [];

  beforeEach(() => {
    host = new TestHost({ project: true });
  });

  it('is a pitfall or correction that names the command, once a session, and nothing for other commands', async () => {
    const pitfall = 'Running `make flash` twice bricks the board.';
    const [id] = await remember({
      [pitfall]: { kind: 'pitfall', gate: 'epistemic' },
      'We build with `make all`.': { kind: 'context', gate: 'epistemic' },
    });
    assert.deepEqual(linesOf(await ask(command('cd fw && make flash'))), [`- [#${id!.slice(-8)}] ${pitfall}`]);
    assert.deepEqual(linesOf(await ask(command('make flash'))), []);
    assert.equal(linesOf(await ask(command('make flash'), 'b2')).length, 1);
    assert.deepEqual(linesOf(await ask(command('make all'))), []);
  });

  it('is what is anchored to the edited file, first what is about the declaration in the edit, two lines at most', async () => {
    const file = path.join(folder(), 'src', 'crane.ts');
    const uri = pathToFileURL(file).href;
    const rest = { store: 'project', gate: 'epistemic', kind: 'context', uri };
    await remember({
      'The crane stops at wind force eight.': rest,
      'Lowering waits for the brake.': { ...rest, symbol: 'Crane.lower' },
      'Lifting asks the tide table.': { ...rest, symbol: 'Crane.lift' },
      'Never edit src/crane.ts while the port is open.': { store: 'project', kind: 'pitfall', gate: 'correction' },
    });
    const given = linesOf(await ask(edit('src/crane.ts', 'async lift() {')));
    assert.deepEqual(
      given.map(it => it.replace(/^.*\] /u, '')),
      ['Lifting asks the tide table.', 'Never edit src/crane.ts while the port is open.'],
    );
    assert.equal(linesOf(await ask(edit(path.join(folder(), 'other', 'crane.ts')))).length, 0);
  });

  it('is the one memory that names the error, after a failure', async () => {
    await remember({
      'ECONNREFUSED on 5432 means that the tunnel is down.': { kind: 'gotcha', gate: 'epistemic' },
      'Run `npm test` with the tunnel up.': { kind: 'procedure', gate: 'behavioral' },
    });
    const failed = { ...command('npm test'), moment: 'failure', error: 'connect ECONNREFUSED 127.0.0.1:5432' } as const;
    assert.deepEqual(
      linesOf(await ask(failed)).map(it => it.replace(/^.*\] /u, '')),
      ['ECONNREFUSED on 5432 means that the tunnel is down.'],
    );
  });

  it('is by the error alone where a program does not say how a command ended, and nothing where it only printed', async () => {
    await remember({
      'Never run `npm test` in parallel.': { kind: 'pitfall', gate: 'epistemic' },
      'ECONNREFUSED on 5432 means that the tunnel is down.': { kind: 'gotcha', gate: 'epistemic' },
    });
    const output = { moment: 'failure', error: 'connect ECONNREFUSED 127.0.0.1:5432', mayHavePassed: true } as const;
    const given = async (line: string, error: string = output.error): Promise<readonly string[]> =>
      linesOf(await ask({ ...command(line), ...output, error }, line));
    assert.match((await given('npm test')).join(), /the tunnel is down/u);
    assert.deepEqual([await given('cat log.txt'), await given('npm test -- all', 'ok 5')], [[], []]);
  });

  it('never is what was forgotten or expired since, nor an import that no person confirmed', async () => {
    const [forgotten] = await remember({
      'Never run `make flash` on battery.': { kind: 'pitfall' },
      'Never run `make erase` on battery.': { kind: 'pitfall', lane: 'note', source: 'import' },
      'Never run `make burn` on battery.': { kind: 'pitfall', lane: 'note', source: 'conversation' },
    });
    const engine = await host.open();
    const keys = readFileSync(keysFile(), 'utf8');
    await engine.forget(forgotten!);
    host.advanceDays(400);
    assert.deepEqual(linesOf(await ask(command('make burn'))), []);
    assert.deepEqual(linesOf(await ask(command('make flash'))), []);
    assert.ok(!keys.includes('erase'));
    await engine.close();
    assert.ok(!readFileSync(keysFile(), 'utf8').includes(forgotten!));
  });

  it('asks the person before what a guard of theirs names, each time, and only where they confirmed it', async () => {
    const content = 'Ask me before `terraform apply`.';
    const [id] = await remember({ [content]: { gate: 'behavioral', kind: 'preference' } });
    const engine = await host.open();
    assert.equal((await ask(command('terraform apply'))).question, undefined);
    await engine.guards.set(id!);
    assert.deepEqual(await engine.guards.list(), [id]);
    const note = await storeMemory(engine, 'Ask me before `terraform destroy`.', { lane: 'note' });
    const vague = await storeMemory(engine, 'Ask me before you deploy.');
    for (const it of [note, vague])
      await assert.rejects(engine.guards.set(it), error => EngineError.is(error, 'invalidInput'));
    await engine.close();
    for (let i = 0; i < 2; i++)
      assert.equal(
        (await ask(command('terraform apply'))).question,
        `[#${id!.slice(-8)} · the user wants to be asked before] ${content}`,
      );
    const again = await host.open();
    await again.guards.unset(id!);
    await again.close();
    assert.equal((await ask(command('terraform apply'))).question, undefined);
  });

  it('names a script also where a command runs it, and not where one reads or removes it', async () => {
    const text = 'scripts/seed.sh drops all tables first.';
    const engine = await host.open();
    const id = await storeMemory(engine, text, { store: 'project', kind: 'pitfall', gate: 'correction' });
    await engine.guards.set(id);
    await engine.close();
    const runs = ['./scripts/seed.sh', 'sh scripts/seed.sh --all', `FORCE=1 sudo bash ${folder()}/scripts/seed.sh`];
    for (const line of [...runs, 'cd api && bash -c "scripts/seed.sh now"'])
      assert.match((await ask(command(line))).question ?? '', /drops all tables/u, line);
    for (const line of ['cat scripts/seed.sh', 'git add scripts/seed.sh', 'rm other/seed.sh', 'seed.sh'])
      assert.equal((await ask(command(line))).question, undefined, line);
  });

  it('asks for nothing more once the guard is unpinned', async () => {
    const [id] = await remember({ 'Ask me before `terraform apply`.': { gate: 'behavioral', kind: 'preference' } });
    const engine = await host.open();
    await engine.guards.set(id!);
    await engine.pin(id!);
    await engine.unpin(id!);
    assert.deepEqual(await engine.guards.list(), []);
    await engine.close();
    assert.equal((await ask(command('terraform apply'))).question, undefined);
  });

  it('comes from a file for its owner alone, without texts, and none of a folder that is not trusted', async () => {
    const text = 'Never run `make flash` while Solveig sleeps.';
    await remember({ [text]: { kind: 'pitfall' } });
    const keys = readFileSync(keysFile(), 'utf8');
    assert.ok(keys.includes('"make","flash"') && !keys.includes('Solveig'), keys);
    if (process.platform !== 'win32') assert.equal(statSync(keysFile()).mode & 0o777, 0o600);
    (host as { isTrusted?: () => boolean }).isTrusted = () => false;
    const engine = await host.open();
    await storeMemory(engine, 'Never run `make erase`.', { kind: 'pitfall', store: 'project' });
    const file = engine.stores.find(it => it.kind === 'project')!.file;
    await engine.close();
    assert.ok(!existsSync(path.join(path.dirname(file), 'guards.json')));
  });

  it('is gone with its keys at once after a purge and a reset', async () => {
    const [id] = await remember({ 'Never run `zanzibar flash` on battery.': { kind: 'pitfall' } });
    const engine = await host.open();
    await engine.guards.set(id!);
    assert.ok(readFileSync(keysFile(), 'utf8').includes('zanzibar'));
    await engine.deletion.purge([id!]);
    assert.ok(!existsSync(keysFile()) || !readFileSync(keysFile(), 'utf8').includes('zanzibar'));
    assert.deepEqual(await engine.guards.list(), []);
    await storeMemory(engine, 'Never run `zanzibar erase` on battery.', { kind: 'pitfall' });
    await engine.deletion.reset(engine.stores.find(it => it.kind === 'global')!.file);
    assert.ok(!existsSync(keysFile()) || !readFileSync(keysFile(), 'utf8').includes('zanzibar'));
  });
});
