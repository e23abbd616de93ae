import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { program, type Shell } from './shell.js';

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A client that sends and reads the lines of the protocol itself, so that nothing of an answer is lost on the way. */
export class McpClient {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private last = 0;
  private stderr = '';

  constructor(shell: Shell, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [program, 'mcp', ...args], { cwd: shell.project, env: shell.environment() });
    this.child.stderr.setEncoding('utf8').on('data', (it: string) => (this.stderr += it));
    createInterface({ input: this.child.stdout }).on('line', line => {
      const message = JSON.parse(line) as Message;
      if (message.id !== undefined) this.waiting.get(message.id)?.(message);
    });
  }

  /** Begins as a client of 2025 does without a way to ask a person. */
  async initialize(): Promise<unknown> {
    const answer = await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'contract-client', version: '1.0.0' },
    });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return answer;
  }

  /** The result, or `{ error }`. */
  request(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`No answer to ${method}. ${this.stderr}`));
      }, 240_000);
      this.waiting.set(id, ({ result, error }) => {
        clearTimeout(timer);
        resolve(error === undefined ? result : { error });
      });
      this.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  call(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.request('tools/call', { name, arguments: input });
  }

  async close(): Promise<void> {
    const ended = new Promise(resolve => this.child.once('close', resolve));
    this.child.stdin.end();
    await ended;
  }

  private send(message: object): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}
