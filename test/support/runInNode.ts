// Runs the tests of one folder in plain Node: `node out/test/support/plainRun.js unit`.
import { join } from 'node:path';
import { exitOnSignal } from '../../scripts/commandLine.mjs';
import { runTestFolder } from './runMocha.js';

/** Ends a test that hangs. No test has a limit of its own: on a busy machine it may take many times as long as usual. */
const testTimeoutMs = 300_000;

exitOnSignal();
const stage = process.argv[2] ?? 'unit';
const folder = stage === 'ui' ? join('host', 'ui') : stage;

void runTestFolder(join(__dirname, '..', folder), testTimeoutMs).then(failures => {
  // Exits explicitly: a handle that a test left open must not keep the run alive.
  process.exit(failures > 0 ? 1 : 0);
});
