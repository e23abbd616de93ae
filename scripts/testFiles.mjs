import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { runNodeToFile } from './commandLine.mjs';

/** How many files are run at once: windows wait for most of their time. */
const lanes = 2;

/**
 * Runs each file of tests in a process of its own, the longest first, and prints what it printed once it has ended.
 * @param {readonly string[]} files paths
 * @param {readonly string[]} args of Node, for one file that RECOLLECT_TEST_FILES selects
 * @param {Record<string, string>} environment its RECOLLECT_TEST_RESULTS names the file for the counts of all
 * @returns {Promise<number>} 0, or the exit code of a process that failed
 */
export async function runFilesAtOnce(files, args, environment) {
  const queue = [...files].sort((a, b) => statSync(b).size - statSync(a).size);
  const results = String(environment.RECOLLECT_TEST_RESULTS);
  const all = { passed: 0, failed: 0, skipped: 0, failures: /** @type {object[]} */ ([]) };
  let code = 0;
  const runLane = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const name = basename(file);
      const counts = `${results}.${name}`;
      const output = `${counts}.log`;
      rmSync(counts, { force: true });
      const own = { ...environment, RECOLLECT_TEST_FILES: name, RECOLLECT_TEST_RESULTS: counts };
      const ended = await runNodeToFile(args, { environment: own, output });
      process.stdout.write(readFileSync(output, 'utf8'));
      code ||= ended;
      addCounts(all, readCounts(counts, name, ended));
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
  writeFileSync(results, JSON.stringify(all));
  return code;
}

/** @typedef {{ passed: number, failed: number, skipped: number, failures: object[] }} Counts */

/**
 * @param {string} file
 * @param {string} name
 * @param {number} code
 * @returns {Counts}
 */
function readCounts(file, name, code) {
  /** @type {(message: string, counts?: Counts) => Counts} */
  const failed = (message, counts = { passed: 0, failed: 0, skipped: 0, failures: [] }) => ({
    ...counts,
    failed: 1,
    failures: [{ title: name, message }],
  });
  if (!existsSync(file)) return failed(`reported nothing, with exit code ${code}`);
  const counts = /** @type {Counts} */ (JSON.parse(readFileSync(file, 'utf8')));
  if (code === 0 || counts.failed > 0) return counts;
  return failed(`ended with exit code ${code}`, counts);
}

/** @param {Counts} all @param {Counts} more */
function addCounts(all, more) {
  all.passed += more.passed;
  all.failed += more.failed;
  all.skipped += more.skipped;
  all.failures.push(...more.failures);
}
