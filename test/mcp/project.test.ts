import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { writeClientSetting } from '../../src/engine/access/settingsFile.js';
import { createRepository } from '../support/git.js';
import { closeAfterTest, temporaryFolder } from '../support/fixtures.js';
import { runRecollect } from '../cli/shell.js';
import { connectClient, eras, type ConnectOptions, type McpConnection } from './mcpClient.js';

const remote = 'git@github.com:acme/harbor.git';

describe('the MCP server in a folder that looks like another project', () => {
  it('says so in its answers, and follows a person who links the folder', async () => {
    const [home, dataDir] = [temporaryFolder(), temporaryFolder()];
    const [known, other] = [createRepository(undefined, remote), createRepository(undefined, remote)];
    const run = (cwd: string, ...args: readonly string[]): Promise<unknown> =>
      runRecollect(args, { home, cwd, env: { RECOLLECT_HOME: dataDir } });
    await run(known, 'remember', '--store', 'project', 'The harbor listens on port 7001.');
    const server = await connectClient({ dataDir, cwd: other });
    const before = await server.call('recall', { query: 'harbor port' });
    assert.deepEqual(before.data.memories, []);
    assert.match(
      before.text,
      /^Nothing is remembered about this\.\nThis folder has no memories of its own and looks like/u,
    );
    assert.match(String(before.data.about), /recollect project link/u);
    await run(other, 'project', 'link');
    const after = await server.call('recall', { query: 'harbor port' });
    assert.match(after.text, /port 7001/u);
    assert.ok(!after.text.includes('looks like'));
  });
});

for (const era of eras) {
  describe(`an MCP server that was started in no project, ${era} protocol`, () => {
    const ofProject = 'The build of this project needs Node 22.';
    const ofPerson = 'I prefer tabs over spaces.';
    // The root of the disk, as Claude Desktop starts its servers.
    const connect = (options: Partial<ConnectOptions> = {}): Promise<McpConnection> =>
      connectClient({ era, cwd: '/', ...options });
    const outcomesOf = async (server: McpConnection, input: Record<string, unknown>): Promise<readonly string[]> => {
      const { data, text } = await server.call('remember', input);
      const outcomes = data.outcomes as readonly { readonly outcome: string; readonly store?: string }[] | undefined;
      assert.ok(outcomes !== undefined, text);
      return outcomes.map(it => it.store ?? it.outcome);
    };

    it('keeps what is of the user, and refuses what is of a project instead of keeping it for all of them', async () => {
      for (const roots of [undefined, [], ['/']]) {
        const server = await connect(roots === undefined ? {} : { roots });
        assert.deepEqual(await outcomesOf(server, { content: ofProject }), ['refused']);
        const facts = [
          { content: ofProject, appliesTo: 'project' },
          { content: ofPerson, appliesTo: 'user' },
        ];
        const { text } = await server.call('remember', { facts });
        assert.match(text, /^Refused: No project is known here.* full path of its folder in "project"/u);
        assert.match(text, /^Stored #[0-9a-f]{8} for all projects\.$/mu);
        const list = await server.call('list', {});
        assert.ok(list.text.includes('tabs') && !list.text.includes('Node 22'), list.text);
        const recalled = await server.call('recall', { query: 'tabs or spaces?' });
        assert.match(recalled.text, /tabs over spaces/u);
        const context = await server.call('context', { task: 'choose tabs or spaces' });
        for (const it of [recalled, context, list, await server.call('conflicts', {})]) {
          assert.match(it.text, /\nNo project is known here/u);
          assert.match(String(it.data.about), /No project is known here/u);
        }
      }
    });

    it('works in the project that the assistant names, and in no other one', async () => {
      const [project, other, dataDir] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
      const tooLong = `/${'a'.repeat(300)}`;
      const [home, file] = [temporaryFolder(), path.join(other, 'file')];
      const [server, linkToHome] = [await connect({ dataDir, home }), path.join(other, 'home')];
      symlinkSync(home, linkToHome);
      writeFileSync(file, '');
      const missing = ['relative', '/no/such/folder', `${project}/..//no`, '/nul\0', tooLong, file];
      for (const it of [...missing, '/', os.tmpdir(), home, linkToHome, `/${project}`, '\\\\host\\share']) {
        const { failed, text } = await server.call('recall', { query: 'build', project: it });
        const shown = it.slice(0, 200).replace('\0', '?');
        assert.ok(failed && text.startsWith(`${shown} is no folder of a project`), text);
      }
      for (const it of [42, true, [project], { folder: project }]) {
        const { failed, text } = await server.call('recall', { query: 'build', project: it });
        assert.ok(failed && text.startsWith('The input of recall is not valid: project: the full path'), text);
      }
      assert.deepEqual(await outcomesOf(server, { content: ofProject, project }), ['project']);
      const recalled = await server.call('recall', { query: 'build' });
      assert.match(recalled.text, /Node 22/u);
      assert.doesNotMatch(recalled.text, /No project is known/u);
      for (const name of ['list', 'conflicts']) {
        const { failed, text, data } = await server.call(name, { project });
        assert.deepEqual([failed, data.about], [false, undefined], text);
        assert.doesNotMatch(text, /No project is known/u);
      }
      const there = await connect({ dataDir, cwd: project });
      assert.match((await there.call('list', {})).text, /Node 22/u);
      const { failed, text } = await server.call('recall', { query: 'build', project: other });
      assert.ok(failed && text.startsWith(`This session works in ${project} and in no other project.`), text);
      assert.deepEqual(await outcomesOf(server, { content: 'The tests of this project need Docker.', project }), [
        'project',
      ]);
    });

    it('believes the client rather than the assistant', async () => {
      const [root, other] = [temporaryFolder(), temporaryFolder()];
      const server = await connect({ roots: [root] });
      const { failed, text } = await server.call('remember', { content: ofProject, project: other });
      assert.ok(failed && text.startsWith(`This session works in ${root}`), text);
      const link = path.join(other, 'link');
      symlinkSync(root, link);
      assert.deepEqual(await outcomesOf(server, { content: ofProject, project: link }), ['project']);
    });

    it('takes no project outside of the folders that the client names, which are none themselves', async () => {
      const [home, other] = [temporaryFolder(), temporaryFolder()];
      const [project, beside] = [path.join(home, 'project'), `${home}-beside`];
      const way = path.join(home, 'way');
      for (const it of [project, beside]) mkdirSync(it);
      symlinkSync(other, way);
      closeAfterTest(() => rm(beside, { recursive: true }));
      const server = await connect({ roots: [home], home });
      for (const it of [other, beside, way]) {
        const { failed, text } = await server.call('remember', { content: ofProject, project: it });
        assert.ok(failed && text.startsWith(`${it} is not in a folder that this client works in (${home}).`), text);
      }
      assert.deepEqual(await outcomesOf(server, { content: ofProject, project }), ['project']);
      const atRoot = await connect({ roots: ['/'] });
      assert.deepEqual(await outcomesOf(atRoot, { content: ofProject, project: other }), ['project']);
    });

    it('takes no project from a client that is not let in', async () => {
      const [refused, project, dataDir] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
      await writeClientSetting(dataDir, 'test-client', { access: 'none' });
      const server = await connect({ dataDir });
      const { failed, text } = await server.call('recall', { query: 'build', project: refused });
      assert.ok(failed && text.startsWith('The user does not let test-client'), text);
      await writeClientSetting(dataDir, 'test-client', undefined);
      assert.deepEqual(await outcomesOf(server, { content: ofProject, project }), ['project']);
    });

    it('offers to have the project named, which a server in a project does not', async () => {
      const namable = async (server: McpConnection): Promise<readonly string[]> =>
        (await server.client.listTools()).tools
          .filter(it => 'project' in (it.inputSchema.properties ?? {}))
          .map(it => it.name);
      assert.deepEqual(await namable(await connect()), ['recall', 'remember', 'list', 'conflicts', 'context']);
      const inProject = await connect({ cwd: temporaryFolder() });
      assert.deepEqual(await namable(inProject), []);
      const { text } = await inProject.call('recall', { query: 'build', project: temporaryFolder() });
      assert.match(text, /Not an option of this tool, and ignored: project\./u);
    });
  });
}
