import { fork } from 'node:child_process';
import path from 'node:path';
import type { SpeedTask, SpeedResult } from './speedWorker.js';

/** Runs one part in a child process. @param folder of the store to fill or query */
export function runSpeedWorker(part: SpeedTask, folder: string, count: number): Promise<SpeedResult> {
  return new Promise((resolve, reject) => {
    const program = path.resolve('out/test/bench/kit/speedWorker.js');
    const child = fork(program, [part, folder, String(count)], { execArgv: ['--expose-gc', '--enable-source-maps'] });
    let result: SpeedResult | undefined;
    child.on('message', it => {
      result = it as SpeedResult;
    });
    child.on('error', reject);
    child.on('close', code => {
      if (result !== undefined && code === 0) resolve(result);
      else reject(new Error(`The measurement ${part} of ${count} ended with exit code ${code}.`));
    });
  });
}
