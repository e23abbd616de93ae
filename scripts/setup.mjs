import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runOrThrow, logStep } from './commandLine.mjs';
import { projectRoot } from './paths.mjs';

/** Installs the packages of package-lock.json unless they are current. Runs before any package can be imported. */
export async function ensureDependencies() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    throw new Error(`Node 20.19 or newer is needed; this is ${process.version}.`);
  if (areDependenciesCurrent()) return;
  logStep('Installing packages (the database driver is compiled: about a minute)');
  // npm before 11 ignores `allowScripts`; this prevents the download of onnxruntime-node there, too.
  await runOrThrow('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=warn'], {
    cwd: projectRoot,
    environment: { ONNXRUNTIME_NODE_INSTALL: 'skip' },
  });
}

/** @param {readonly string[]} flags of esbuild.mjs */
export async function build(...flags) {
  logStep('Building');
  await runOrThrow(process.execPath, ['esbuild.mjs', ...flags], { cwd: projectRoot });
}

function areDependenciesCurrent() {
  // npm writes this file last, so it is missing after an interrupted install.
  const installed = join(projectRoot, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  return statSync(installed).mtimeMs >= statSync(join(projectRoot, 'package-lock.json')).mtimeMs;
}
