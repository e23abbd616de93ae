import assert from 'node:assert/strict';
import type { Memory } from '../../src/engine/model/memory.js';
import type { NewTeamMember } from '../../src/engine/model/team.js';
import { runRecollect } from '../cli/shell.js';
import { temporaryFolder } from '../support/fixtures.js';
import { createRepository } from '../support/git.js';
import type { ProcessResult } from '../support/runProcess.js';
import { PostgresServer } from '../support/postgresServer.js';

const [ok, failed, usage] = [0, 1, 2];

/** A person at a terminal, with a project and a data folder. */
class Terminal {
  private readonly home = temporaryFolder();
  private readonly project = createRepository();

  constructor(private readonly environment: Record<string, string>) {}

  run(...args: readonly string[]): Promise<ProcessResult> {
    const env = { ...this.environment, RECOLLECT_HOME: `${this.home}/memory` };
    return runRecollect(args, { home: this.home, cwd: this.project, env });
  }

  async idOf(words: string): Promise<string> {
    const listed = JSON.parse((await this.run('list', '--json')).out) as readonly Memory[];
    return listed.find(it => it.content.includes(words))!.id.slice(-8);
  }
}

describe('recollect team with a server', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  it('takes two people from an empty database to a shared memory, and through an outage', async () => {
    const admin = new Terminal(server.environment('admin', 'admin'));
    const made = await admin.run('team', 'init', 'Platform');
    assert.deepEqual([made.code, made.out], [ok, 'made       Platform\n']);
    assert.match(made.err, /recollect team member add LOGIN --team "Platform" --name NAME/u);
    const add = async (login: string, name: string): Promise<Terminal> => {
      const { out } = await admin.run('team', 'member', 'add', login, '--team', 'Platform', '--name', name, '--json');
      return new Terminal(server.environment(login, (JSON.parse(out) as NewTeamMember).password!));
    };
    const [ada, ben] = [await add('ada', 'Ada'), await add('ben', 'Ben')];
    const members = (await admin.run('team', 'member', 'list', '--team', 'Platform')).out;
    assert.match(members, /^Ada {2}\(ada, since \d{4}-\d\d-\d\d\)\nBen {2}\(ben, since/u);

    const unasked = await ada.run('team', 'connect', 'shop');
    assert.equal(unasked.code, usage);
    assert.match(unasked.err, /It shares nothing by itself\. There is no terminal to ask in: say --yes\.\n$/u);
    const connected = await ada.run('team', 'connect', 'shop', '--yes');
    assert.match(
      connected.out,
      /\(not encrypted\)\nteam {7}Platform, where you are Ada\nproject {4}shop \(the team has none/u,
    );
    assert.equal((await ben.run('team', 'connect', 'shop', '--yes')).code, ok);

    await ada.run('remember', 'We deploy the shop with Kubernetes.', '--store', 'project');
    const shop = await ada.idOf('Kubernetes');
    const shared = await ada.run('share', shop, '--yes');
    assert.equal(shared.out, 'Platform/shop\n+ We deploy the shop with Kubernetes.\n');
    assert.match(shared.err, /1 memory shared: the server has it\.\n$/u);
    const synced = await ben.run('team', 'sync');
    assert.match(synced.out, /^sent {7}0\nPlatform\/shop: 1 new, 0 known\nadded .*\(shared by Ada <ada>\)\n$/u);

    await server.halt();
    const offline = await ada.run('share', shop, '--withdraw', '--yes');
    assert.match(offline.err, /1 memory withdrawn: 1 waiting to be sent\. .* cannot be reached now/u);
    assert.match((await ada.run('team')).out, /, 1 waiting\n/u);
    const late = await ada.run('team', 'sync');
    assert.deepEqual([late.code, late.out.split('\n')[0]], [failed, 'offline    1 waiting']);
    await server.resume();
    assert.match((await ada.run('team', 'sync')).out, /^sent {7}1\n/u);
    assert.match((await ben.run('team', 'sync')).out, /withdrawn .*Kubernetes/u);

    assert.match((await ben.run('team', 'leave', '--yes')).err, /no longer connected to Platform\/shop\.\n$/u);
    assert.equal((await ben.run('team', 'leave', '--yes')).code, usage);
    await admin.run('team', 'member', 'remove', 'ada', '--team', 'Platform', '--yes');
    const removed = await ada.run('team', 'sync');
    assert.equal(removed.code, failed);
    assert.match(removed.err, /you are no longer in the team/u);
  });

  it('says what to set where no server is named', async () => {
    const { code, err } = await new Terminal({}).run('team', 'connect');
    assert.equal(code, usage);
    assert.match(err, /Set PGHOST, PGUSER, PGPASSWORD and PGDATABASE/u);
  });
});
