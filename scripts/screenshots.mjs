// `npm run screenshots [-- empty | ten | two-hundred | ten-thousand | guide | chats]`: pictures of every surface, in out/screenshots/gallery.
// With `--publish` those of the walkthrough, of README.md and of the user guide are made again as well; `chats` makes the
// animation.
import { join } from 'node:path';
import { exitOnSignal, run, logStep } from './commandLine.mjs';
import { projectRoot } from './paths.mjs';
import { build, ensureDependencies } from './setup.mjs';

exitOnSignal();
await ensureDependencies();
// Only now, because these import packages.
const { prepareWindows } = await import('./testStages.mjs');
await build('--tests');
const environment = await prepareWindows();
logStep('Taking pictures');
const program = join(projectRoot, 'out', 'test', 'host', 'ui', 'gallery.js');
process.exit(await run(process.execPath, ['--enable-source-maps', program, ...process.argv.slice(2)], { environment }));
