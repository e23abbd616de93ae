// Builds every bundle. `node esbuild.mjs [--production] [--watch] [--tests] [--benches]`
import { build, context } from 'esbuild';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import createWabt from 'wabt';
import { buildModel } from './scripts/buildModel.mjs';
import { thirdPartyNotices } from './scripts/thirdPartyNotices.mjs';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');
const tests = process.argv.includes('--tests');
const benches = process.argv.includes('--benches');

/** @returns the binary of WebAssembly text */
async function compileWebAssembly(path) {
  const wabt = await createWabt();
  return wabt.parseWat(path, readFileSync(path, 'utf8'), { simd: true }).toBinary({}).buffer;
}
/** WebAssembly text becomes the bytes of its binary. */
const webAssemblyText = {
  name: 'wat',
  setup(build) {
    build.onLoad({ filter: /\.wat$/ }, async ({ path }) => ({
      contents: await compileWebAssembly(path),
      loader: 'binary',
    }));
  },
};
/** Zod brings its messages in 60 languages, which every process would read; ours speak English. */
const oneLanguage = {
  name: 'oneLanguage',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: 'node_modules/zod/v4/locales',
    }));
  },
};
/** The Anthropic SDK is a bundle of its own, next to those that load it: the others pay nothing for it. */
const anthropicSdk = {
  name: 'anthropicSdk',
  setup(build) {
    build.onResolve({ filter: /^@anthropic-ai\/sdk/ }, () => ({ path: './anthropicSdk.js', external: true }));
  },
};
/** The same for PostgreSQL's driver. */
const postgresDriver = {
  name: 'postgresDriver',
  setup(build) {
    build.onResolve({ filter: /^pg$/ }, () => ({ path: './postgresDriver.js', external: true }));
  },
};
const node = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Native modules and what the host provides stay outside the bundle.
  external: ['vscode', '@vscode/sqlite3', 'onnxruntime-node', 'playwright-core', 'mocha'],
  // Its CommonJS loads its own parts in a way that no bundler sees.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // A host may have no `import()` of its own for code that it has loaded with `require`.
  supported: { 'dynamic-import': false },
  sourcemap: production ? false : 'linked',
  minify: production,
  logLevel: 'warning',
  plugins: [webAssemblyText, oneLanguage, anthropicSdk, postgresDriver],
};
/** What runs in the browser of a webview: one script and one style sheet, with the icons' font beside them. */
const webview = {
  bundle: true,
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  loader: { '.ttf': 'file' },
  assetNames: '[name]',
  sourcemap: production ? false : 'linked',
  minify: production,
  logLevel: 'warning',
};
const filesBelow = (folder, extension) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(it => it.endsWith(extension))
    .map(it => `${folder}/${it}`);
const typescriptBelow = folder => filesBelow(folder, '.ts');

const bundles = [
  { ...node, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js' },
  // Threads: each is a bundle of its own, beside those that start it.
  { ...node, entryPoints: ['src/engine/embeddings/embeddingWorker.ts'], outfile: 'dist/embeddingWorker.js' },
  { ...node, entryPoints: ['src/engine/search/worker/searchWorker.ts'], outfile: 'dist/searchWorker.js' },
  {
    ...node,
    stdin: {
      contents: "export * from '@anthropic-ai/sdk'; export * from '@anthropic-ai/sdk/helpers/json-schema';",
      resolveDir: '.',
    },
    outfile: 'dist/anthropicSdk.js',
    plugins: [],
  },
  {
    ...node,
    stdin: { contents: "export { Client } from 'pg';", resolveDir: '.' },
    outfile: 'dist/postgresDriver.js',
    external: [...node.external, 'pg-native', 'pg-cloudflare'],
    plugins: [],
  },
  { ...webview, entryPoints: ['webview-ui/main.ts'], outfile: 'dist/webview/inspector.js' },
  { ...node, entryPoints: ['src/cli/mcpMain.ts'], outfile: 'dist/mcp.js' },
  { ...node, entryPoints: ['src/cli/serveMain.ts'], outfile: 'dist/http.js' },
  { ...node, entryPoints: ['src/cli/main.ts'], outfile: 'dist/commands.js' },
  { ...node, entryPoints: ['src/cli/hooks/promptTask.ts'], outfile: 'dist/promptTask.js' },
  // Small, for a hook answers with it.
  { ...node, entryPoints: ['src/cli.ts'], outfile: 'dist/cli.js', banner: { js: '#!/usr/bin/env node' } },
].filter(it => it.entryPoints === undefined || existsSync(it.entryPoints[0]));
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
    external: [...node.external, '@anthropic-ai/sdk', 'pg'],
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

buildModel('media/models/built-in', 'dist/models/built-in');

if (watch) {
  for (const it of bundles) await (await context(it)).watch();
} else {
  const built = await Promise.all(bundles.map(it => build({ ...it, metafile: true })));
  if (production) writeFileSync('dist/THIRD-PARTY-NOTICES.txt', thirdPartyNotices(built.map(it => it.metafile)));
}
