// Programs that the tests of test/clients drive. They are test tools: never shipped, and in no list of dependencies.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, logStep } from './commandLine.mjs';
import { cacheFolder } from './paths.mjs';

/** The versions that were seen to work; a newer one may speak to its model in another way. */
const versions = { '@anthropic-ai/claude-code': '2.1.332', '@openai/codex': '0.169.0', 'opencode-ai': '1.18.33' };
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * The real assistants, installed into the cache folder on first use (about 1.2 GB).
 * @returns {Promise<{ claude: string, codex: string, opencode: string } | string>} paths of the programs, or why there are none
 */
export async function ensureAssistants() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `the assistants are driven on Linux (x64) only, and this is ${process.platform} (${process.arch})`;
  }
  const folder = join(
    cacheFolder,
    `assistants-${Object.values(versions).join('-')}-${process.platform}-${process.arch}`,
  );
  if (!existsSync(folder) && !(await installInto(folder))) {
    return 'the assistants could not be installed: the network or the disk is not there';
  }
  const modules = join(folder, 'node_modules');
  return {
    claude: join(modules, '@anthropic-ai', 'claude-code-linux-x64', 'claude'),
    codex: join(modules, '@openai', 'codex', 'bin', 'codex.js'),
    opencode: join(modules, 'opencode-linux-x64', 'bin', 'opencode'),
  };
}

/**
 * Fills a folder of its own and renames it at the end: an interrupted fill is never used.
 * @param {string} folder
 */
async function installInto(folder) {
  logStep('Fetching Claude Code, Codex and opencode, once for this machine (1.2 GB on disk, about half a minute)');
  mkdirSync(cacheFolder, { recursive: true });
  for (const name of readdirSync(cacheFolder).filter(it => it.startsWith('assistants-filling-'))) {
    rmSync(join(cacheFolder, name), { recursive: true, force: true });
  }
  const filling = join(cacheFolder, `assistants-filling-${process.pid}`);
  mkdirSync(filling);
  try {
    writeFileSync(join(filling, 'package.json'), '{ "private": true }');
    const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`);
    console.log(`  npm install ${packages.join(' ')}`);
    if ((await run('npm', ['install', ...quiet, ...packages], { cwd: filling })) !== 0) return false;
    if (!existsSync(folder)) renameSync(filling, folder);
    return true;
  } finally {
    rmSync(filling, { recursive: true, force: true });
  }
}
