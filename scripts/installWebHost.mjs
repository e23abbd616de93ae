import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, runOrThrow, logStep } from './commandLine.mjs';
import { cacheFolder } from './paths.mjs';

/** VS Code 1.139.1 with its window served to a browser. */
const codeServerVersion = '4.139.1';
/** code-server 4.139 wants Node 24. This package carries the binary itself, without an install script. */
const nodeVersion = '24.21.0';
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * The web host, installed into the cache folder on first use (about 820 MB).
 * @returns {Promise<{ node: string, entry: string }>}
 */
export async function ensureWebHost() {
  if (process.platform === 'win32') {
    throw new Error('The web host does not run on Windows: install VS Code and put `code` on PATH, or use WSL.');
  }
  const host = join(cacheFolder, `web-host-${codeServerVersion}-${nodeVersion}-${process.platform}-${process.arch}`);
  if (!existsSync(host)) await installInto(host);
  return {
    node: join(host, 'node_modules', nodePackage(), 'bin', 'node'),
    entry: join(host, 'node_modules', 'code-server', 'out', 'node', 'entry.js'),
  };
}

/**
 * Fills a folder of its own and renames it at the end: an interrupted fill is never used, and of two at once the
 * first to finish wins.
 * @param {string} host
 */
async function installInto(host) {
  logStep('Fetching VS Code for the browser, once for this machine (820 MB on disk, about half a minute)');
  mkdirSync(cacheFolder, { recursive: true });
  removeAbandonedInstalls();
  const filling = join(cacheFolder, `filling-${process.pid}`);
  mkdirSync(filling);
  try {
    writeFileSync(join(filling, 'package.json'), '{ "private": true }');
    await install(filling, [`code-server@${codeServerVersion}`, `${nodePackage()}@${nodeVersion}`]);
    const code = join(filling, 'node_modules', 'code-server', 'lib', 'vscode');
    await install(code, ['--omit=dev']);
    await install(join(code, 'extensions'), ['--omit=dev']);
    if (!existsSync(host)) renameSync(filling, host);
  } finally {
    rmSync(filling, { recursive: true, force: true });
  }
}

/** @param {string} cwd @param {readonly string[]} args */
async function install(cwd, args) {
  console.log(`  npm install ${args.join(' ')}`);
  await runOrThrow('npm', ['install', ...quiet, ...args], { cwd });
}

function removeAbandonedInstalls() {
  for (const name of readdirSync(cacheFolder)) {
    const pid = /^filling-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(cacheFolder, name), { recursive: true, force: true });
  }
}

function nodePackage() {
  return `node-${process.platform}-${process.arch}`;
}
