import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import fc from 'fast-check';
import Mocha from 'mocha';

/** Results of a stage, the only evidence that `stages.mjs` accepts. */
export interface StageResults {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly TestFailure[];
}

export interface TestFailure {
  /** Full title, with those of the suites. */
  readonly title: string;
  readonly message: string;
}

/**
 * Runs every `*.test.js` below a folder and writes the counts to the file RECOLLECT_TEST_RESULTS. RECOLLECT_TEST_FILES
 * (part of a path) and RECOLLECT_TEST_GREP (part of a title) select tests. Properties are tried on the same inputs each
 * time, so that a change is judged by what it changed; RECOLLECT_TEST_SEED gives others (a number, or `random`).
 * @param timeoutMs limit of each test and hook
 * @returns the number of failures
 */
export async function runTestFolder(folder: string, timeoutMs: number): Promise<number> {
  const mocha = new Mocha({ reporter: CountingReporter, timeout: timeoutMs, forbidOnly: true, color: false });
  const report = process.env.RECOLLECT_TEST_REPORT;
  // The output of an extension host stays in the window, so the runner reads this file instead.
  if (report !== undefined) {
    Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => {
      appendFileSync(report, `${format(...parts)}\n`);
    };
  }
  const grep = process.env.RECOLLECT_TEST_GREP;
  if (grep !== undefined) mocha.fgrep(grep);
  const seed = process.env.RECOLLECT_TEST_SEED ?? '20260302';
  if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
  for (const file of findTestFiles(folder)) mocha.addFile(file);
  return new Promise(resolve => {
    mocha.run(resolve);
  });
}

/** The `spec` reporter, which also writes the counts to a file. */
class CountingReporter extends Mocha.reporters.Spec {
  private readonly failed: TestFailure[] = [];

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test, error) => {
      this.failed.push({ title: test.fullTitle(), message: (error as Error | undefined)?.message ?? '' });
    });
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      this.writeCounts();
    });
  }

  private writeCounts(): void {
    const file = process.env.RECOLLECT_TEST_RESULTS;
    if (file === undefined) return;
    const { passes: passed, failures: failed, pending: skipped } = this.stats;
    const results: StageResults = { passed, failed, skipped, failures: this.failed };
    writeFileSync(file, JSON.stringify(results));
  }
}

function findTestFiles(folder: string): string[] {
  const part = process.env.RECOLLECT_TEST_FILES ?? '';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(it => it.endsWith('.test.js') && it.includes(part))
    .sort()
    .map(it => join(folder, it));
}
