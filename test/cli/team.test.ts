import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Memory } from '../../src/engine/model/memory.js';
import type { TeamStatus } from '../../src/engine/model/team.js';
import { connectClient } from '../mcp/mcpClient.js';
import { temporaryFolder } from '../support/fixtures.js';
import { cloneRepository, createRepository, git } from '../support/git.js';
import type { ProcessResult } from '../support/runProcess.js';
import { runRecollect } from './shell.js';

const [ok, failed, usage] = [0, 1, 2];

/** A person at a terminal, with a clone of the repository and a data folder. */
class Person {
  constructor(
    readonly name: string,
    readonly clone: string,
    readonly home = temporaryFolder(),
  ) {
    this.git('config', 'user.name', name);
    this.git('config', 'user.email', `${name.toLowerCase()}@example.com`);
  }

  run(...args: readonly string[]): Promise<ProcessResult> {
    const env = { RECOLLECT_HOME: `${this.home}/memory` };
    return runRecollect(args, { home: this.home, cwd: this.clone, env });
  }

  async json<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse((await this.run(...args, '--json')).out) as T;
  }

  git(...args: readonly string[]): string {
    const address = `${this.name.toLowerCase()}@example.com`;
    return git(this.clone, '-c', `user.name=${this.name}`, '-c', `user.email=${address}`, ...args);
  }

  push(): void {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', 'Memories');
    this.git('pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
    this.git('push', '-q', 'origin', 'HEAD:main');
  }

  pull(): void {
    this.git('pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
  }

  /** The short id of the memory with these words. */
  async idOf(words: string): Promise<string> {
    const found = (await this.json<readonly Memory[]>('list')).find(it => it.content.includes(words));
    assert.ok(found !== undefined, words);
    return found.id.slice(-8);
  }
}

describe('recollect team', function () {
  it('shares what an assistant proposed once its person says yes, and refuses at once what cannot be shared', async () => {
    const ada = new Person('Ada', createRepository());
    await ada.run('remember', 'We deploy the shop with Kubernetes.', '--store', 'project');
    await ada.run('remember', 'The crane may lift two tonnes.', '--store', 'project', '--lane', 'note');
    const [shop, crane] = [await ada.idOf('Kubernetes'), await ada.idOf('crane')];
    const assistant = await connectClient({ dataDir: path.join(ada.home, 'memory'), cwd: ada.clone, tools: 'default' });
    const propose = (id: string) => assistant.call('revise', { id, appliesTo: 'team' });
    const alone = await propose(shop);
    assert.match(alone.text, /The project has no folder \.recollect\/team, and no team’s server\./u);
    await ada.run('team', 'init', '--yes');
    const refused = await propose(crane);
    assert.deepEqual(
      [refused.failed, refused.text.startsWith('It is a note that you have not confirmed.')],
      [true, true],
    );
    const mixed = await assistant.call('revise', { id: shop, appliesTo: 'team', stillTrue: true });
    assert.match(mixed.text, /^Give appliesTo: "team" alone, with the id\./u);

    const proposed = await propose(shop);
    assert.match(
      proposed.text,
      new RegExp(`^#${shop}: Proposed, not shared: .* "recollect team share ${shop}" or under "Needs you"\\.$`, 'u'),
    );
    const listed = await ada.run('requests');
    assert.match(listed.out, new RegExp(`^share {2}.*${shop}.* We deploy the shop`, 'u'));
    assert.match(
      listed.err,
      /Share it: recollect team share ID\nLeave it as it is: recollect requests --dismiss ID\n$/u,
    );
    const unseen = await ada.run('requests', '--accept', shop);
    assert.equal(unseen.code, usage);
    assert.match(
      unseen.err,
      new RegExp(`To see what would be written, and share it: recollect team share ${shop}\n`, 'u'),
    );
    const looked = await ada.run('team', 'share', shop, '--as', 'Ada', '--dry-run');
    assert.match(looked.out, /\.jsonl\n\+ \{.*We deploy the shop/u);
    assert.equal((await ada.json<readonly unknown[]>('requests')).length, 1);
    await ada.run('requests', '--dismiss', shop);
    assert.deepEqual(await ada.json('requests'), []);
    await propose(shop);
    assert.equal((await ada.run('team', 'share', shop, '--as', 'Ada', '--yes')).code, ok);
    assert.deepEqual(await ada.json('requests'), []);
    assert.match((await propose(shop)).text, /^It is shared already, in \.recollect\/team/u);
    await assistant.client.close();
  });

  it('carries memories between two people by git alone', async () => {
    const origin = path.join(temporaryFolder(), 'team.git');
    git(temporaryFolder(), 'init', '-q', '--bare', '-b', 'main', origin);
    const first = createRepository();
    git(first, 'push', '-q', origin, 'HEAD:main');
    const [ada, ben] = [new Person('Ada', cloneRepository(origin)), new Person('Ben', cloneRepository(origin))];
    const folder = path.join(ada.clone, '.recollect', 'team');

    await ada.run('remember', 'We deploy the shop with Kubernetes.', '--store', 'project');
    await ada.run('remember', 'The ferry leaves Bergen at noon.', '--store', 'project');
    const [shop, ferry] = [await ada.idOf('Kubernetes'), await ada.idOf('ferry')];

    const none = await ada.run('team', 'share', shop, '--as', 'Ada');
    assert.deepEqual([none.code, none.out], [usage, '']);
    assert.match(none.err, /recollect team init; or join a server’s team: recollect team join\n$/u);
    const unasked = await ada.run('team', 'init');
    assert.equal(unasked.code, usage);
    assert.match(unasked.err, /There is no terminal to ask in: say --yes\.\n$/u);
    assert.deepEqual(readdirSync(ada.clone), ['.git']);
    assert.equal((await ada.run('team', 'init', '--yes')).code, ok);
    assert.equal((await ada.run('team', 'init')).code, ok);

    const unnamed = await ada.run('team', 'share', shop);
    assert.deepEqual([unnamed.code, unnamed.out], [usage, '']);
    assert.match(unnamed.err, /--as NAME\. Git knows you as Ada\./u);
    const dry = await ada.run('team', 'share', shop, ferry, '--as', 'Ada', '--dry-run');
    assert.deepEqual([dry.code, readdirSync(folder).length], [ok, 2]);
    assert.match(dry.out, /^\.recollect\/team\/ada-[0-9a-f]{6}-\d{4}-\d\d\.jsonl\n\+ \{"v":1,/u);
    const unconfirmed = await ada.run('team', 'share', shop, '--as', 'Ada');
    assert.deepEqual([unconfirmed.code, readdirSync(folder).length], [usage, 2]);
    assert.match(unconfirmed.err, /git keeps it for ever, also after it is withdrawn, for everyone who can read/u);
    const shared = await ada.run('team', 'share', shop, ferry, '--as', 'Ada', '--yes');
    assert.equal(shared.code, ok);
    assert.match(
      shared.err,
      /git keeps it for ever[^]*2 memories shared\. To send it: git add \.recollect\/team && git commit -m "Shared memories" -- \.recollect\/team && git push\n/u,
    );
    assert.equal(ada.git('log', '--format=%s').trim().split('\n').length, 1);
    const again = await ada.run('team', 'share', shop, '--yes');
    assert.deepEqual([again.code, again.out], [failed, '']);
    assert.match(again.err, new RegExp(`Left out #${shop}\\. It is shared already`, 'u'));
    assert.match((await ada.run('team')).out, /2 memories by you as Ada, 0 memories by others\n.*not committed yet/u);
    ada.push();

    await ben.run('remember', 'We deploy the shop with Nomad.', '--store', 'project');
    ben.pull();
    const before = await ben.run('team');
    assert.match(before.out, /^\.recollect\/team: you have not joined, so nothing in it is read\.\n$/u);
    assert.match(before.err, /To read what others share: recollect team join/u);
    assert.match((await ben.run('team', 'join')).err, /say --yes/u);
    const read = await ben.run('team', 'join', '--yes');
    assert.equal(read.code, ok);
    assert.match(read.out, /^\.recollect\/team {2}1 file, by 1 author: Ada\n/u);
    assert.match(read.out, /\n\.recollect\/team: 2 new, 0 known\n/u);
    assert.doesNotMatch(read.out, /contradicts/u);
    const assistant = await connectClient({ dataDir: path.join(ben.home, 'memory'), cwd: ben.clone });
    await assistant.call('revise', { id: await ben.idOf('Nomad'), replacedBy: await ben.idOf('Kubernetes') });
    await assistant.client.close();
    assert.match(
      (await ben.run('team')).out,
      /We deploy the shop with Kubernetes\. .*\n {4}contradicts #[0-9a-f]{8} {2}We deploy the shop with Nomad\. {2}\(yours\)/u,
    );
    assert.match((await ben.run('conflicts')).out, /note · .*shared by Ada <ada@example\.com>\)/u);
    const note = await ben.idOf('ferry');
    assert.match((await ben.run('show', note)).out, /\nlane: {8}note\n[^]*\nshared: {6}by Ada <ada@example\.com>\n/u);
    assert.match(
      (await ben.run('recall', 'ferry', '--context')).out,
      /· note · shared by a colleague\] The ferry leaves/u,
    );
    const early = await ben.run('team', 'share', note, '--as', 'Ben', '--yes');
    assert.match(early.err, new RegExp(`If it is right: recollect confirm ${note}`, 'u'));
    await ben.run('confirm', note);

    assert.equal((await ada.run('team', 'withdraw', shop, ferry, '--yes')).code, ok);
    ada.push();
    ben.pull();
    const withdrawn = await ben.run('team', 'sync');
    assert.match(withdrawn.out, /\nwithdrawn {2}#[0-9a-f]{8} {2}We deploy the shop with Kubernetes\. {2}\(by Ada </u);
    assert.match(withdrawn.out, new RegExp(`\\nkept {7}#${note} {2}The ferry leaves`, 'u'));
    assert.deepEqual((await ben.json<readonly Memory[]>('list')).map(it => [it.content, it.lane]).sort(), [
      ['The ferry leaves Bergen at noon.', 'confirmed'],
      ['We deploy the shop with Nomad.', 'confirmed'],
    ]);
    const asked = await ben.run('requests');
    assert.match(
      asked.out,
      new RegExp(
        `^withdrawn {2}#?${note}.*The ferry leaves.* {2}\\(Ada <ada@example\\.com>, \\d{4}-\\d\\d-\\d\\d\\)\n$`,
        'u',
      ),
    );
    assert.match(
      (await ben.run('conflicts')).err,
      /Your team withdrew or replaced 1 memory that you confirmed\. .* requests/u,
    );
    const status = await ben.json<TeamStatus>('team', 'status');
    assert.deepEqual([status.own, status.received, status.withdrawalsToRead], [[], [], 0]);
    const [file] = readdirSync(folder).filter(it => it.endsWith('.jsonl'));
    assert.equal(readFileSync(path.join(folder, file!), 'utf8').trimEnd().split('\n').length, 4);
  });

  it('says that a decision does not reach the team where git knows no name, and sends it once it does', async () => {
    const repository = createRepository();
    const ada = new Person('Ada', repository);
    await ada.run('remember', 'The ferry leaves Bergen at noon.', '--store', 'project');
    await ada.run('remember', 'The harbor has two cranes.', '--store', 'project');
    const shared = [await ada.idOf('ferry'), await ada.idOf('cranes')];
    await ada.run('team', 'init', '--yes');
    await ada.run('team', 'share', ...shared, '--as', 'Ada', '--commit', '--yes');
    const ben = new Person('Ben', cloneRepository(repository));
    ben.git('config', 'user.name', '');
    assert.equal((await ben.run('team', 'join', '--yes')).code, ok);
    const says = /^Your team does not learn what you decided .*: git config user\.name NAME && recollect team sync$/mu;
    const quiet = await ben.run('team');
    assert.doesNotMatch(quiet.err, says);
    const promoted = await ben.run('promote', await ben.idOf('ferry'));
    assert.deepEqual([promoted.code, says.test(promoted.err)], [ok, true]);
    for (const args of [['team'], ['team', 'sync']]) assert.match((await ben.run(...args)).err, says);
    ben.git('config', 'user.name', 'Ben');
    assert.doesNotMatch((await ben.run('promote', await ben.idOf('cranes'))).err, says);
    assert.match((await ben.run('team', 'sync')).err, /^2 decisions of yours added to \.recollect\/team\/ben-/mu);
    assert.doesNotMatch((await ben.run('team')).err, says);
  });

  it('says what deleting leaves with the team, and works in any part of the working copy', async () => {
    const repository = createRepository();
    const ada = new Person('Ada', repository);
    await ada.run('remember', 'The ferry leaves Bergen at noon.', '--store', 'project');
    await ada.run('remember', 'The harbor has two cranes.', '--store', 'project');
    const [ferry, cranes] = [await ada.idOf('ferry'), await ada.idOf('cranes')];
    assert.equal((await ada.run('team', 'init', '--yes')).code, ok);
    const part = path.join(repository, 'packages', 'shop');
    mkdirSync(part, { recursive: true });
    writeFileSync(path.join(repository, 'draft.txt'), 'not to be committed');
    ada.git('add', 'draft.txt');
    const shared = await new Person('Ada', part, ada.home).run(
      'team',
      'share',
      ferry,
      cranes,
      '--as',
      'Ada',
      '--commit',
      '--yes',
    );
    assert.match(shared.err, /2 memories shared, and committed\. To send it: git push/u);
    assert.equal(ada.git('log', '--format=%s', '-1').trim(), '2 memories shared');
    assert.match(ada.git('status', '--short'), /^A {2}draft\.txt$/mu);
    const purged = await ada.run('delete', ferry, '--yes');
    assert.match(
      purged.out,
      new RegExp(
        `Shared with your team: 1 memory\\. .* in git for ever\\. Withdraw them: recollect team withdraw ${ferry}\n`,
        'u',
      ),
    );
    const unasked = await ada.run('reset', '--store', 'project');
    assert.equal(unasked.code, usage);
    assert.match(
      unasked.err,
      /Of 2 memories that you shared, the lines stay in git: you can withdraw them only before/u,
    );
    assert.equal((await ada.run('team', 'withdraw', ferry, '--yes')).code, ok);
    assert.equal((await ada.run('reset', '--store', 'project', '--yes')).code, ok);
    const read = await ada.run('team', 'join', '--yes');
    const former = await ada.run('team', 'git', 'read');
    assert.match(former.err, /This command has another name now: recollect team sync\n/u);
    assert.match(read.out, /\nadded {6}#[0-9a-f]{8} {2}The harbor has two cranes\. {2}\(shared by Ada <[^>]*>\)/u);
    await ada.run('team');
    const log = readFileSync(path.join(ada.home, 'memory', 'access', 'reads.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const calls = log.map(it => (JSON.parse(it) as { readonly via: string }).via);
    for (const it of ['team share', 'team sync', 'team']) assert.ok(calls.includes(it), calls.join());
  });
});
