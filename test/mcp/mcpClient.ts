import path from 'node:path';
import { Client, type ClientCapabilities, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { closeAfterTest, TestHost, temporaryFolder } from '../support/fixtures.js';

/** The revisions of the protocol that a client may speak: those of 2025, or that of 2026-07-28. */
export const eras = ['legacy', 'modern'] as const;
export type Era = (typeof eras)[number];

export interface ConnectOptions {
  readonly era?: Era;
  readonly dataDir?: string;
  readonly cwd?: string;
  readonly home?: string;
  readonly args?: readonly string[];
  /** Which tools the server offers; by default all. */
  readonly tools?: 'all' | 'default';
  /** Folders the client works in; undefined: it cannot say. */
  readonly roots?: readonly string[];
  /** What a person answers when asked; undefined: there is no person to ask. */
  readonly answerElicitation?: (message: string) => ElicitResult;
}

/** A person who agrees to whatever they are asked. */
export const sayYes = (): ElicitResult => ({ action: 'accept', content: { answer: 'yes' } });

/** The SDK's client, connected to the real bundle in a home of its own. */
export interface McpConnection {
  readonly client: Client;
  readonly dataDir: string;
  readonly cwd: string;
  readonly pid: number;
  /** What the server has written to stderr. */
  readonly stderr: () => string;
  /**
   * Messages of progress that the server has sent, in order: the client passes on none that it reads in one piece with the
   * result, which ends the call before.
   */
  readonly progress: readonly string[];
  /** Calls a tool; the text of its answer, its data, and whether it failed. */
  call(name: string, input: Record<string, unknown>): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly failed: boolean;
}

export async function connectClient(options: ConnectOptions = {}): Promise<McpConnection> {
  const {
    era = 'legacy',
    dataDir = temporaryFolder(),
    cwd = temporaryFolder(),
    home = temporaryFolder(),
    args = [],
    tools = 'all',
    roots,
    answerElicitation,
  } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path.resolve('dist/cli.js'), 'mcp', ...(tools === 'all' ? ['--tools', 'all'] : []), ...args],
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: dataDir, RECOLLECT_EMBEDDINGS: 'static' },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (it: Buffer) => (stderr += it.toString()));
  const capabilities: ClientCapabilities = {
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
    ...(answerElicitation === undefined ? {} : { elicitation: { form: {} } }),
  };
  const client = new Client(
    { name: 'test-client', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', () => ({ roots: roots.map(it => ({ uri: `file://${it}` })) }));
  }
  if (answerElicitation !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => answerElicitation(params.message));
  }
  await client.connect(transport);
  closeAfterTest(() => client.close());
  const progress: string[] = [];
  const passOn = transport.onmessage!;
  transport.onmessage = message => {
    if ('method' in message && message.method === 'notifications/progress')
      progress.push((message.params as { readonly message: string }).message);
    passOn(message);
  };
  return {
    client,
    dataDir,
    cwd,
    pid: transport.pid!,
    stderr: () => stderr,
    progress,
    call: async (name, input) => {
      const result = await client.callTool({ name, arguments: input });
      return {
        text: result.content.map(it => (it.type === 'text' ? it.text : '')).join(''),
        data: (result.structuredContent ?? {}) as Record<string, unknown>,
        failed: result.isError === true,
      };
    },
  };
}

/** The short id of the only memory that a call of `remember` kept. */
export async function remember(
  server: McpConnection,
  content: string,
  fields: { readonly scopeId?: string } = {},
): Promise<string> {
  const { data, text } = await server.call('remember', { content, ...fields });
  const [outcome] = data.outcomes as { readonly id?: string }[];
  if (outcome?.id === undefined) throw new Error(`Not kept: ${text}`);
  return outcome.id;
}

/** An engine on the same stores, as any other program on this machine has it. */
export function openOtherEngine({
  dataDir,
  cwd,
}: Pick<McpConnection, 'dataDir' | 'cwd'>): ReturnType<TestHost['open']> {
  const host = new TestHost();
  host.dataDir = dataDir;
  host.workspaceFolders = [cwd];
  host.time = Date.now();
  return host.open();
}
