import { join } from 'node:path';
import { runFolder } from '../support/mochaRun.js';

/** Ends a test that hangs. */
const testTimeoutMs = 120_000;

/** Entry point that VS Code calls in its extension host. A rejection becomes exit code 1. */
export async function run(): Promise<void> {
  const failures = await runFolder(join(__dirname, 'api'), testTimeoutMs);
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}
