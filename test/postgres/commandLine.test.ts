import assert from 'node:assert/strict';
import path from 'node:path';
import type { Memory } from '../../src/engine/model/memory.js';
import type { NewTeamMember } from '../../src/engine/model/team.js';
import { runRecollect } from '../cli/shell.js';
import { temporaryFolder } from '../support/fixtures.js';
import { createRepository } from '../support/git.js';
import type { ProcessResult } from '../support/runProcess.js';
import { PostgresServer } from '../support/postgresServer.js';

const [ok, failed, usage, notFound] = [0, 1, 2, 3];

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
    const made = await admin.run('team', 'init', '--server', 'Platform');
    assert.deepEqual([made.code, made.out], [ok, 'made       Platform\n']);
    assert.match(made.err, /recollect team members add LOGIN --team "Platform" --name NAME/u);
    const add = async (login: string, name: string): Promise<Terminal> => {
      const { out } = await admin.run('team', 'members', 'add', login, '--team', 'Platform', '--name', name, '--json');
      return new Terminal(server.environment(login, (JSON.parse(out) as NewTeamMember).password!));
    };
    const [ada, ben] = [await add('ada', 'Ada'), await add('ben', 'Ben')];
    const members = (await admin.run('team', 'members', 'list', '--team', 'Platform')).out;
    assert.match(members, /^Ada {2}\(ada, since \d{4}-\d\d-\d\d\)\nBen {2}\(ben, since/u);

    const unasked = await ada.run('team', 'join', 'shop');
    assert.equal(unasked.code, usage);
    assert.match(unasked.err, /It shares nothing by itself\. There is no terminal to ask in: say --yes\.\n$/u);
    const connected = await ada.run('team', 'join', 'shop', '--yes');
    assert.match(
      connected.out,
      /\(not encrypted\)\nteam {7}Platform, where you are Ada\nproject {4}shop {2}\(no remote: .* by this name alone, new to/u,
    );
    assert.equal((await ben.run('team', 'join', 'shop', '--yes')).code, ok);

    await ada.run('remember', 'We deploy the shop with Kubernetes.', '--store', 'project');
    const shop = await ada.idOf('Kubernetes');
    const shared = await ada.run('team', 'share', shop, '--yes');
    assert.equal(shared.out, 'Platform/shop\n+ We deploy the shop with Kubernetes.\n');
    assert.match(shared.err, /1 memory shared: the server has it\.\n$/u);
    // Who joins has it at once.
    const joined = await (await add('cy', 'Cy')).run('team', 'join', 'shop', '--yes');
    assert.match(joined.out, /\nPlatform\/shop: 1 new, 0 known\nadded .*\(shared by Ada <ada>\)\n$/u);
    const synced = await ben.run('team', 'sync');
    assert.match(synced.out, /^sent {7}0\nPlatform\/shop: 1 new, 0 known\nadded .*\(shared by Ada <ada>\)\n$/u);

    await server.halt();
    const offline = await ada.run('team', 'withdraw', shop, '--yes');
    assert.match(offline.err, /1 memory withdrawn: 1 waiting to be sent\. .* cannot be reached now/u);
    assert.match((await ada.run('team')).out, /, 1 waiting\n/u);
    const late = await ada.run('team', 'sync');
    assert.deepEqual([late.code, late.out.split('\n')[0]], [failed, 'offline    1 waiting']);
    await server.resume();
    assert.match((await ada.run('team', 'sync')).out, /^sent {7}1\n/u);
    assert.match((await ben.run('team', 'sync')).out, /withdrawn .*Kubernetes/u);

    assert.match((await ben.run('team', 'leave', '--yes')).err, /no longer connected to Platform\/shop\.\n$/u);
    assert.equal((await ben.run('team', 'leave', '--yes')).code, usage);
    await admin.run('team', 'members', 'remove', 'ada', '--team', 'Platform', '--yes');
    const removed = await ada.run('team', 'sync');
    assert.equal(removed.code, failed);
    assert.match(removed.err, /you are no longer in the team/u);
  });

  it('exports what a removed member shares, for them to import', async () => {
    const admin = new Terminal(server.environment('admin', 'admin'));
    await admin.run('team', 'init', '--server', 'Harbor');
    const { out } = await admin.run('team', 'members', 'add', 'cleo', '--team', 'Harbor', '--json');
    const cleo = new Terminal(server.environment('cleo', (JSON.parse(out) as NewTeamMember).password!));
    await cleo.run('team', 'join', 'shop', '--yes');
    await cleo.run('remember', 'The tide turns at noon.', '--store', 'project');
    await cleo.run('team', 'share', await cleo.idOf('tide'), '--yes');
    await admin.run('team', 'members', 'remove', 'cleo', '--team', 'Harbor', '--yes');
    const file = path.join(temporaryFolder(), 'cleo.jsonl');
    const exported = await admin.run('team', 'members', 'export', 'cleo', '--team', 'Harbor', '--out', file);
    assert.match(exported.err, /^1 memory of cleo\.$/mu);
    const elsewhere = new Terminal({});
    assert.match((await elsewhere.run('import', file, '--own')).out, /1 new, 0 known, 0 left out/u);
    assert.match((await elsewhere.run('list')).out, /The tide turns at noon\./u);
    const stranger = await admin.run('team', 'members', 'export', 'dora', '--team', 'Harbor');
    assert.deepEqual([stranger.code, stranger.out], [notFound, '']);
    assert.match(stranger.err, /dora is no member of Harbor/u);
  });

  it('moves the memory of a project to the server and back, and deletes what was left when it is asked to', async () => {
    await server.asAdmin("CREATE ROLE eve LOGIN PASSWORD 'eve'; GRANT CREATE ON DATABASE team TO eve");
    const eve = new Terminal(server.environment('eve', 'eve'));
    await eve.run('remember', 'The ferry leaves at noon.', '--store', 'project');
    const unasked = await eve.run('store', 'move');
    assert.equal(unasked.code, usage);
    assert.match(
      unasked.err,
      /Copied 1 memory to 127\.0\.0\.1:\d+\/team \(recollect_\w+\), and compared them: no difference\./u,
    );
    const moved = await eve.run('store', 'move', '--yes');
    assert.match(moved.out, /^The memories of this project are on 127\.0\.0\.1/u);
    assert.match((await eve.run('recall', 'when does the ferry leave?')).out, /The ferry leaves at noon\./u);
    assert.match((await eve.run('store', 'move')).err, /are on the server already/u);
    assert.match((await eve.run('team', 'status')).out, /^memories {3}on 127\.0\.0\.1:\d+\/team \(recollect_\w+\)$/mu);
    const status = JSON.parse((await eve.run('--json', 'team', 'status')).out) as Record<string, unknown>;
    assert.deepEqual([typeof status.memoriesOn, 'waitingMemories' in status], ['string', false]);
    await eve.run('remember', 'The pier is closed.', '--store', 'project');
    await server.halt();
    const refused = await eve.run('maintain');
    await server.resume();
    assert.deepEqual([refused.code, refused.out], [failed, '']);
    assert.equal(refused.err.split('cannot be reached now').length, 2, refused.err);
    assert.match(refused.err, /^This command needs what is missing\.$/mu);
    assert.match(
      (await eve.run('store', 'move', '--back', '--yes')).out,
      /^2 memories copied from .*They are on this machine now/u,
    );
    assert.ok(!(await eve.run('team', 'status')).out.includes('memories'));
    assert.match((await eve.run('store', 'move', '--delete-source', '--yes')).err, /^Deleted\.$/mu);
    assert.match((await eve.run('list')).out, /The pier is closed\./u);
    assert.match((await eve.run('verify')).out, /^project store: all is well \(2 memories/mu);
  });

  it('says what to set where no server is named', async () => {
    const { code, err } = await new Terminal({}).run('team', 'join', 'shop');
    assert.equal(code, usage);
    assert.match(err, /Set PGHOST, PGUSER, PGPASSWORD and PGDATABASE/u);
  });
});
