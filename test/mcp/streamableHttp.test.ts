import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';
import { readAccesses } from '../../src/engine/access/accessLog.js';
import { writeClientSetting } from '../../src/engine/access/settingsFile.js';
import { until } from '../host/ui/kit/until.js';
import { closeAfterTest, temporaryFolder } from '../support/fixtures.js';
import { bearer, callHttp, startServe, type ServeProcess } from '../support/serveProcess.js';
import { connectClient, eras, sayYes, type Era, type ToolAnswer } from './mcpClient.js';

interface HttpClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  call(name: string, input: Record<string, unknown>): Promise<ToolAnswer>;
}

interface ConnectOverHttpOptions {
  readonly era: Era;
  readonly name?: string;
  readonly answerElicitation?: (message: string) => ElicitResult;
}

async function connectOverHttp(server: ServeProcess, options: ConnectOverHttpOptions): Promise<HttpClient> {
  const { era, name = 'test-client', answerElicitation } = options;
  const client = new Client(
    { name, version: '1.0.0' },
    {
      capabilities: answerElicitation === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  if (answerElicitation !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => answerElicitation(params.message));
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: bearer(server.token) },
  });
  await client.connect(transport);
  closeAfterTest(() => client.close());
  return {
    client,
    transport,
    call: async (tool, input) => {
      const result = await client.callTool({ name: tool, arguments: input });
      return {
        text: result.content.map(it => (it.type === 'text' ? it.text : '')).join(''),
        data: (result.structuredContent ?? {}) as Record<string, unknown>,
        failed: result.isError === true,
      };
    },
  };
}

async function rememberOverHttp(client: HttpClient, content: string): Promise<string> {
  const { data, text } = await client.call('remember', { content });
  const [outcome] = data.outcomes as { readonly id?: string }[];
  assert.ok(outcome?.id !== undefined, text);
  return outcome.id;
}

for (const era of eras) {
  describe(`MCP over Streamable HTTP, ${era} protocol`, () => {
    it('offers the tools, resources and prompts of the server over stdio, and answers alike', async () => {
      const server = await startServe({ args: ['--tools', 'all'] });
      const http = await connectOverHttp(server, { era });
      const stdio = await connectClient({ era, dataDir: server.dataDir, cwd: server.cwd });
      const id = await rememberOverHttp(http, 'The harbor closes at nine.');
      const offers = async (client: Client): Promise<unknown> => ({
        tools: (await client.listTools()).tools,
        prompts: (await client.listPrompts()).prompts,
        resources: (await client.listResources()).resources,
        templates: (await client.listResourceTemplates()).resourceTemplates,
        instructions: client.getInstructions(),
      });
      assert.deepEqual(await offers(http.client), await offers(stdio.client));
      const query = { query: 'When does the harbor close?', mode: 'fresh' };
      const [first, second] = [await http.call('recall', query), await stdio.call('recall', query)];
      assert.deepEqual(first.data.memories, second.data.memories);
      assert.match(first.text, /closes at nine/u);
      const uri = `recollect://memory/${id}`;
      assert.deepEqual(await http.client.readResource({ uri }), await stdio.client.readResource({ uri }));
    });

    it('keeps to the rights of a client by the name it gives, and notes it', async () => {
      const server = await startServe();
      const http = await connectOverHttp(server, { era, name: 'Harbor Bot' });
      await rememberOverHttp(http, 'The harbor closes at nine.');
      await writeClientSetting(server.dataDir, 'harbor-bot', { access: 'read' });
      const { failed, text } = await http.call('remember', { content: 'The harbor closes at ten.' });
      assert.deepEqual([failed, text.includes('lets harbor-bot read these memories')], [true, true], text);
      assert.match((await http.call('recall', { query: 'harbor' })).text, /closes at nine/u);
      await http.client.close();
      assert.equal(await server.end('SIGTERM'), 0);
      const lines = (await readAccesses(server.dataDir)).map(it => `${it.client} ${it.via} ${it.refused === true}`);
      for (const it of ['remember true', 'recall false'])
        assert.ok(lines.includes(`mcp:Harbor Bot ${it}`), lines.join());
    });

    it('asks the person through the client before it forgets', async () => {
      const server = await startServe();
      const asked: string[] = [];
      const http = await connectOverHttp(server, {
        era,
        answerElicitation: message => {
          asked.push(message);
          return sayYes();
        },
      });
      const id = await rememberOverHttp(http, 'The harbor closes at nine.');
      const { text, failed } = await http.call('forget', { id });
      assert.deepEqual([failed, text.startsWith(`Forgotten #${id}`)], [false, true], text);
      assert.deepEqual(asked, ['Forget this?\n\nThe harbor closes at nine.']);
      const silent = await connectOverHttp(server, { era });
      const other = await rememberOverHttp(silent, 'The harbor opens at six.');
      assert.match((await silent.call('forget', { id: other })).text, /Nothing was changed: only the user/u);
    });

    it('notifies a client of changes that any program makes', async () => {
      const server = await startServe();
      const http = await connectOverHttp(server, { era });
      const id = await rememberOverHttp(http, 'The harbor closes at nine.');
      const uri = `recollect://memory/${id}`;
      const updated: string[] = [];
      http.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updated.push(params.uri);
      });
      if (era === 'legacy') await http.client.subscribeResource({ uri });
      else {
        const listening = await http.client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true });
        closeAfterTest(() => listening.close());
      }
      const answer = await server.call('/memory', { body: { content: 'The harbor closes at nine.' } });
      assert.equal((answer.data.outcomes as { outcome: string }[])[0]!.outcome, 'reinforced', answer.text);
      await until('the client has heard of the change', () => updated.length > 0);
      assert.equal(updated[0], uri);
    });

    it('serves two clients at once, each in its own name', async () => {
      const server = await startServe();
      const clients = await Promise.all(['alpha', 'omega'].map(name => connectOverHttp(server, { era, name })));
      await Promise.all(
        clients.flatMap((it, i) =>
          Array.from({ length: 5 }, (_, n) => rememberOverHttp(it, `Pier ${i}${n} is ${n + 3} metres long.`)),
        ),
      );
      const { data } = await clients[0]!.call('list', { limit: 100 });
      assert.equal((data.memories as unknown[]).length, 10);
    });
  });
}

describe('MCP over Streamable HTTP', () => {
  it('ends a session when its client says so or the server ends, with a stream open', async () => {
    const server = await startServe();
    const http = await connectOverHttp(server, { era: 'legacy' });
    await http.call('recall', { query: 'harbor' });
    const { sessionId = '' } = http.transport;
    const headers = {
      'mcp-session-id': sessionId,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    };
    const list = { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers };
    assert.equal((await server.call('/mcp', list)).status, 200);
    await http.transport.terminateSession();
    const ended = await server.call('/mcp', list);
    assert.deepEqual([ended.status, ended.text.includes('This session has ended')], [404, true]);
    const none = await server.call('/mcp', { ...list, headers: { ...headers, 'mcp-session-id': '' } });
    assert.ok(none.status === 400 || none.status === 404, none.text);
    await connectOverHttp(server, { era: 'legacy', name: 'another' });
    assert.equal(await server.end('SIGTERM'), 0);
  });

  it('wants the token and its own Host, as every path', async () => {
    const server = await startServe();
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    assert.equal((await callHttp(server.port, '/mcp', { body })).status, 401);
    assert.equal((await server.call('/mcp', { body, headers: { host: 'evil.example' } })).status, 403);
    const malformed = await server.call('/mcp', {
      rawBody: '{"jsonrpc":',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    });
    assert.deepEqual([malformed.status, (malformed.data.error as { code: number }).code], [400, -32_700]);
  });

  it('answers each message under its id: with keys of no protocol, in a batch, and one that it cannot serve', async () => {
    const server = await startServe();
    const { transport } = await connectOverHttp(server, { era: 'legacy' });
    const headers = { 'mcp-session-id': transport.sessionId ?? '', accept: 'application/json' };
    const send = async (body: unknown): Promise<unknown> => (await server.call('/mcp', { body, headers })).data;
    const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
    assert.deepEqual(await send({ ...ping, x: 1 }), { jsonrpc: '2.0', id: 7, result: {} });
    const batch = await send([ping, { ...ping, id: null }]);
    assert.deepEqual(Array.isArray(batch) ? (batch as unknown[])[0] : batch, { jsonrpc: '2.0', id: 7, result: {} });
    const { error: nullError } = (await send({ ...ping, id: null })) as { error: { code: number } };
    assert.equal(nullError.code, -32_600);
    const initialize = { jsonrpc: '2.0', id: 8, method: 'initialize', params: { protocolVersion: 5 } };
    const { id, error } = (await send(initialize)) as { id: number; error: { code: number } };
    assert.deepEqual([id, error.code], [8, -32_602]);
  });

  it('takes the project from the assistant where it was started in none', async () => {
    const server = await startServe({ cwd: '/' });
    const http = await connectOverHttp(server, { era: 'legacy' });
    const project = temporaryFolder();
    const { data } = await http.call('remember', { content: 'The build of this project needs Node 22.', project });
    assert.equal((data.outcomes as { store: string }[])[0]!.store, 'project');
    assert.match((await http.call('recall', { query: 'build' })).text, /Node 22/u);
    // Another client works elsewhere.
    const other = await connectOverHttp(server, { era: 'legacy' });
    assert.doesNotMatch((await other.call('recall', { query: 'build' })).text, /Node 22/u);
  });
});
