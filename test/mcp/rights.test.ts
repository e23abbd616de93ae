import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readAccesses, summarizeClients } from '../../src/engine/access/accessLog.js';
import { writeClientSetting } from '../../src/engine/access/settingsFile.js';
import {
  connectClient,
  eras,
  openOtherEngine,
  remember,
  sayYes,
  type ConnectOptions,
  type McpConnection,
} from './mcpClient.js';
import { temporaryFolder } from '../support/fixtures.js';

for (const era of eras) {
  describe(`The rights of an MCP client, ${era} protocol`, () => {
    const connect = async (
      rights: Readonly<Record<string, unknown>>,
      options: ConnectOptions = {},
    ): Promise<McpConnection> => {
      const dataDir = temporaryFolder();
      mkdirSync(dataDir, { recursive: true });
      await writeClientSetting(dataDir, 'test-client', rights);
      return connectClient({ era, dataDir, ...options });
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

    it('let one that may use single tools use no other, nor what amounts to one', async () => {
      const server = await connect({ tools: ['recall'] });
      assert.equal((await server.call('recall', { query: 'harbor' })).failed, false);
      for (const [tool, input] of [
        ['list', {}],
        ['context', { task: 'harbor' }],
        ['remember', { content: 'The harbor closes at nine.' }],
        ['metrics', {}],
      ] as const)
        assert.match((await server.call(tool, input)).text, new RegExp(`does not let test-client use ${tool}\\.`, 'u'));
      await assert.rejects(server.client.listResources(), /does not let test-client use list/u);
      const argument = { name: 'id', value: '0' };
      const ref = { type: 'ref/resource', uri: 'recollect://memory/{id}' } as const;
      await assert.rejects(server.client.complete({ ref, argument }), /does not let test-client use list/u);
    });

    it('note each memory whose text an answer of a tool gives out', async () => {
      const server = await connect({}, { answerElicitation: sayYes });
      const ids: string[] = [];
      for (const content of ['The harbor closes at nine.', 'The harbor of Kiel closes at nine in the evening.'])
        ids.push(await remember(server, content));
      const [first, second] = ids as [string, string];
      await (await openOtherEngine(server)).promote(second);
      await server.call('revise', { id: second, replacedBy: first });
      await server.call('graph', { id: first });
      await server.call('conflicts', {});
      await server.client.readResource({ uri: `recollect://memory/${first}` });
      await server.client.getPrompt({ name: 'recall', arguments: { topic: 'When does the harbor close?' } });
      assert.equal((await server.call('pin', { id: first })).failed, false);
      assert.equal((await server.call('forget', { id: second })).failed, false);
      await server.client.close();
      const lines = (await readAccesses(server.dataDir)).map(it => [it.via, it.ids] as const);
      const idsOf = (via: string): readonly string[] => lines.filter(it => it[0] === via).flatMap(it => it[1]);
      assert.deepEqual(idsOf('remember'), [first]);
      assert.deepEqual(idsOf('graph'), [second]);
      assert.deepEqual([...idsOf('conflicts')].sort(), [first, second].sort());
      assert.deepEqual(idsOf('resource'), [first]);
      assert.deepEqual(idsOf('pin'), [first]);
      assert.deepEqual(idsOf('forget'), [second]);
      assert.ok(idsOf('recall').includes(first));
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
      const complete = async (): Promise<readonly string[]> => {
        const argument = { name: 'id', value: '0' };
        const ref = { type: 'ref/resource', uri: 'recollect://memory/{id}' } as const;
        return (await server.client.complete({ ref, argument })).completion.values;
      };
      assert.equal((await complete()).length, 2);
      await writeClientSetting(server.dataDir, 'test-client', { store: 'project' });
      assert.deepEqual([(await complete()).length, (await complete()).some(it => it.endsWith(mine))], [1, false]);
      const ours = (await server.call('list', {})).text;
      assert.deepEqual([ours.includes('bucket'), ours.includes('paper')], [true, false]);
      assert.ok((await server.call('revise', { id: mine, stillTrue: true })).failed);
      await writeClientSetting(server.dataDir, 'test-client', { store: 'global' });
      const theirs = (await server.call('list', {})).text;
      assert.deepEqual([theirs.includes('bucket'), theirs.includes('paper')], [false, true]);
    });
  });
}
