// `npm run bench -- NAME [--data FILE] [--limit N] [--json]`
import { join } from 'node:path';
import { run } from './command.mjs';
import { projectRoot } from './paths.mjs';
import { build, ensurePackages } from './setup.mjs';

await ensurePackages();
await build('--tests');
const program = join(projectRoot, 'out', 'test', 'bench', 'run.js');
process.exit(await run(process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)]));
