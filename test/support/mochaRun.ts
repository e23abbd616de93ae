import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

/** What a stage leaves behind; `stages.mjs` believes nothing else. */
export interface StageResults {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly TestFailure[];
}

export interface TestFailure {
  /** With the titles around it. */
  readonly title: string;
  readonly message: string;
}

/**
 * Runs every `*.test.js` below a folder and writes the counts to RECOLLECT_TEST_RESULTS. RECOLLECT_TEST_FILES (a part
 * of the path) and RECOLLECT_TEST_GREP (a part of the title) narrow it.
 * @returns the number of failures
 */
export async function runFolder(folder: string, limitMs: number): Promise<number> {
  const mocha = new Mocha({ reporter: CountingReporter, timeout: limitMs, forbidOnly: true, color: false });
  const report = process.env.RECOLLECT_TEST_REPORT;
  // The console of an extension host ends in the window; whoever started the run reads this file instead.
  if (report !== undefined) {
    Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => {
      appendFileSync(report, `${format(...parts)}\n`);
    };
  }
  const grep = process.env.RECOLLECT_TEST_GREP;
  if (grep !== undefined) mocha.fgrep(grep);
  for (const file of testFiles(folder)) mocha.addFile(file);
  return new Promise(resolve => {
    mocha.run(resolve);
  });
}

/** Prints as `spec` does and leaves the counts in a file. */
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

function testFiles(folder: string): string[] {
  const part = process.env.RECOLLECT_TEST_FILES ?? '';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(it => it.endsWith('.test.js') && it.includes(part))
    .sort()
    .map(it => join(folder, it));
}
