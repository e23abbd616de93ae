import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { matchesGolden, shapeOf } from './kit/golden.js';
import type { Mask } from './kit/mask.js';
import { McpClient } from './kit/mcp.js';
import { scenarioCopy } from './kit/scenario.js';
import type { Shell } from './kit/shell.js';

interface Called {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
}

describe('the MCP server', function () {
  let [shell, mask, ids]: [Shell?, Mask?, Readonly<Record<string, string>>?] = [];
  let client: McpClient | undefined;
  let greeting: unknown;

  before(async () => {
    ({ shell, mask, ids } = await scenarioCopy());
    client = new McpClient(shell, ['--tools', 'all']);
    greeting = await client.initialize();
  });
  after(() => client?.close());

  it('keeps its name, its version, its capabilities and its instructions', () => {
    matchesGolden('mcp/server.json', greeting);
  });

  it('keeps the tools with their titles, annotations, input schemas and output schemas', async () => {
    matchesGolden('mcp/tools.json', await client!.request('tools/list'));
  });

  it('keeps the prompts, their arguments and what they say', async () => {
    const { port } = ids!;
    const said = {
      list: await client!.request('prompts/list'),
      recall: await client!.request('prompts/get', { name: 'recall', arguments: { topic: 'payments service port' } }),
      'remember-session': await client!.request('prompts/get', { name: 'remember-session' }),
      completion: await client!.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'recollect://memory/{id}' },
        argument: { name: 'id', value: port!.slice(-8) },
      }),
    };
    matchesGolden('mcp/prompts.json', mask!.copy().value(said));
  });

  it('keeps the template of the resources, their list and the text of one of them', async () => {
    const uri = `recollect://memory/${ids!.port!}`;
    const said = {
      templates: await client!.request('resources/templates/list'),
      list: await client!.request('resources/list'),
      read: await client!.request('resources/read', { uri }),
      missing: await client!.request('resources/read', { uri: 'recollect://memory/ffffffff' }),
    };
    matchesGolden('mcp/resources.json', mask!.copy().value(said));
  });

  it('keeps the answer of each tool, also to a bad input and to an unknown id', async () => {
    const { port, tabs, slow } = ids!;
    writeFileSync(path.join(shell!.project, 'net.go'), 'package net\n\nfunc ParsePort() int {\n\treturn 1\n}\n');
    const answers: Record<string, unknown> = {};
    const call = async (title: string, name: string, input: Readonly<Record<string, unknown>>): Promise<Called> => {
      const answer = (await client!.call(name, input)) as Called;
      answers[title] = answer;
      return answer;
    };
    await call('recall', 'recall', { query: 'payments service port', limit: 3 });
    await call('recall nothing', 'recall', { query: 'xylophone', tags: ['unheard'] });
    await call('recall badly', 'recall', { query: '', limit: 0 });
    await call('context', 'context', { task: 'Change the port of the payments service.', tokenBudget: 300 });
    await call('list', 'list', { gates: ['correction', 'behavioral'], limit: 5 });
    await call('remember', 'remember', {
      content: 'ParsePort must never return a port below 2000.',
      tags: ['ports'],
      file: 'net.go',
      lines: '3-5',
    });
    await call('remember a secret', 'remember', { content: 'The admin password is Xk29fQz81Lm.' });
    await call('feedback', 'feedback', { id: port, useful: true });
    await call('feedback unknown', 'feedback', { id: 'ffffffff', useful: true });
    await call('pin', 'pin', { id: tabs });
    await call('unpin', 'pin', { id: tabs, pinned: false });
    await call('forget by query', 'forget', { query: 'slow tests' });
    await call('forget', 'forget', { id: slow });
    await call('forget badly', 'forget', {});
    await call('conflicts', 'conflicts', {});
    await call('maintain', 'maintain', {});
    matchesGolden('mcp/answers.json', mask!.copy().value(answers));
    const metrics = await client!.call('metrics');
    matchesGolden('mcp/metrics-shape.txt', shapeOf((metrics as Called).structuredContent));
  });

  it('keeps the fields of the traces, in a list and one by one', async () => {
    await client!.call('recall', { query: 'when does the pilot boat come', mode: 'fresh', limit: 2 });
    const list = (await client!.call('traces', { limit: 30 })) as Called;
    const { traces } = list.structuredContent as { readonly traces: readonly { readonly id: string }[] };
    const one = (await client!.call('traces', { id: traces[0]!.id })) as Called;
    matchesGolden('mcp/traces-shape.txt', shapeOf(list.structuredContent));
    matchesGolden('mcp/trace-shape.txt', shapeOf(one.structuredContent));
    matchesGolden('mcp/trace.json', mask!.copy().value(one));
  });
});
