import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ListedMemory, StoreView } from './soakLedger.js';

/** The process died, or was killed, before it answered. */
export class ProcessExitedError extends Error {
  override readonly name = 'Gone';
}
/** It answered that it could not. */
export class CallFailedError extends Error {
  override readonly name = 'Failed';
}

/** Where a process works. */
export interface ActorFolders {
  readonly dataDir: string;
  readonly folder: string;
  readonly home: string;
}

export interface StoredFact {
  readonly id: string;
  readonly content: string;
}

/** A process with a memory open, in any of the ways there are. Each call rejects with {@link ProcessExitedError} or {@link CallFailedError}. */
export interface Actor {
  readonly kind: 'engine' | 'mcp' | 'cli';
  /** Whether it supports isolation sets. */
  readonly hasSets: boolean;
  start(): Promise<void>;
  remember(content: string, view: StoreView, store: 'project' | 'global'): Promise<StoredFact | undefined>;
  recall(query: string, view: StoreView, mode: 'fast' | 'fresh'): Promise<readonly Pick<ListedMemory, 'content'>[]>;
  change(what: 'pin' | 'forget', id: string): Promise<void>;
  /** Calls one of the other verbs, which take nothing from what the ledger knows. @param draw 0-1 */
  callOther(id: string, draw: number): Promise<void>;
  /** kill -9. @returns whether there was a process */
  kill(): boolean;
  /** Closes its input and waits for its end. */
  end(): Promise<void>;
}

/** A child process that answers in lines of JSON. */
export class JsonLinesProcess {
  /** Reason of an end that was not requested. */
  diedOf: string | undefined;
  private readonly child: ChildProcess;
  private readonly waiting: { resolve(line: Json): void; reject(error: Error): void }[] = [];
  private readonly ended: Promise<void>;
  private isEndRequested = false;
  private stderr = '';

  /** The end of what it wrote to stderr. */
  get errors(): string {
    return this.stderr;
  }

  constructor(args: readonly string[], { dataDir, home }: ActorFolders, cwd: string) {
    this.child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: dataDir },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin!.on('error', () => undefined);
    this.child
      .stderr!.setEncoding('utf8')
      .on('data', (it: string) => (this.stderr = (this.stderr + it).slice(-20_000)));
    createInterface({ input: this.child.stdout! }).on('line', line => {
      const message = parseJsonLine(line);
      // The last line of a killed process may be incomplete and acknowledges nothing.
      if (message === undefined) {
        if (!this.isEndRequested) this.diedOf = `not a line of JSON: ${line.slice(0, 200)}`;
        return;
      }
      if (message.method === undefined) this.waiting.shift()?.resolve(message);
    });
    this.ended = new Promise(resolve => {
      this.child.once('close', (code, signal) => {
        if (!this.isEndRequested) this.diedOf = `${signal ?? code}: ${this.stderr.slice(-1_000)}`;
        for (const it of this.waiting.splice(0)) it.reject(new ProcessExitedError());
        resolve();
      });
    });
  }

  /** Resolves with the next line; there is one call at a time. */
  next(): Promise<Json> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return Promise.reject(new ProcessExitedError());
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  ask(message: unknown): Promise<Json> {
    this.send(message);
    return this.next();
  }

  send(message: unknown): void {
    this.child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  kill(): void {
    this.isEndRequested = true;
    this.child.kill('SIGKILL');
  }

  async end(): Promise<void> {
    this.isEndRequested = true;
    this.child.stdin!.end();
    await this.ended;
  }
}

type Json = Readonly<Record<string, unknown>>;

function parseJsonLine(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}

/** Base of the actors whose process serves many calls. */
abstract class LongLivedActor {
  protected lines: JsonLinesProcess | undefined;

  constructor(
    protected readonly place: ActorFolders,
    private readonly onDeath: (what: string) => void,
  ) {}

  protected open(args: readonly string[], cwd = this.place.folder): JsonLinesProcess {
    this.lookAfter();
    this.lines = new JsonLinesProcess(args, this.place, cwd);
    return this.lines;
  }

  kill(): boolean {
    this.lines?.kill();
    return this.lines !== undefined;
  }

  async end(): Promise<void> {
    await this.lines?.end();
    this.lookAfter();
  }

  private lookAfter(): void {
    if (this.lines?.diedOf !== undefined) this.onDeath(this.lines.diedOf);
    this.lines = undefined;
  }
}

/** The engine itself in a process (test/support/child.ts), as a window of VS Code has it. */
export class EngineActor extends LongLivedActor implements Actor {
  readonly kind = 'engine';
  readonly hasSets = true;

  async start(): Promise<void> {
    const { dataDir, folder, home } = this.place;
    const plan = path.join(home, `plan-${path.basename(folder)}.json`);
    writeFileSync(plan, JSON.stringify({ dataDir, folders: [folder], client: 'soak', calls: [], live: true }));
    const child = path.resolve('out/test/support/engineProcess.js');
    // It finds the models from the project's own folder (support/bundles.ts).
    unwrapAnswer(await this.open([child, plan], process.cwd()).next());
  }

  async remember(
    content: string,
    { set: scopeId }: StoreView,
    store: 'project' | 'global',
  ): Promise<StoredFact | undefined> {
    const input = { content, source: 'explicit', lane: 'confirmed', whole: true, store, scopeId };
    return storedFactOf(await this.call('remember', input));
  }

  async recall(
    query: string,
    { set: scopeId, scope }: StoreView,
    mode: 'fast' | 'fresh',
  ): Promise<readonly ListedMemory[]> {
    const { hits } = (await this.call('recall', { query, scope, scopeId, mode })) as {
      hits: { memory: ListedMemory }[];
    };
    return hits.map(it => it.memory);
  }

  async change(what: 'pin' | 'forget', id: string): Promise<void> {
    await this.call(what, id);
  }

  async callOther(id: string, draw: number): Promise<void> {
    const aids = { id, questions: ['What does the berth hold?'], keywords: ['dock', 'stock'] };
    await this.call(
      ...pick<[string, ...unknown[]]>(draw, [
        ['feedback', id, true],
        ['revise', aids, 'model'],
        ['maintenance.run', { scope: 'project-only' }],
        ['maintenance.metrics'],
        ['checkpoints.make', 'soak'],
        ['embedMissing', {}],
        ['groups'],
        ['activity.reads', { since: new Date(Date.now() - 10_000).toISOString() }],
      ]),
    );
  }

  async all({ set: scopeId, scope }: StoreView): Promise<ListedMemory[]> {
    const limit = 1_000;
    const found: ListedMemory[] = [];
    for (let offset = 0; ; offset += limit) {
      const statuses = ['active', 'archived', 'superseded'];
      const page = (await this.call('list', { scope, scopeId, statuses, limit, offset })) as ListedMemory[];
      found.push(...page);
      if (page.length < limit) return found;
    }
  }

  some(ids: readonly string[]): Promise<readonly ListedMemory[]> {
    return this.call('getMany', ids) as Promise<readonly ListedMemory[]>;
  }

  /** Problems that verify finds in its stores. */
  async problems(): Promise<readonly string[]> {
    return ((await this.call('verify')) as { problems: string[] }[]).flatMap(it => it.problems);
  }

  private async call(method: string, ...args: readonly unknown[]): Promise<unknown> {
    return unwrapAnswer(await this.lines!.ask([method, ...args]));
  }
}

/** `recollect mcp`, spoken to over stdio. */
export class McpActor extends LongLivedActor implements Actor {
  readonly kind = 'mcp';
  readonly hasSets = false;
  private id = 0;

  async start(): Promise<void> {
    const lines = this.open([path.resolve('dist', 'cli.js'), 'mcp', '--no-ask', '--tools', 'all']);
    const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } };
    await lines.ask({ jsonrpc: '2.0', id: ++this.id, method: 'initialize', params: client });
    lines.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async remember(content: string): Promise<StoredFact | undefined> {
    return storedFactOf((await this.call('remember', { content, gate: 'epistemic' })).outcomes);
  }

  async recall(
    query: string,
    { scope }: StoreView,
    mode: 'fast' | 'fresh',
  ): Promise<readonly Pick<ListedMemory, 'content'>[]> {
    const { memories } = await this.call('recall', { query, scope, mode });
    return (memories as readonly { readonly text: string }[]).map(it => ({ content: it.text }));
  }

  async change(what: 'pin' | 'forget', id: string): Promise<void> {
    await this.call(what, { id });
  }

  async callOther(id: string, draw: number): Promise<void> {
    await this.call(
      ...pick<[string, object]>(draw, [
        ['feedback', { id, useful: true }],
        ['revise', { id, questions: ['Which berth is meant?'] }],
        ['list', { limit: 50 }],
        ['context', { task: 'Look after the berths' }],
        ['conflicts', {}],
        // Without a person to ask, it leaves a request.
        ['forget', { id }],
      ]),
    );
  }

  private async call(name: string, input: object): Promise<Json> {
    const params = { name, arguments: input };
    const { result } = (await this.lines!.ask({ jsonrpc: '2.0', id: ++this.id, method: 'tools/call', params })) as {
      readonly result?: {
        readonly isError?: boolean;
        readonly content: { readonly text: string }[];
        readonly structuredContent?: Json;
      };
    };
    if (result?.structuredContent === undefined || result.isError === true)
      throw new CallFailedError(result?.content[0]?.text ?? 'a protocol error');
    return result.structuredContent;
  }
}

/** `recollect …`, a process for each call. */
export class CliActor implements Actor {
  readonly kind = 'cli';
  readonly hasSets = true;
  private child: ChildProcess | undefined;

  constructor(private readonly place: ActorFolders) {}

  start(): Promise<void> {
    return Promise.resolve();
  }

  async remember(content: string, { set }: StoreView, store: 'project' | 'global'): Promise<StoredFact | undefined> {
    const { outcomes } = (await this.run('remember', content, '--whole', '--store', store, ...setOf(set))) as Json;
    return storedFactOf(outcomes);
  }

  async recall(query: string, { set, scope }: StoreView, mode: 'fast' | 'fresh'): Promise<readonly ListedMemory[]> {
    const fresh = mode === 'fresh' ? ['--fresh'] : [];
    const { hits } = (await this.run('recall', query, '--scope', scope, ...setOf(set), ...fresh)) as {
      readonly hits: { readonly memory: ListedMemory }[];
    };
    return hits.map(it => it.memory);
  }

  async change(what: 'pin' | 'forget', id: string): Promise<void> {
    await this.run(what, id);
  }

  async callOther(id: string, draw: number): Promise<void> {
    await this.run(
      ...pick(draw, [
        ['show', id],
        ['list'],
        ['metrics'],
        ['maintain'],
        ['conflicts'],
        ['verify'],
        ['clients'],
        ['status'],
      ]),
    );
  }

  kill(): boolean {
    return this.child?.kill('SIGKILL') ?? false;
  }

  end(): Promise<void> {
    return Promise.resolve();
  }

  /** The JSON output; undefined when the process was killed before its end. */
  run(...args: readonly string[]): Promise<unknown> {
    const { dataDir, folder, home } = this.place;
    const child = spawn(process.execPath, [path.resolve('dist', 'cli.js'), ...args, '--json'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (it: string) => (out += it));
    child.stderr.setEncoding('utf8').on('data', (it: string) => (err += it));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.child = undefined;
        // A result that was printed whole was acknowledged, whatever became of the process then.
        if (out.endsWith('\n')) resolve(JSON.parse(out));
        else reject(signal === null ? new CallFailedError(`${code}: ${err}`) : new ProcessExitedError());
      });
    });
  }
}

const pick = <T>(draw: number, list: readonly T[]): T => list[Math.floor(draw * list.length)]!;

const setOf = (set: string): readonly string[] => (set === '' ? [] : ['--scope-id', set]);
function unwrapAnswer({ value, error, message }: Json): unknown {
  if (error !== undefined) throw new CallFailedError(`${error as string}: ${message as string}`);
  return value;
}

/** Undefined where it was taken for something that is known. */
function storedFactOf(outcomes: unknown): StoredFact | undefined {
  const [it] = outcomes as { readonly outcome: string; readonly id: string; readonly content: string }[];
  if (it?.outcome === 'refused') throw new CallFailedError('refused');
  return it?.outcome === 'stored' ? it : undefined;
}
