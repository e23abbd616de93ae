import { fork } from 'node:child_process';
import path from 'node:path';
import type { PartName, PartResult } from './speedPart.js';

/** Runs one part in a child process. @param folder of the store to fill or query */
export function measure(part: PartName, folder: string, count: number): Promise<PartResult> {
  return new Promise((resolve, reject) => {
    const program = path.join(__dirname, 'kit', 'speedPart.js');
    const child = fork(program, [part, folder, String(count)], { execArgv: ['--expose-gc', '--enable-source-maps'] });
    let result: PartResult | undefined;
    child.on('message', it => {
      result = it as PartResult;
    });
    child.on('error', reject);
    child.on('close', code => {
      if (result !== undefined && code === 0) resolve(result);
      else reject(new Error(`The measurement ${part} of ${count} ended with exit code ${code}.`));
    });
  });
}
