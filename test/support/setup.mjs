import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, say } from './command.mjs';
import { projectRoot } from './paths.mjs';

/** Installs what package-lock.json names, unless it is there already. Runs before any package can be imported. */
export async function ensurePackages() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Error(`Node 20.19 or newer is needed; this is ${process.version}.`);
  if (packagesAreCurrent()) return;
  say('Installing packages (the database driver is compiled: about a minute)');
  // npm below 11 does not know `allowScripts`; this keeps onnxruntime-node from downloading there as well.
  await mustRun('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=warn'], {
    cwd: projectRoot,
    environment: { ONNXRUNTIME_NODE_INSTALL: 'skip' },
  });
}

/** @param {readonly string[]} flags of esbuild.mjs */
export async function build(...flags) {
  say('Building');
  await mustRun(process.execPath, ['esbuild.mjs', ...flags], { cwd: projectRoot });
}

function packagesAreCurrent() {
  // npm writes this file last, so an interrupted install is never taken for a whole one.
  const installed = join(projectRoot, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  return statSync(installed).mtimeMs >= statSync(join(projectRoot, 'package-lock.json')).mtimeMs;
}
