// `npm run train -- ranking [--embeddings NAME] [--without WORLD] [--examples FILE] [--out FILE] WORLD…` (docs/search-ranking.md).
import { join } from 'node:path';
import { run } from './commandLine.mjs';
import { projectRoot } from './paths.mjs';
import { build, ensureDependencies } from './setup.mjs';

await ensureDependencies();
await build('--benches');
const [what = '', ...rest] = process.argv.slice(2);
if (what !== 'ranking') {
  console.error('What can be trained is: ranking.');
  process.exit(2);
}
const program = join(projectRoot, 'out', 'test', 'bench', 'kit', 'trainRanking.js');
process.exit(await run(process.execPath, [program, what, ...rest]));
