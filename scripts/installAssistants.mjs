// Programs that the tests of test/clients drive. They are test tools: never shipped, and in no list of dependencies.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, run, logStep } from './commandLine.mjs';
import { cacheFolder } from './paths.mjs';

/**
 * The versions that were seen to work; a newer one may speak to its model in another way. Each package is the one with the
 * program for this platform: its parent names it as optional, and npm installs the parent alone when the download fails.
 */
const programs = {
  claude: { package: '@anthropic-ai/claude-code-linux-x64', version: '2.1.332', program: 'claude' },
  codex: {
    package: '@openai/codex',
    version: '0.169.0-linux-x64',
    program: 'vendor/x86_64-unknown-linux-musl/bin/codex',
  },
  copilot: { package: '@github/copilot-linux-x64', version: '1.0.102', program: 'copilot' },
  opencode: { package: 'opencode-linux-x64', version: '1.18.33', program: 'bin/opencode' },
  // Of one bundle for all platforms, which Node runs.
  gemini: { package: '@google/gemini-cli', version: '0.61.0', program: 'bundle/gemini.js' },
};
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
/** A download that breaks off is begun again by npm, with longer pauses each time. */
const patient = ['--fetch-retries=5', '--fetch-retry-maxtimeout=60000', '--prefer-offline'];

/**
 * The real assistants, installed into the cache folder on first use (about 1.3 GB).
 * @returns {Promise<Record<keyof typeof programs, string> | string>} paths of the programs, or why there are none
 */
export async function ensureAssistants() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `the assistants are driven on Linux (x64) only, and this is ${process.platform} (${process.arch})`;
  }
  const versions = Object.values(programs).map(it => it.version);
  const folder = join(cacheFolder, `assistants-${versions.join('-')}`);
  if (!existsSync(folder) && !(await installInto(folder))) {
    return 'the assistants could not be installed: the network or the disk is not there';
  }
  return programPaths(folder);
}

/** @param {string} folder @returns {Record<keyof typeof programs, string>} */
function programPaths(folder) {
  const paths = Object.entries(programs).map(([name, it]) => [
    name,
    join(folder, 'node_modules', it.package, it.program),
  ]);
  return Object.fromEntries(paths);
}

/**
 * Fills a folder of its own and renames it at the end: an interrupted fill is never used.
 * @param {string} folder
 */
async function installInto(folder) {
  logStep(
    'Fetching Claude Code, Codex, Copilot CLI, opencode and Gemini CLI, once for this machine (1.3 GB on disk, half a minute)',
  );
  mkdirSync(cacheFolder, { recursive: true });
  for (const name of readdirSync(cacheFolder).filter(it => it.startsWith('assistants-filling-'))) {
    if (!isAlive(Number(name.split('-').at(-1)))) rmSync(join(cacheFolder, name), { recursive: true, force: true });
  }
  const filling = join(cacheFolder, `assistants-filling-${process.pid}`);
  mkdirSync(filling, { recursive: true });
  try {
    writeFileSync(join(filling, 'package.json'), '{ "private": true }');
    const packages = Object.values(programs).map(it => `${it.package}@${it.version}`);
    console.log(`  npm install ${packages.join(' ')}`);
    if ((await run('npm', ['install', ...quiet, ...patient, ...packages], { cwd: filling })) !== 0) return false;
    if (!Object.values(programPaths(filling)).every(it => existsSync(it))) return false;
    if (!existsSync(folder)) renameSync(filling, folder);
    return true;
  } finally {
    rmSync(filling, { recursive: true, force: true });
  }
}
