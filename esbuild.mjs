// Builds every bundle. `node esbuild.mjs [--production] [--watch] [--tests] [--benches]`
import { build, context } from 'esbuild';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  compileWebAssembly,
  escapeWideCharacters,
  nodeOptions,
  productBundles,
  webAssemblyText,
} from './scripts/bundles.mjs';
import { buildModel } from './scripts/buildModel.mjs';
import { thirdPartyNotices } from './scripts/thirdPartyNotices.mjs';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');
const tests = process.argv.includes('--tests');
const benches = process.argv.includes('--benches');

const node = nodeOptions(production);
const filesBelow = (folder, extension) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(it => it.endsWith(extension))
    .map(it => `${folder}/${it}`);
const typescriptBelow = folder => filesBelow(folder, '.ts');

const bundles = productBundles(production);
if (tests) {
  // A test whose source is gone must not run from an earlier build.
  for (const it of ['test', 'src', 'webview-ui', 'scripts']) rmSync(`out/${it}`, { recursive: true, force: true });
  // File by file: a bundle for each test would hold the engine some 300 times.
  bundles.push({
    ...node,
    bundle: false,
    external: undefined,
    alias: undefined,
    plugins: [],
    entryPoints: ['test', 'src', 'webview-ui'].flatMap(typescriptBelow),
    outdir: 'out',
    outbase: '.',
  });
  cpSync('scripts', 'out/scripts', { recursive: true });
  for (const it of filesBelow('src', '.json')) cpSync(it, `out/${it}`);
  for (const it of filesBelow('src', '.wat')) {
    mkdirSync(`out/${dirname(it)}`, { recursive: true });
    // Node reads a file with an extension that it does not know as JavaScript.
    const binary = Buffer.from(await compileWebAssembly(it)).toString('base64');
    writeFileSync(`out/${it}`, `module.exports = Buffer.from('${binary}', 'base64');\n`);
  }
}
if (benches) {
  bundles.push({
    ...node,
    external: [...node.external, '@anthropic-ai/sdk', 'pg', 'jsonc-parser'],
    plugins: [webAssemblyText],
    entryPoints: typescriptBelow('test/bench'),
    outdir: 'out/test',
    outbase: 'test',
  });
}

/** The parsers of code are read at their first use, and are no part of a bundle. */
const parsers = 'node_modules/@vscode/tree-sitter-wasm/wasm';
/** Whose files have no declarations. */
const unusedParsers = ['tree-sitter-css.wasm', 'tree-sitter-ini.wasm', 'tree-sitter-regex.wasm'];
mkdirSync('dist/parsers', { recursive: true });
for (const it of readdirSync(parsers)) {
  if (/\.(js|wasm)$/.test(it) && !unusedParsers.includes(it)) copyFileSync(`${parsers}/${it}`, `dist/parsers/${it}`);
}
copyFileSync(
  'node_modules/@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm',
  'dist/parsers/tree-sitter-kotlin.wasm',
);

buildModel('media/models/built-in', 'dist/models/built-in');
copyFileSync('media/models/gates.json', 'dist/models/gates.json');
copyFileSync('media/models/standing.json', 'dist/models/standing.json');
mkdirSync('dist/models/encoder', { recursive: true });
for (const it of ['model.onnx', 'tokenizer.json', 'model.json', 'LICENSE.txt']) {
  copyFileSync(`media/models/encoder/${it}`, `dist/models/encoder/${it}`);
}
copyFileSync('media/models/ranking.json', 'dist/models/ranking.json');

if (watch) {
  for (const it of bundles) await (await context(it)).watch();
} else {
  const built = await Promise.all(bundles.map(it => build({ ...it, metafile: true })));
  if (production)
    for (const it of bundles) if (it.outfile !== undefined && it.platform === 'node') escapeWideCharacters(it.outfile);
  if (production) writeFileSync('dist/THIRD-PARTY-NOTICES.txt', thirdPartyNotices(built.map(it => it.metafile)));
}
