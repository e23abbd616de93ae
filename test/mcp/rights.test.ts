import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readAccesses, summarizeClients } from '../../src/engine/access/accessLog.js';
import { writeClientSetting } from '../../src/engine/settingsFile.js';
import { connectClient, eras, remember, type McpConnection } from './mcpClient.js';
import { temporaryFolder } from '../support/fixtures.js';

for (const era of eras) {
  describe(`The rights of an MCP client, ${era} protocol`, () => {
    const connect = async (rights: Readonly<Record<string, unknown>>): Promise<McpConnection> => {
      const dataDir = temporaryFolder();
      mkdirSync(dataDir, { recursive: true });
      await writeClientSetting(dataDir, 'test-client', rights);
      return connectClient({ era, dataDir });
    };

    it('keep one that may do nothing out of tools, resources and prompts, and note each call', async () => {
      const server = await connect({ access: 'none' });
      const { text, failed } = await server.call('recall', { query: 'harbor' });
      assert.deepEqual(
        [failed, text.startsWith('The user does not let test-client use these memories.')],
        [true, true],
      );
      assert.ok((await server.call('remember', { content: 'The harbor closes at nine.' })).failed);
      await assert.rejects(server.client.listResources(), /does not let test-client/u);
      await assert.rejects(
        server.client.getPrompt({ name: 'recall', arguments: { topic: 'harbor' } }),
        /does not let test-client/u,
      );
      assert.deepEqual(
        (await readAccesses(server.dataDir)).map(it => [it.via, it.refused]),
        [
          ['recall', true],
          ['remember', true],
          ['list', true],
          ['recall', true],
        ],
      );
    });

    it('leave a line where it was shown the tools, which is no call', async () => {
      const server = await connect({});
      await server.client.listTools();
      let lines = await readAccesses(server.dataDir);
      // It is written beside the answer.
      while (lines.length === 0) lines = await readAccesses(server.dataDir);
      assert.deepEqual(
        lines.map(it => [it.client, it.via, it.ids]),
        [['mcp:test-client', 'tools/list', []]],
      );
      assert.deepEqual(
        summarizeClients(lines).map(it => [it.client, it.toolsSeen, it.lastCall, it.calls]),
        [['test-client', lines[0]!.at, undefined, 0]],
      );
    });

    it('let one that may read change nothing, from the moment they are set', async () => {
      const server = await connect({});
      await remember(server, 'The harbor closes at nine.');
      await writeClientSetting(server.dataDir, 'test-client', { access: 'read' });
      assert.match((await server.call('recall', { query: 'harbor' })).text, /closes at nine/u);
      const { text, failed } = await server.call('remember', { content: 'The harbor closes at ten.' });
      assert.deepEqual([failed, text.includes('Nothing was changed')], [true, true]);
      assert.doesNotMatch((await server.call('list', {})).text, /closes at ten/u);
    });

    it('show one that may use one kind of store nothing of the other, not even by id', async () => {
      const server = await connect({});
      const store = async (content: string, appliesTo: string): Promise<string> => {
        const { data } = await server.call('remember', { facts: [{ content, appliesTo }] });
        return (data.outcomes as { readonly id: string }[])[0]!.id;
      };
      const mine = await store('The person reads charts on paper.', 'user');
      await store('The project keeps its charts in a bucket.', 'project');
      await writeClientSetting(server.dataDir, 'test-client', { store: 'project' });
      const ours = (await server.call('list', {})).text;
      assert.deepEqual([ours.includes('bucket'), ours.includes('paper')], [true, false]);
      assert.ok((await server.call('revise', { id: mine, stillTrue: true })).failed);
      await writeClientSetting(server.dataDir, 'test-client', { store: 'global' });
      const theirs = (await server.call('list', {})).text;
      assert.deepEqual([theirs.includes('bucket'), theirs.includes('paper')], [false, true]);
    });
  });
}
