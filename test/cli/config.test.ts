import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from '../../src/engine/engine.js';
import { TestHost } from '../support/fixtures.js';
import { Shell } from './shell.js';

const [ok, usage] = [0, 2];

describe('recollect config --history', function () {
  let shell: Shell;
  beforeEach(() => {
    shell = new Shell();
  });

  const history = async (args = ''): Promise<readonly string[]> =>
    (await shell.run(`config --history ${args}`.trim())).out
      .split('\n')
      .filter(it => it !== '')
      .map(it => it.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}/u, ''));

  it('lists each change with its old and its new value, and nothing that changed nothing', async () => {
    assert.match((await shell.run('config --history')).err, /No change of a setting is in the audit log\./u);
    await shell.run('config decayProfile kinds');
    await shell.run('config decayProfile kinds');
    await shell.run('config decayProfile');
    await shell.run('config notes.lifetimeDays 14');
    await shell.run('config --unset decayProfile');
    assert.equal((await shell.run('config decayProfile nonsense')).code, usage);
    await shell.run('clients deny zed');
    assert.deepEqual(await history(), [
      'cli  decayProfile  default -> "kinds"',
      'cli  notes.lifetimeDays  default -> 14',
      'cli  decayProfile  "kinds" -> default',
      'cli  clients.zed  default -> {"access":"none"}',
    ]);
    assert.deepEqual(await history('notes.lifetimeDays'), ['cli  notes.lifetimeDays  default -> 14']);
    assert.match((await shell.run('audit --only changes')).out, /cli {2}configure notes\.lifetimeDays \(global\)/u);
    const { data } = await shell.json('config --history decayProfile');
    assert.deepEqual(
      (data as { detail: object }[]).map(it => it.detail),
      [
        { setting: 'decayProfile', to: '"kinds"' },
        { setting: 'decayProfile', from: '"kinds"' },
      ],
    );
    assert.equal((await shell.run('verify')).code, ok);
  });

  it('never has a secret', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    await shell.run(['config', 'embeddingEndpoint.model', token]);
    const { out } = await shell.run('config --history');
    assert.match(out, /embeddingEndpoint\.model {2}default -> /u);
    assert.ok(!out.includes(token), out);
  });

  it("lists what was changed in VS Code's own settings and by hand in the file, too", async () => {
    const host = new TestHost();
    host.dataDir = path.join(shell.home, 'memory');
    const engine = await openEngine(host);
    await engine.activity.noteSettings('editor', { 'maintenance.quotas': { permanent: 512 } });
    await engine.close();
    await shell.run('config notes.lifetimeDays 14');
    const file = path.join(host.dataDir, 'settings.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('14', '15'));
    assert.deepEqual(await history(), [
      `VS Code's settings  maintenance.quotas  default -> {"permanent":512}`,
      'cli  notes.lifetimeDays  default -> 14',
      'settings file  notes.lifetimeDays  14 -> 15',
    ]);
  });

  it('refuses a value beside it', async () => {
    const { code, err } = await shell.run('config decayProfile kinds --history');
    assert.deepEqual([code, err.trim()], [usage, 'Give --history alone or with the name of a setting.']);
  });

  it('says where a change could not be noted, and keeps the change', async () => {
    await shell.run('remember --store global I prefer tabs.');
    const report = (await shell.json('verify')).data as { stores: { store: string; file: string }[] };
    const { file } = report.stores.find(it => it.store === 'global')!;
    // A store of a later version is not opened.
    const bytes = readFileSync(file);
    bytes.writeUInt32BE(9_999, 60);
    writeFileSync(file, bytes);
    const { code, err } = await shell.run('config decayProfile kinds');
    assert.equal(code, ok);
    assert.match(err, /The setting was changed, and the audit log does not have it: /u);
    const settings = readFileSync(path.join(path.dirname(path.dirname(file)), 'settings.json'), 'utf8');
    assert.match(settings, /"decayProfile": "kinds"/u);
  });
});
