// `npm run bench -- NAME [--vscode] [--data FILE] [--limit N] [--json]`: `--vscode` measures in the Node of VS Code.
import { join } from 'node:path';
import { run } from './commandLine.mjs';
import { projectRoot } from './paths.mjs';
import { build, ensureDependencies } from './setup.mjs';

await ensureDependencies();
// What ships is measured: half as much code is half as much to read at the start of a process.
await build('--tests', '--benches', '--production');
/** Benches that open windows. */
const inWindows = ['explorer', 'graph'];
// Only now, because they import packages.
const { prepareWindows } = await import('./testStages.mjs');
const { ensureWebHost } = await import('./installWebHost.mjs');
const environment = inWindows.some(it => process.argv.includes(it)) ? await prepareWindows() : {};
const node = process.argv.includes('--vscode') ? (await ensureWebHost()).node : process.execPath;
const program = join(projectRoot, 'out', 'test', 'bench', 'run.js');
process.exit(await run(node, [program, ...process.argv.slice(2)], { environment }));
