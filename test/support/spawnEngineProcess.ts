import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Config } from '../../src/engine/model/config.js';
import { temporaryFolder } from './fixtures.js';

/** Plan of a child process: opens an engine, calls methods one after another, closes the engine. */
export interface EngineProcessPlan {
  readonly dataDir: string;
  readonly folders?: readonly string[];
  readonly client?: string;
  /** Settings that differ from the defaults. */
  readonly config?: Partial<Config>;
  /** Earliest start, in milliseconds since 1970. */
  readonly startAt?: number;
  readonly calls: readonly (readonly [string, ...unknown[]])[];
  /** Further calls are read from stdin, one per line, until it ends. */
  readonly live?: true;
}

export interface EngineProcessAnswer {
  readonly value?: unknown;
  /** An EngineError's code. */
  readonly error?: string;
  readonly message?: string;
}

export interface EngineProcess {
  readonly process: ChildProcess;
  /** Answers of opening, each call and closing; fewer when the process was killed. */
  readonly answers: Promise<readonly EngineProcessAnswer[]>;
  /** Answers so far. */
  readonly answersSoFar: readonly EngineProcessAnswer[];
}

/** @param options `wrapper` is a shell script that gets the command line of the child as `"$@"` */
export function spawnEngineProcess(
  plan: EngineProcessPlan,
  options: SpawnOptions & { onAnswer?: (count: number) => void; wrapper?: string; input?: 'ignore' | 'pipe' } = {},
): EngineProcess {
  const { onAnswer, wrapper, input = 'ignore', ...rest } = options;
  // A file, because an argument has at most 128 KB.
  const planFile = path.join(temporaryFolder(), 'plan.json');
  writeFileSync(planFile, JSON.stringify(plan));
  chmodSync(path.dirname(planFile), 0o755);
  const command = [process.execPath, path.resolve('out/test/support/engineProcess.js'), planFile];
  const [program, ...args] = wrapper === undefined ? command : ['sh', '-c', wrapper, 'sh', ...command];
  const child = spawn(program!, args, { ...rest, stdio: [input, 'pipe', 'inherit'] });
  const answers: EngineProcessAnswer[] = [];
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', line => {
    answers.push(JSON.parse(line) as EngineProcessAnswer);
    onAnswer?.(answers.length);
  });
  return {
    process: child,
    answersSoFar: answers,
    answers: new Promise((resolve, reject) => {
      child.once('error', reject);
      lines.once('close', () => {
        resolve(answers);
      });
    }),
  };
}

export function runEngineProcess(
  plan: EngineProcessPlan,
  options?: Parameters<typeof spawnEngineProcess>[1],
): Promise<readonly EngineProcessAnswer[]> {
  return spawnEngineProcess(plan, options).answers;
}

/** One run of a plan whose process may have been killed during the second call. */
export interface InterruptedRun {
  readonly answers: readonly EngineProcessAnswer[];
  /** Names the moment in an assertion. */
  readonly moment: string;
}

/**
 * Runs a plan of two calls repeatedly. The first run is undisturbed; the others are killed during the second call, at
 * moments that are spread evenly over the duration of the first run.
 */
export async function* interruptedRuns(plan: EngineProcessPlan, kills: number): AsyncGenerator<InterruptedRun> {
  let [startedAt, durationMs] = [0, 0];
  const undisturbed = await runEngineProcess(plan, {
    onAnswer: count => {
      if (count === 2) startedAt = performance.now();
      if (count === 3) durationMs = performance.now() - startedAt;
    },
  });
  yield { answers: undisturbed, moment: 'undisturbed' };
  for (let i = 0; i < kills; i++) {
    const delayMs = (durationMs * i) / kills;
    const kill = (): boolean => child.process.kill('SIGKILL');
    const child = spawnEngineProcess(plan, {
      onAnswer: count => {
        if (count !== 2) return;
        if (delayMs === 0) kill();
        else setTimeout(kill, delayMs);
      },
    });
    yield { answers: await child.answers, moment: `killed after ${delayMs} ms` };
  }
}

/** A child that makes calls on demand. */
export interface LiveEngineProcess {
  /** Calls a method of the engine. Rejects with the code of an EngineError. */
  call(method: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Closes the engine and waits for the end of the process. */
  end(): Promise<void>;
}

/** Starts a child with its engine open. */
export async function spawnLiveEngineProcess(
  plan: Omit<EngineProcessPlan, 'calls' | 'live'>,
): Promise<LiveEngineProcess> {
  const pendingCalls: ((count: number) => void)[] = [];
  const child = spawnEngineProcess(
    { ...plan, calls: [], live: true },
    { onAnswer: count => pendingCalls.shift()?.(count), input: 'pipe' },
  );
  const nextAnswer = async (): Promise<unknown> => {
    const count = await new Promise<number>(resolve => pendingCalls.push(resolve));
    const { value, error } = child.answersSoFar[count - 1]!;
    if (error !== undefined) throw new Error(error);
    return value;
  };
  await nextAnswer();
  return {
    call: (...call) => {
      child.process.stdin!.write(`${JSON.stringify(call)}\n`);
      return nextAnswer();
    },
    end: async () => {
      child.process.stdin!.end();
      await child.answers;
    },
  };
}
