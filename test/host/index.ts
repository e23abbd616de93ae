import { join } from 'node:path';
import { runTestFolder } from '../support/runMocha.js';

/** Ends a test that hangs. */
const testTimeoutMs = 120_000;

/** Called by VS Code in its extension host. A rejection sets the exit code 1. */
export async function run(): Promise<void> {
  const failures = await runTestFolder(join(__dirname, 'api'), testTimeoutMs);
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}
