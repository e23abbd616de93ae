import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts an MCP server as a program that knows nothing else of it does, and ends it.
 * @returns the names of its tools
 */
export async function listToolNames({ command, args, env }: ServerProgram): Promise<string[]> {
  const client = new Client({ name: 'outside-agent', version: '1.0.0' });
  try {
    await client.connect(new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' }));
    return (await client.listTools()).tools.map(it => it.name);
  } finally {
    await client.close();
  }
}

/** Starts an MCP server, calls one of its tools by the SDK's client, and ends it. @param program Node's arguments */
export async function callServerTool(
  program: readonly string[],
  name: string,
  input: Record<string, unknown>,
): Promise<{ readonly text: string; readonly data: unknown }> {
  const client = new Client({ name: 'test-client', version: '1.0.0' });
  // In desktop VS Code `execPath` is Electron, which runs as Node with this variable.
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ELECTRON_RUN_AS_NODE: '1' };
  try {
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [...program], env, stderr: 'ignore' }),
    );
    const { content, structuredContent } = await client.callTool({ name, arguments: input });
    return { text: content.map(it => (it.type === 'text' ? it.text : '')).join(''), data: structuredContent };
  } finally {
    await client.close();
  }
}
