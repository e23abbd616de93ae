// An engine in a child process: `node child.js FILE`, where FILE holds a ChildPlan. Prints one ChildAnswer per line.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { prewarmSearch } from '../../src/engine/search/prewarmSearch.js';
import { EngineError } from '../../src/engine/base/errors.js';
import { openEngine, type MemoryEngine } from '../../src/engine/engine.js';
import type { EngineProcessAnswer, EngineProcessPlan } from './spawnEngineProcess.js';
import { bundlePaths } from './bundlePaths.js';
import { staticConfig } from './staticConfig.js';

const plan = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as EngineProcessPlan;

function answer(it: EngineProcessAnswer): void {
  process.stdout.write(`${JSON.stringify(it)}\n`);
}

async function reportResult(work: () => Promise<unknown>): Promise<boolean> {
  try {
    answer({ value: (await work()) ?? null });
    return true;
  } catch (error) {
    answer({ error: EngineError.is(error) ? error.code : 'not an EngineError', message: String(error) });
    return false;
  }
}

async function main(): Promise<void> {
  if (plan.startAt !== undefined) while (Date.now() < plan.startAt); // Synchronizes the start of several children.
  let engine: MemoryEngine | undefined;
  const opened = await reportResult(async () => {
    engine = await openEngine(
      {
        ...bundlePaths,
        dataDir: plan.dataDir,
        workspaceFolders: plan.folders ?? [],
        client: plan.client ?? 'child',
        config: () => ({ ...staticConfig, ...plan.config }),
        now: () => new Date(),
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      },
      // As in the extension host.
      { searchWorker: plan.live === true ? prewarmSearch(bundlePaths) : undefined },
    );
    return { notices: engine.notices };
  });
  if (!opened || engine === undefined) return;
  type Methods = Record<string, (...args: readonly unknown[]) => Promise<unknown>>;
  const makeCall = ([name, ...args]: EngineProcessPlan['calls'][number]): Promise<boolean> => {
    // Resolves methods of a part of the engine, such as `checkpoints.make`.
    const path = name.split('.');
    const part = path.slice(0, -1).reduce<unknown>((it, key) => (it as Record<string, unknown>)[key], engine);
    return reportResult(() => (part as Methods)[path.at(-1)!]!(...args));
  };
  for (const it of plan.calls) await makeCall(it);
  if (plan.live === true) {
    for await (const line of createInterface({ input: process.stdin }))
      await makeCall(JSON.parse(line) as EngineProcessPlan['calls'][number]);
  }
  await reportResult(() => engine!.close());
}

void main();
