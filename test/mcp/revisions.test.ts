import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { closeAfterTest, temporaryFolder } from '../support/fixtures.js';

type Json = Readonly<Record<string, unknown>>;

interface Answer {
  readonly result?: Json;
  readonly error?: { readonly code: number };
}

interface RawServer {
  /** Writes one line, and gives the answer to it. */
  request(method: string, params?: object): Promise<Answer>;
  notify(method: string): void;
}

/** The server as a client without an SDK has it: lines are written and read. */
function startServer(): RawServer {
  const home = temporaryFolder();
  const child = spawn(process.execPath, [path.resolve('dist/cli.js'), 'mcp'], {
    cwd: temporaryFolder(),
    env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: path.join(home, 'memory') },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise(resolve => child.once('close', resolve));
  closeAfterTest(async () => {
    child.stdin.end();
    await ended;
  });
  let [out, id] = ['', 0];
  child.stdout.setEncoding('utf8').on('data', (it: string) => (out += it));
  const write = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    notify: method => {
      write({ method });
    },
    request: async (method, params = {}) => {
      const own = ++id;
      write({ id: own, method, params });
      for (;;) {
        const lines = out
          .slice(0, out.lastIndexOf('\n') + 1)
          .split('\n')
          .filter(it => it !== '');
        const answer = lines.map(it => JSON.parse(it) as Answer & { readonly id?: number }).find(it => it.id === own);
        if (answer !== undefined) return answer;
        assert.equal(child.exitCode, null, `the server ended before the answer to ${method}`);
        await pause(10);
      }
    },
  };
}

const envelope = (capabilities: object = {}): { readonly _meta: Json } => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  },
});
const toolNames = ['recall', 'remember', 'revise', 'forget', 'list', 'conflicts'];
const namesOf = ({ result }: Answer): string[] => (result!.tools as { readonly name: string }[]).map(it => it.name);

describe('an MCP server of the revision of 2026-07-28', () => {
  it('serves without a handshake, and says what it is when it is asked', async () => {
    const server = startServer();
    const { result } = await server.request('server/discover', envelope());
    assert.deepEqual(result!.supportedVersions, ['2026-07-28']);
    assert.match(String(result!.instructions), /long-term memory/u);
    const { _meta: meta } = result as { readonly _meta: Json };
    assert.equal((meta['io.modelcontextprotocol/serverInfo'] as Json).name, 'recollect');
  });

  it('lists the tools in one order, and lets the client keep the list', async () => {
    const server = startServer();
    const first = await server.request('tools/list', envelope());
    const second = await server.request('tools/list', envelope());
    assert.deepEqual(namesOf(first), toolNames);
    assert.deepEqual(first.result, second.result);
    assert.deepEqual([first.result!.ttlMs, first.result!.cacheScope], [3_600_000, 'private']);
    const resources = await server.request('resources/list', envelope());
    assert.equal(resources.result!.ttlMs, 0);
  });

  it('answers a call that needs a yes with the question, and does what was asked once it is answered', async () => {
    const server = startServer();
    const stored = await server.request('tools/call', {
      name: 'remember',
      arguments: { content: 'The ferry leaves from pier seven.' },
      ...envelope(),
    });
    const { id } = (stored.result!.structuredContent as { readonly outcomes: { readonly id: string }[] }).outcomes[0]!;
    const canAsk = envelope({ elicitation: { form: {} } });
    const forget = (more: object = {}): Promise<Answer> =>
      server.request('tools/call', { name: 'forget', arguments: { id }, ...canAsk, ...more });
    const asked = (await forget()).result!;
    assert.equal(asked.resultType, 'input_required');
    const [[key, question] = ['', {}]] = Object.entries(asked.inputRequests as Readonly<Record<string, Json>>);
    assert.equal(question.method, 'elicitation/create');
    const answerWith = (content: object): object => ({ inputResponses: { [key]: { action: 'accept', content } } });
    const list = async (): Promise<string> =>
      JSON.stringify(await server.request('tools/call', { name: 'list', arguments: {}, ...canAsk }));
    // A client that accepts whatever it is asked has chosen nothing.
    assert.equal((await forget(answerWith({}))).result!.isError, true);
    assert.match(await list(), /pier seven/u);
    assert.match(JSON.stringify((await forget(answerWith({ answer: 'yes' }))).result), /Forgotten/u);
    assert.doesNotMatch(await list(), /pier seven/u);
  });

  it('speaks the revisions of 2025 too, in which nothing is served before the handshake', async () => {
    const server = startServer();
    assert.equal((await server.request('tools/list')).error?.code, -32600);
    const protocolVersion = '2025-06-18';
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    assert.equal((await server.request('initialize', params)).result?.protocolVersion, protocolVersion);
    server.notify('notifications/initialized');
    const listed = await server.request('tools/list');
    assert.deepEqual(namesOf(listed), toolNames);
    assert.deepEqual([listed.result!.ttlMs, listed.result!.resultType], [undefined, undefined]);
  });
});
