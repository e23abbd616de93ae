// Runs the tests of one folder in plain Node: `node out/test/support/plainRun.js unit`.
import { join } from 'node:path';
import { exitOnSignal } from './command.mjs';
import { runFolder } from './mochaRun.js';

/**
 * Ends a test that hangs; on a busy machine one that works may take ten times as long as usual. A test that drives a
 * window has more to wait for.
 */
const limitMs = { unit: 60_000, mcp: 60_000, ui: 120_000 };

exitOnSignal();
const stage = process.argv[2] ?? 'unit';
const folder = stage === 'ui' ? join('host', 'ui') : stage;

void runFolder(join(__dirname, '..', folder), stage === 'ui' || stage === 'mcp' ? limitMs[stage] : limitMs.unit).then(
  failures => {
    // Not a bare exit code: a handle that a test forgot must not keep the run from ending.
    process.exit(failures > 0 ? 1 : 0);
  },
);
