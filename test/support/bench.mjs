// `npm run bench -- NAME [--data FILE] [--limit N] [--json]`
import { join } from 'node:path';
import { run } from './command.mjs';
import { projectRoot } from './paths.mjs';
import { build, ensurePackages } from './setup.mjs';

await ensurePackages();
// What ships is measured: half as much code is half as much to read at the start of a process.
await build('--tests', '--production');
/** Benches that open windows. */
const inWindows = ['explorer', 'graph'];
// Only now, because it imports packages.
const { prepareWindows } = await import('./stages.mjs');
const environment = inWindows.some(it => process.argv.includes(it)) ? await prepareWindows() : {};
const program = join(projectRoot, 'out', 'test', 'bench', 'run.js');
process.exit(await run(process.execPath, [program, ...process.argv.slice(2)], { environment }));
