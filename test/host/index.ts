import { join } from 'node:path';
import { runFolder } from '../support/mochaRun.js';

const limitMs = 20_000;

/** Called by VS Code in its extension host. A rejection sets the exit code 1. */
export async function run(): Promise<void> {
  const failures = await runFolder(join(__dirname, 'api'), limitMs);
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}
