import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logStep, run, runNodeToFile } from './commandLine.mjs';
import { runInExtensionHost } from './runInExtensionHost.mjs';
import { packageExtension, packageTestModelExtension } from './packageExtension.mjs';
import { projectRoot } from './paths.mjs';
import { ensureWebHost } from './installWebHost.mjs';
import { ensureAssistants } from './installAssistants.mjs';
import { ensurePostgres } from './installPostgres.mjs';
import { runFilesAtOnce } from './testFiles.mjs';

/** @typedef {{ title: string, message: string }} TestFailure */
/** @typedef {{ name: string, passed: number, failed: number, skipped: number, failures?: TestFailure[], note?: string, leftOut?: boolean }} StageCount `leftOut`: cannot be run on this machine, and `note` says why */
/** @typedef {{ files?: string, grep?: string, where: 'any' | 'desktop' | 'web' }} Choice selected tests and their host */

/** @type {Promise<Record<string, string>> | undefined} what stages with windows share */
let windows;
const resultsFolder = join(projectRoot, 'out', 'results');
/** In the titles of the tests of the stage `postgres` that need no server of its own. */
const onPglite = 'in PGlite';
/** Set for a stage that `runBeside` starts: what `prepareWindows` returned, as JSON. */
const preparedVariable = 'RECOLLECT_TEST_PREPARED';

/**
 * Runs a script that passes with exit code 0.
 * @param {string} name
 * @param {string} script of package.json
 * @returns {Promise<StageCount>}
 */
export async function runCheck(name, script) {
  logStep(`Checking ${name}`);
  const passed = (await run('npm', ['run', '--silent', script], { cwd: projectRoot })) === 0;
  return { name, passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 };
}

/**
 * Runs one folder of tests. It passes only with exit code 0 and the counts of at least one test.
 * @param {string} name one of `testStages`
 * @param {Choice} choice
 * @returns {Promise<StageCount>}
 */
export async function runTestStage(name, choice) {
  const results = join(resultsFolder, `${name}.json`);
  mkdirSync(resultsFolder, { recursive: true });
  rmSync(results, { force: true });
  try {
    const assistants = name === 'clients' ? await ensureAssistants() : undefined;
    if (name === 'postgres') {
      const missing = await ensurePostgres();
      if (missing !== undefined) return runWithoutPostgres(choice, results, missing);
    }
    if (typeof assistants === 'string') return leftOutStage(name, assistants);
    const environment = {
      ...environmentOf(choice, results),
      ...(typeof assistants !== 'object' ? {} : { RECOLLECT_TEST_ASSISTANTS: JSON.stringify(assistants) }),
    };
    const code = await runTests(name, choice, environment);
    return readStageResult(name, code, results);
  } catch (error) {
    return failedStage(name, error instanceof Error ? error.message : String(error));
  }
}

/**
 * What needs no server but PGlite, which is a package. On CI of Linux, where a server can always be had, that is a failure.
 * @param {Choice} choice @param {string} results @param {string} missing @returns {Promise<StageCount>}
 */
async function runWithoutPostgres(choice, results, missing) {
  const note = `left out, but for PGlite: ${missing}`;
  if (process.env.CI !== undefined && process.platform === 'linux') return failedStage('postgres', note);
  if (process.platform === 'win32' || choice.files !== undefined || choice.grep !== undefined)
    return leftOutStage('postgres', missing);
  const code = await runTests('postgres', choice, environmentOf({ ...choice, grep: onPglite }, results));
  return { ...readStageResult('postgres', code, results), note, leftOut: true };
}

/** @param {string} name @param {string} missing why it cannot be run on this machine @returns {StageCount} */
function leftOutStage(name, missing) {
  return { name, passed: 0, failed: 0, skipped: 0, note: `not run: ${missing}`, leftOut: true };
}

/** @param {string} name @param {Choice} choice @param {Record<string, string>} environment @returns {Promise<number>} */
async function runTests(name, choice, environment) {
  if (name === 'host') return runInExtensionHost({ environment, where: choice.where });
  const more = ['ui', 'clients'].includes(name) ? await (windows ??= prepareWindows()) : {};
  logStep(`Running ${name} tests`);
  const entry = join(projectRoot, 'out', 'test', 'support', 'runInNode.js');
  const args = ['--enable-source-maps', entry, name];
  const files = name === 'ui' ? listWindowTests(choice.files) : [];
  if (files.length > 1) return runFilesAtOnce(files, args, { ...environment, ...more });
  return run(process.execPath, args, { environment: { ...environment, ...more } });
}

/** @param {string} [part] of a file's name */
function listWindowTests(part = '') {
  const folder = join(projectRoot, 'out', 'test', 'host', 'ui');
  const names = readdirSync(folder).filter(it => it.endsWith('.test.js') && it.includes(part));
  return names.map(it => join(folder, it));
}

/**
 * Starts stages one after the other in processes of their own, whose output is kept.
 * @param {readonly string[]} names
 * @param {() => Promise<Record<string, string>>} [prepare] what they need, built before this returns
 * @returns {Promise<() => Promise<StageCount[]>>} waits for them, and prints what they printed
 */
export async function runBeside(names, prepare = () => Promise.resolve({})) {
  mkdirSync(resultsFolder, { recursive: true });
  /** @type {Record<string, string>} */
  let prepared;
  try {
    prepared = await prepare();
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    return () => Promise.resolve(names.map(it => failedStage(it, note)));
  }
  const started = (async () => {
    for (const name of names) await runCaptured(name, prepared);
  })();
  return async () => {
    logStep(`Waiting for ${names.join(', ')}`);
    await started;
    return names.map(name => {
      process.stdout.write(readFileSync(outputFile(name), 'utf8'));
      return readCount(name);
    });
  };
}

/** @param {string} name @param {Record<string, string>} prepared @returns {Promise<void>} */
async function runCaptured(name, prepared) {
  rmSync(countFile(name), { force: true });
  await runNodeToFile([join('scripts', 'runTests.mjs'), name], {
    cwd: projectRoot,
    environment: { [preparedVariable]: JSON.stringify(prepared) },
    output: outputFile(name),
  });
}

/** Whether another run has built everything for this one. */
export function wasPrepared() {
  return process.env[preparedVariable] !== undefined;
}

/** Leaves the counts of a stage to the run that started it. @param {StageCount} count */
export function writeCount(count) {
  writeFileSync(countFile(count.name), JSON.stringify(count));
}

/** @param {string} name @returns {StageCount} */
function readCount(name) {
  if (!existsSync(countFile(name))) return failedStage(name, 'it ended before it had counted');
  return JSON.parse(readFileSync(countFile(name), 'utf8'));
}

/** @param {string} name */
function countFile(name) {
  return join(resultsFolder, `${name}.count.json`);
}

/** @param {string} name */
function outputFile(name) {
  return join(resultsFolder, `${name}.log`);
}

/** Builds the packages that the windows of UI tests install, and returns the environment that names them. */
export async function prepareWindows() {
  const prepared = process.env[preparedVariable];
  if (prepared !== undefined) return /** @type {Record<string, string>} */ (JSON.parse(prepared));
  await ensureWebHost();
  return {
    RECOLLECT_TEST_VSIX: await packageExtension(),
    RECOLLECT_TEST_MODEL_VSIX: await packageTestModelExtension(),
  };
}

/** @param {Choice} choice @param {string} results @returns {Record<string, string>} */
function environmentOf({ files, grep }, results) {
  return {
    RECOLLECT_TEST_RESULTS: results,
    ...(files === undefined ? {} : { RECOLLECT_TEST_FILES: files }),
    ...(grep === undefined ? {} : { RECOLLECT_TEST_GREP: grep }),
  };
}

/** @param {string} name @param {number} code @param {string} results @returns {StageCount} */
function readStageResult(name, code, results) {
  if (!existsSync(results)) return failedStage(name, `no test reported anything (exit code ${code})`);
  const counts = JSON.parse(readFileSync(results, 'utf8'));
  if (counts.passed + counts.failed === 0) return failedStage(name, 'no test was run');
  if (code !== 0 && counts.failed === 0) return failedStage(name, `ended with exit code ${code}`, counts);
  return { name, ...counts };
}

/** @param {string} name @param {string} note @param {{ passed: number, skipped: number }} [counts] @returns {StageCount} */
function failedStage(name, note, counts = { passed: 0, skipped: 0 }) {
  return { name, ...counts, failed: 1, note };
}
