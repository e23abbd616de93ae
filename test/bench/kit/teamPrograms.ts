import { execFile, execFileSync, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const program = path.resolve('dist/cli.js');

export interface CommandResult {
  /** Null where it was killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A server of MCP in a process of its own. */
export interface McpProcess {
  recall(query: string): Promise<string>;
  close(): Promise<void>;
}

/** A person with a data folder and a working copy, who uses the real programs. */
export class ProgramUser {
  readonly home: string;
  private running: ChildProcess | undefined;

  /** @param environment such as PGHOST */
  constructor(
    readonly name: string,
    folder: string,
    readonly clone: string,
    private readonly environment: Readonly<Record<string, string>> = {},
  ) {
    this.home = path.join(folder, name);
    mkdirSync(this.home, { recursive: true });
  }

  private get env(): Record<string, string> {
    const own = { PATH: process.env.PATH ?? '', HOME: this.home, RECOLLECT_HOME: path.join(this.home, 'memory') };
    return { ...own, RECOLLECT_EMBEDDINGS: 'static', ...this.environment };
  }

  /** Runs the command line. */
  run(...args: readonly string[]): Promise<CommandResult> {
    const options = { cwd: this.clone, env: this.env, maxBuffer: 64 * 1024 * 1024 };
    return new Promise(resolve => {
      const child = execFile(process.execPath, [program, ...args], options, (_, out, err) => {
        this.running = undefined;
        resolve({ code: child.exitCode, out, err });
      });
      child.stdin?.end();
      this.running = child;
    });
  }

  /** @throws Error with what the command said */
  async must(...args: readonly string[]): Promise<CommandResult> {
    const result = await this.run(...args);
    if (result.code === 0) return result;
    throw new Error(`${this.name}: recollect ${args.join(' ')}: ${result.err}${result.out}`);
  }

  async json<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse((await this.must(...args, '--json')).out) as T;
  }

  /** Ends what runs, as a crash does. @returns whether something ran */
  kill(): boolean {
    return this.running?.kill('SIGKILL') === true;
  }

  async openMcp(): Promise<McpProcess> {
    const transport = new StdioClientTransport({
      ...{ command: process.execPath, args: [program, 'mcp'], cwd: this.clone, env: this.env, stderr: 'ignore' },
    });
    const client = new Client({ name: 'bench', version: '1.0.0' });
    await client.connect(transport);
    return {
      recall: async query => {
        const { content } = await client.callTool({ name: 'recall', arguments: { query } });
        return content.map(it => (it.type === 'text' ? it.text : '')).join('');
      },
      close: () => client.close(),
    };
  }

  git(...args: readonly string[]): string {
    const who = ['-c', `user.name=${this.name}`, '-c', `user.email=${this.name.toLowerCase()}@example.com`];
    return git(this.clone, ...who, ...args);
  }
}

/** Runs git with the settings of no person. */
export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', folder, '-c', 'commit.gpgSign=false', ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });
}

/** A repository with one commit, as a remote. */
export function createOrigin(folder: string): string {
  const origin = path.join(folder, 'origin.git');
  const first = path.join(folder, 'first');
  mkdirSync(first);
  git(folder, 'init', '-q', '--bare', '-b', 'main', origin);
  git(first, 'init', '-q', '-b', 'main');
  git(first, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '--allow-empty', '-m', 'First');
  git(first, 'push', '-q', origin, 'main');
  return origin;
}

export function clone(origin: string, folder: string): string {
  git(path.dirname(folder), 'clone', '-q', origin, folder);
  return folder;
}
