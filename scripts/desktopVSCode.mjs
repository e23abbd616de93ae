import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programOnPath, logStep, withTimeout } from './commandLine.mjs';
import { cacheFolder, projectRoot } from './paths.mjs';

const downloadTimeoutMs = 600_000;

/**
 * The program of a desktop VS Code: the one of VSCODE_PATH, of `code` on PATH, or one that @vscode/test-electron
 * fetches. Undefined where there is no display or none can be had.
 * @returns {Promise<string | undefined>}
 */
export async function findDesktopVSCode() {
  const configuredPath = process.env.VSCODE_PATH;
  if (configuredPath !== undefined && !existsSync(configuredPath))
    throw new Error(`VSCODE_PATH names ${configuredPath}, which does not exist.`);
  if (!hasDisplay()) return undefined;
  const installed = configuredPath ?? programOnPath(['code']);
  if (installed !== undefined) return resolveExecutable(installed);
  return fetchDesktopVSCode().catch(error => {
    console.log(`  No desktop VS Code could be fetched (${String(error)}); taking the web host.`);
    return undefined;
  });
}

/** @returns {Promise<string>} the program of a VS Code of the cache, fetched on first use */
export async function fetchDesktopVSCode() {
  logStep('Looking for a desktop VS Code to fetch');
  const { downloadAndUnzipVSCode, SilentReporter } = await import('@vscode/test-electron');
  const fetching = downloadAndUnzipVSCode({
    cachePath: join(cacheFolder, 'desktop'),
    extensionDevelopmentPath: projectRoot,
    reporter: new SilentReporter(),
    timeout: 60_000,
  });
  return withTimeout(fetching, downloadTimeoutMs, 'The download');
}

/** Whether a window can be shown here. */
export function hasDisplay() {
  if (process.platform !== 'linux') return true;
  return process.env.DISPLAY !== undefined || process.env.WAYLAND_DISPLAY !== undefined;
}

/**
 * Flags that every desktop window of ours is started with.
 * @param {string} storage
 */
export function desktopFlags(storage) {
  return [
    ...['--user-data-dir', join(storage, 'user-data'), '--extensions-dir', join(storage, 'extensions')],
    ...['--disable-workspace-trust', '--disable-updates', '--disable-telemetry', '--skip-welcome'],
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}

/** `code` is a script that starts the real program and ends; the program itself can be waited for. @param {string} command */
function resolveExecutable(command) {
  const folder = dirname(realpathSync(command));
  const candidates = [
    join(folder, '..', 'code'),
    join(folder, '..', 'Code.exe'),
    join(folder, '..', '..', '..', 'MacOS', 'Electron'),
    join(folder, '..', '..', '..', 'MacOS', 'Code'),
  ];
  return candidates.find(it => existsSync(it)) ?? command;
}
