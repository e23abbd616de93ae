import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runProcess, type ProcessResult } from '../../support/runProcess.js';

/** The command line's bundle, the only thing of the program that these tests know. */
export const program = path.resolve('dist', 'cli.js');

/**
 * Loaded into each process before the program: its clock begins at RECOLLECT_TEST_CLOCK, and a language model, where it
 * asks one, answers with RECOLLECT_TEST_ANSWER without any network.
 */
const preload = `
const { RECOLLECT_TEST_CLOCK: clock, RECOLLECT_TEST_ANSWER: answer } = process.env;
if (clock !== undefined) {
  const Real = Date;
  const shift = Date.parse(clock) - Real.now();
  globalThis.Date = class Date extends Real {
    constructor(...args) { if (args.length === 0) super(Real.now() + shift); else super(...args); }
    static now() { return Real.now() + shift; }
  };
}
globalThis.fetch = async () => {
  if (answer === undefined) throw new Error('These tests use no network.');
  return new Response(answer, { status: 200, headers: { 'content-type': 'application/json' } });
};
`;

const day = 86_400_000;
const firstMoment = Date.parse('2026-03-02T09:00:00.000Z');

/** A folder that is gone when the tests end. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'recollect-contract-')));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A home, a project and stores of their own, and the command line in them; each call is a minute after the last. */
export class Shell {
  readonly home: string;
  readonly project: string;
  readonly dataDir: string;
  private time = firstMoment;

  /** @param root where all of it lies */
  constructor(private readonly root = temporaryFolder()) {
    process.setMaxListeners(100);
    [this.home, this.project] = [path.join(this.root, 'home'), path.join(this.root, 'harbour')];
    this.dataDir = path.join(this.home, 'memory');
    for (const it of [this.home, path.join(this.project, '.git')]) mkdirSync(it, { recursive: true });
    writeFileSync(path.join(this.root, 'preload.cjs'), preload);
    // What a project is called in the stores comes from here, and so is the same in each run.
    writeFileSync(path.join(this.project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    const config = '[remote "origin"]\n\turl = https://git.example/tides/harbour.git\n';
    writeFileSync(path.join(this.project, '.git', 'config'), config);
  }

  /** The same stores in a data folder of their own, at the same moment; the project folder is another one. */
  copy(): Shell {
    const copied = new Shell();
    cpSync(this.dataDir, copied.dataDir, { recursive: true });
    // Which folder a project is in stands beside its store.
    const record = path.join(copied.dataDir, 'projects', copied.projectKey(), 'project.json');
    if (existsSync(record)) {
      writeFileSync(record, readFileSync(record, 'utf8').replaceAll(this.project, copied.project));
    }
    copied.time = this.time;
    return copied;
  }

  /** Sets the clock. */
  moveTo(moment: string): void {
    this.time = Date.parse(moment);
  }

  pass(days: number): void {
    this.time += days * day;
  }

  get now(): string {
    return new Date(this.time).toISOString();
  }

  environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    this.time += 60_000;
    return {
      RECOLLECT_EMBEDDINGS: 'static',
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      TZ: 'UTC',
      RECOLLECT_HOME: this.dataDir,
      RECOLLECT_TEST_CLOCK: this.now,
      NODE_OPTIONS: `--require ${path.join(this.root, 'preload.cjs')}`,
      ...more,
    };
  }

  run(
    args: string | readonly string[],
    input = '',
    more: Readonly<Record<string, string>> = {},
  ): Promise<ProcessResult> {
    const words = typeof args === 'string' ? args.split(' ').filter(it => it !== '') : args;
    return runProgram(words, { input, cwd: this.project, env: this.environment(more) });
  }

  /** With `--json`: what it answered. */
  async json(args: string | readonly string[], input?: string): Promise<unknown> {
    const words = typeof args === 'string' ? args.split(' ') : args;
    const { code, out, err } = await this.run([...words, '--json'], input);
    if (out === '') throw new Error(`${words.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out);
  }

  /** The database file of the only project, or of what is shared by all. */
  file(store: 'global' | 'project'): string {
    return store === 'global'
      ? path.join(this.dataDir, 'global', 'memory.db')
      : path.join(this.dataDir, 'projects', this.projectKey(), 'memory.db');
  }

  /** The folder of the only project; that of version 0.1.0 where there is none yet. */
  projectKey(): string {
    const folder = path.join(this.dataDir, 'projects');
    return existsSync(folder) ? (readdirSync(folder)[0] ?? oldProjectKey) : oldProjectKey;
  }
}

/** Made of the address of origin above. */
const oldProjectKey = 'harbour-9ed96ea78f51';

export function runProgram(
  args: readonly string[],
  options: { readonly input?: string; readonly cwd: string; readonly env: Record<string, string> },
): Promise<ProcessResult> {
  return runProcess([process.execPath, program, ...args], options);
}
