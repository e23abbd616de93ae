import { join } from 'node:path';
import { runFolder } from '../support/mochaRun.js';

const limitMs = 20_000;

/** What VS Code calls in its extension host. A rejection is the exit code 1. */
export async function run(): Promise<void> {
  const failures = await runFolder(join(__dirname, 'api'), limitMs);
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}
