// `npm run train -- ranking [--embeddings NAME] [--without WORLD] [--examples FILE] [--out FILE] WORLD…` (docs/search-ranking.md).
// `npm run train -- gates [--without WORLD] [--out FILE] WORLD…` (docs/encoder.md).
// `npm run train -- standing [--out FILE] WORLD…` (docs/encoder.md).
import { join } from 'node:path';
import { run } from './commandLine.mjs';
import { projectRoot } from './paths.mjs';
import { build, ensureDependencies } from './setup.mjs';

/** By what they train. */
const programs = new Map([
  ['gates', 'trainGates.js'],
  ['standing', 'trainStanding.js'],
  ['ranking', 'trainRanking.js'],
]);

await ensureDependencies();
await build('--benches');
const [what = '', ...rest] = process.argv.slice(2);
const program = programs.get(what);
if (program === undefined) {
  console.error(`What can be trained is: ${[...programs.keys()].join(', ')}.`);
  process.exit(2);
}
const file = join(projectRoot, 'out', 'test', 'bench', 'kit', program);
process.exit(await run(process.execPath, [file, what, ...rest]));
