import { execFile, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureWebHost } from './installWebHost.mjs';

/** Anyone's settings for a calm window: nothing asks the network, nothing opens by itself. */
export const calmSettings = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'chat.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'git.autofetch': false,
  // The theme is the one of `workbench.colorTheme`, not the browser's.
  'window.autoDetectColorScheme': false,
};

/** Ends the wait for a server that hangs. */
const startTimeoutMs = 300_000;
/** Long enough for `deactivate` to drain its writes on a busy machine. */
const stopTimeoutMs = 30_000;
/** What a surrounding VS Code or code-server would otherwise pass down, and the user's own memory. */
const excludedEnvironment = /^(VSCODE_|ELECTRON_|CODE_SERVER_|XDG_|RECOLLECT_HOME$|PORT$|PASSWORD$|HASHED_PASSWORD$)/;

/** @typedef {{ origin: string, authority: string, stop: () => Promise<void> }} WebHost */

/**
 * Starts VS Code for the browser on this machine alone.
 * @param {object} options
 * @param {string} options.storage the folder of everything that it keeps: user data, extensions, home
 * @param {number} [options.port] a free one when not given
 * @param {Record<string, unknown>} [options.settings] on top of `calmSettings`; not given: the user's are left alone
 * @param {Record<string, string>} [options.environment]
 * @param {readonly string[]} [options.flags]
 * @returns {Promise<WebHost>}
 */
export async function startWebHost({ storage, port, settings, environment = {}, flags = [] }) {
  const { node, entry } = await ensureWebHost();
  const usedPort = port ?? (await freePort());
  if (settings !== undefined) writeSettings(storage, settings);
  const authority = `127.0.0.1:${usedPort}`;
  const args = [
    ...[entry, '--bind-addr', authority, '--auth', 'none', '--ignore-last-opened'],
    ...['--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'],
    ...['--disable-getting-started-override', ...folderFlags(storage), ...flags],
  ];
  mkdirSync(join(storage, 'home'), { recursive: true });
  const child = spawn(node, args, {
    // Its own process group, so that its extension hosts and language servers can be stopped with it.
    detached: true,
    cwd: storage,
    env: { ...hostEnvironment(storage), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(join(storage, 'server.log'), { flags: 'a' });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const stop = createStopper(child);
  try {
    await waitUntilHealthy(`http://${authority}/healthz`, child, join(storage, 'server.log'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { origin: `http://${authority}`, authority, stop };
}

/**
 * Installs a VSIX into a storage folder, as a person does with `code --install-extension`.
 * @param {string} storage
 * @param {string} vsix
 */
export async function installExtension(storage, vsix) {
  const { node, entry } = await ensureWebHost();
  mkdirSync(join(storage, 'home'), { recursive: true });
  await promisify(execFile)(node, [entry, '--install-extension', vsix, '--force', ...folderFlags(storage)], {
    cwd: storage,
    env: hostEnvironment(storage),
  });
}

/**
 * The address of a workbench window.
 * @param {WebHost} host
 * @param {string} folder the workspace's path
 * @param {readonly (readonly [string, string])[]} [payload] the workbench's own start options
 */
export function windowAddress(host, folder, payload = []) {
  const query = new URLSearchParams({ [folder.endsWith('.code-workspace') ? 'workspace' : 'folder']: folder });
  if (payload.length > 0) query.set('payload', JSON.stringify(payload));
  return `${host.origin}/?${query}`;
}

/** A free port of the loopback interface. @param {number} [preferredPort] taken when it is free @returns {Promise<number>} */
export function freePort(preferredPort = 0) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', error => {
      if (preferredPort === 0) reject(error);
      else resolve(freePort());
    });
    server.listen(preferredPort, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(address !== null && typeof address === 'object' ? address.port : 0);
      });
    });
  });
}

/** @param {string} storage @param {Record<string, unknown>} settings */
function writeSettings(storage, settings) {
  const file = join(storage, 'user-data', 'User', 'settings.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...calmSettings, ...settings }, undefined, 2));
}

/** @param {string} storage */
function folderFlags(storage) {
  return ['--user-data-dir', join(storage, 'user-data'), '--extensions-dir', join(storage, 'extensions')];
}

/** @param {string} storage @returns {Record<string, string>} */
function hostEnvironment(storage) {
  const home = join(storage, 'home');
  const kept = Object.entries(process.env).filter(([name]) => !excludedEnvironment.test(name));
  return {
    .../** @type {Record<string, string>} */ (Object.fromEntries(kept)),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
  };
}

/** @param {string} address @param {import('node:child_process').ChildProcess} child @param {string} log */
async function waitUntilHealthy(address, child, log) {
  const end = Date.now() + startTimeoutMs;
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Error(`The web host ended at once; its log is ${log}.`);
    const answer = await fetch(address).catch(() => undefined);
    if (answer?.ok === true) return;
    await pause(100);
  }
  throw new Error(`The web host did not answer within ${startTimeoutMs / 1000} s; its log is ${log}.`);
}

/**
 * Stops the whole process group: the leader is asked first, so that it can end its extension hosts in order, then
 * everybody is asked, then everybody is killed. Also when this process itself ends early.
 * @param {import('node:child_process').ChildProcess} child
 */
function createStopper(child) {
  const group = child.pid;
  if (group === undefined) throw new Error('The web host could not be started.');
  const killAtExit = () => {
    signal(-group, 'SIGKILL');
  };
  process.once('exit', killAtExit);
  return async () => {
    signal(group, 'SIGTERM');
    if (!(await waitForGroupEnd(group))) signal(-group, 'SIGTERM');
    if (!(await waitForGroupEnd(group))) signal(-group, 'SIGKILL');
    await waitForGroupEnd(group);
    process.removeListener('exit', killAtExit);
  };
}

/** @param {number} group */
async function waitForGroupEnd(group) {
  const end = Date.now() + stopTimeoutMs;
  while (Date.now() < end) {
    if (!signal(-group, 0)) return true;
    await pause(50);
  }
  return false;
}

/** @param {number} target @param {NodeJS.Signals | 0} name @returns {boolean} whether a process got it */
function signal(target, name) {
  try {
    return process.kill(target, name);
  } catch {
    return false;
  }
}
