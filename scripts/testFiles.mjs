import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

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
      const ended = await runCaptured(args, {
        ...environment,
        RECOLLECT_TEST_FILES: name,
        RECOLLECT_TEST_RESULTS: counts,
      });
      code ||= ended;
      addCounts(all, readCounts(counts, name, ended));
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
  writeFileSync(results, JSON.stringify(all));
  return code;
}

/**
 * @param {readonly string[]} args
 * @param {Record<string, string>} environment
 * @returns {Promise<number>} the exit code; 1 when a signal ended it
 */
function runCaptured(args, environment) {
  const file = `${environment.RECOLLECT_TEST_RESULTS}.log`;
  rmSync(String(environment.RECOLLECT_TEST_RESULTS), { force: true });
  const output = openSync(file, 'w');
  return new Promise(resolve => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const endChild = () => child.kill();
    process.once('exit', endChild);
    /** @param {number | null} code */
    const end = code => {
      process.removeListener('exit', endChild);
      process.stdout.write(readFileSync(file, 'utf8'));
      resolve(code ?? 1);
    };
    child.on('error', () => {
      end(1);
    });
    child.on('close', end);
  });
}

/** @typedef {{ passed: number, failed: number, skipped: number, failures: object[] }} Counts */

/**
 * @param {string} file
 * @param {string} name
 * @param {number} code
 * @returns {Counts}
 */
function readCounts(file, name, code) {
  const counts = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, failed: 0, skipped: 0, failures: [] };
  if (code === 0 || counts.failed > 0) return counts;
  const message = `ended with exit code ${code} before all of its tests had`;
  return { ...counts, failed: 1, failures: [{ title: name, message }] };
}

/** @param {Counts} all @param {Counts} more */
function addCounts(all, more) {
  all.passed += more.passed;
  all.failed += more.failed;
  all.skipped += more.skipped;
  all.failures.push(...more.failures);
}
