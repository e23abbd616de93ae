import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { inTemporaryFolder } from './corpus.js';

/** A client of the real MCP server that has the whole say over its pipes. */
export class RawClient {
  readonly child: ChildProcess;
  private id = 0;
  private readonly waiting = new Map<number, (line: Answer) => void>();

  /**
   * @param folder of the project, with the data folder in it
   * @param options of the command line, before `mcp`
   * @param env beside what any program needs
   */
  constructor(
    folder: string,
    home: string,
    options: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ) {
    mkdirSync(home, { recursive: true });
    const command = [path.resolve('dist', 'cli.js'), ...options, 'mcp', '--tools', 'all', '--no-ask'];
    const { PATH = '', RECOLLECT_RANKING, RECOLLECT_ENCODER_WAIT } = process.env;
    const given = Object.entries({ RECOLLECT_RANKING, RECOLLECT_ENCODER_WAIT }).filter(it => it[1] !== undefined);
    this.child = spawn(process.execPath, command, {
      cwd: folder,
      env: { PATH, HOME: home, RECOLLECT_HOME: path.join(folder, 'data'), ...Object.fromEntries(given), ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    createInterface({ input: this.child.stdout! }).on('line', line => {
      const answer = JSON.parse(line) as Answer;
      this.waiting.get(answer.id ?? 0)?.(answer);
      this.waiting.delete(answer.id ?? 0);
    });
  }

  async start(name: string): Promise<void> {
    const clientInfo = { name, version: '1' };
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  call(name: string, input: object): Promise<Answer> {
    return this.request('tools/call', { name, arguments: input });
  }

  request(method: string, params: object): Promise<Answer> {
    const id = ++this.id;
    const answer = new Promise<Answer>(resolve => this.waiting.set(id, resolve));
    this.send({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  /** Bytes that the process holds. */
  residentBytes(): number {
    const { pid } = this.child;
    if (process.platform !== 'linux') return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]));
    return 1024 * Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  }

  async end(): Promise<void> {
    const ended = new Promise(resolve => this.child.once('close', resolve));
    this.child.stdin!.end();
    await ended;
  }

  private send(message: object): void {
    this.child.stdin!.write(`${JSON.stringify(message)}\n`);
  }
}

export interface Answer {
  readonly id?: number;
  readonly error?: object;
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text?: string }[];
    readonly structuredContent?: Readonly<Record<string, unknown>>;
  };
}

/** What a tool answered: its text, and its data, absent where it refused. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>> | undefined;
}

/** Calls a tool. */
export type CallTool = (name: 'remember' | 'recall', input: object) => Promise<ToolAnswer>;

/**
 * Runs work against a real server with an empty memory, whose encoder each call waits for.
 * @param options of the command line
 */
export async function throughServer(
  work: (call: CallTool) => Promise<void>,
  options: readonly string[] = [],
): Promise<void> {
  await inTemporaryFolder(async folder => {
    const project = path.join(folder, 'project');
    execFileSync('git', ['init', '-q', project]);
    const client = new RawClient(project, path.join(folder, 'home'), options, {
      RECOLLECT_ENCODER_WAIT: 'forever',
    });
    await client.start('bench');
    try {
      await work(async (name, input) => {
        const { error, result } = await client.call(name, input);
        if (error !== undefined) throw new Error(`${name} failed: ${JSON.stringify(error)}`);
        return { text: result?.content?.[0]?.text ?? '', structured: result?.structuredContent };
      });
    } finally {
      await client.end();
    }
  });
}

/** One text that `remember` was given, as it was answered. */
export interface StoredOutcome {
  readonly outcome: string;
  readonly id?: string;
  readonly store?: string;
  /** Absent where the text was one fact. */
  readonly content?: string;
  readonly related?: unknown;
}

/** @returns one that is refused where the call is */
export async function rememberOutcomes(call: CallTool, input: object): Promise<readonly StoredOutcome[]> {
  const { structured } = await call('remember', input);
  return (structured?.outcomes ?? [{ outcome: 'refused' }]) as readonly StoredOutcome[];
}

/** @throws Error what the tool says where it refuses the question */
export async function recallMemories(
  call: CallTool,
  input: object,
): Promise<{ readonly memories: readonly RecalledMemory[]; readonly answer: ToolAnswer }> {
  const answer = await call('recall', input);
  if (answer.structured === undefined) throw new Error(answer.text);
  return { memories: answer.structured.memories as readonly RecalledMemory[], answer };
}

export interface RecalledMemory {
  readonly id: string;
  readonly conflict?: unknown;
  readonly contradicts?: unknown;
}
