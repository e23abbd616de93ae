// `npm run screenshots [-- empty | ten | ten-thousand]`: pictures of every surface, in out/screenshots/gallery.
// With `--publish` those of the walkthrough and of README.md are made anew as well.
import { join } from 'node:path';
import { exitOnSignal, run, say } from './command.mjs';
import { projectRoot } from './paths.mjs';
import { build, ensurePackages } from './setup.mjs';

exitOnSignal();
await ensurePackages();
// Only now, because these import packages.
const { prepareWindows } = await import('./stages.mjs');
await build('--tests');
const environment = await prepareWindows();
say('Taking pictures');
const program = join(projectRoot, 'out', 'test', 'host', 'ui', 'gallery.js');
process.exit(await run(process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)], { environment }));
