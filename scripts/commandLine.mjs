import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';

/** Prints the current step: set-up takes minutes on a new machine and would look like a hang. @param {string} text */
export function logStep(text) {
  console.log(`\n▸ ${text}`);
}

/**
 * Parses the command line. A usage error prints one sentence and exits with code 2.
 * @template {import('node:util').ParseArgsConfig} Config
 * @param {string} usage
 * @param {Config} config
 */
export function readArguments(usage, config) {
  try {
    return parseArgs(config);
  } catch (error) {
    // The following sentences of Node advise on positionals that start with a dash.
    console.error(`${/** @type {Error} */ (error).message.split('. ', 1)[0]}. Usage: ${usage}`);
    process.exit(2);
  }
}

/** @typedef {{ cwd?: string, environment?: Record<string, string | undefined> }} RunOptions `environment` is on top of ours, and undefined removes */

/**
 * Runs a program to its end and passes its output through.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<number>} its exit code; 1 when a signal ended it
 */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.environment },
      stdio: 'inherit',
      shell: needsShell(program),
    });
    const endChild = () => child.kill();
    process.once('exit', endChild);
    child.on('error', reject);
    child.on('close', code => {
      process.removeListener('exit', endChild);
      resolve(code ?? 1);
    });
  });
}

/**
 * Runs Node to its end and writes what it prints into a file.
 * @param {readonly string[]} args
 * @param {{ cwd?: string, environment?: Record<string, string | undefined>, output: string }} options `output` is the file
 * @returns {Promise<number>} its exit code; 1 when a signal ended it or it could not be started
 */
export function runNodeToFile(args, { cwd, environment, output }) {
  const file = openSync(output, 'w');
  return new Promise(resolve => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const endChild = () => child.kill();
    process.once('exit', endChild);
    /** @param {number | null} [code] */
    const end = code => {
      process.removeListener('exit', endChild);
      resolve(code ?? 1);
    };
    child.on('error', () => {
      end();
    });
    child.on('close', end);
  });
}

/**
 * Runs a program and throws when it fails.
 * @type {(...parameters: Parameters<typeof run>) => Promise<void>}
 */
export async function runOrThrow(program, args, options) {
  const code = await run(program, args, options);
  if (code !== 0) throw new Error(`\`${program} ${args.join(' ')}\` ended with exit code ${code}.`);
}

/** The output of a short command, or undefined when it failed. @param {string} program @param {readonly string[]} args */
export function captureOutput(program, args) {
  const result = spawnSync(program, args, { encoding: 'utf8', shell: needsShell(program) });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** The full path of the first of these programs that is on PATH. @param {readonly string[]} names */
export function programOnPath(names) {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const found = endings.map(it => join(folder, name + it)).find(it => existsSync(it));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/**
 * Rejects when a promise does not settle in time.
 * @template T
 * @param {Promise<T>} promise
 * @param {number} timeoutMs
 * @param {string} description names the work in the error
 * @returns {Promise<T>}
 */
export async function withTimeout(promise, timeoutMs, description) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const timeout = new Promise((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${description} was not done after ${timeoutMs / 1000} s.`));
    }, timeoutMs);
  });
  try {
    return await /** @type {Promise<T>} */ (Promise.race([promise, timeout]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Stops this program in order on Ctrl+C. npm forwards the signal of the terminal, so it arrives twice.
 * @param {() => Promise<void>} stop
 */
export function stopOnSignal(stop) {
  /** @type {Promise<void> | undefined} */
  let stopping;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      stopping ??= stop().finally(() => process.exit(signal === 'SIGINT' ? 0 : 1));
    });
  }
}

/** Runs the `exit` handlers also on a signal; they end the child processes. */
export function exitOnSignal() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
}

/** Whether a process with this id exists. @param {number} pid */
export function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** npm and code are batch files on Windows, which only a shell can start. @param {string} program */
function needsShell(program) {
  return process.platform === 'win32' && !program.endsWith('.exe');
}
