import assert from 'node:assert/strict';
import { connectClient, eras, type McpConnection } from './mcpClient.js';

interface AnswerMemory {
  readonly text: string;
  readonly before?: readonly { readonly text: string }[];
}

const old = 'The ferry to Hestvik leaves from pier seven.';
const changed = 'The ferry to Hestvik leaves from pier two.';

for (const era of eras) {
  describe(`A memory that an assistant replaces through MCP, ${era} protocol`, () => {
    it('stands under the new one for the assistant of another server process', async () => {
      const first = await connectClient({ era });
      const second = await connectClient({ era, dataDir: first.dataDir, cwd: first.cwd });
      assert.notEqual(first.pid, second.pid);
      await first.call('remember', { facts: [{ content: old, appliesTo: 'project' }] });

      const id = (await idsByText(second, 'ferry to Hestvik')).get(old);
      const { data } = await second.call('remember', {
        facts: [{ content: changed, appliesTo: 'project', keywords: ['boat', 'quay'], replaces: [id] }],
      });
      const [outcome] = data.outcomes as { readonly outcome: string; readonly reason?: string }[];
      assert.deepEqual([outcome?.outcome, outcome?.reason], ['stored', undefined]);

      const recalled = await first.call('recall', { query: 'ferry to Hestvik', keywords: ['boat', 'pier'] });
      const lines = recalled.text.split('\n').filter(it => it.includes('Hestvik'));
      assert.equal(lines.length, 2);
      assert.match(lines[0]!, /^- \[#[0-9a-f]{8} · .+ · note\] The ferry to Hestvik leaves from pier two\.$/u);
      assert.match(lines[1]!, /^ {2}before \(.+\): The ferry to Hestvik leaves from pier seven\.$/u);
      const memories = recalled.data.memories as readonly AnswerMemory[];
      assert.deepEqual(
        memories.map(it => [it.text, it.before?.map(({ text }) => text)]),
        [[changed, [old]]],
      );
    });

    it('stands on its own again once an assistant says that it is still true', async () => {
      const server = await connectClient({ era });
      await server.call('remember', { facts: [{ content: old, appliesTo: 'project' }] });
      const id = (await idsByText(server, 'ferry to Hestvik')).get(old);
      await server.call('remember', { facts: [{ content: changed, appliesTo: 'project', replaces: [id] }] });
      assert.deepEqual([...(await idsByText(server, 'ferry to Hestvik')).keys()], [changed]);
      await server.call('revise', { id, stillTrue: true });
      const texts = [...(await idsByText(server, 'ferry to Hestvik')).keys()];
      assert.deepEqual(texts.sort(), [changed, old].sort());
    });
  });
}

async function idsByText(server: McpConnection, query: string): Promise<ReadonlyMap<string, string>> {
  const { data } = await server.call('recall', { query });
  return new Map((data.memories as { id: string; text: string }[]).map(it => [it.text, it.id]));
}
