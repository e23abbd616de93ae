// What is bundled, and how.
import { readFileSync, writeFileSync } from 'node:fs';
import createWabt from 'wabt';

/** @typedef {import('esbuild').BuildOptions} BuildOptions */
/** @typedef {import('esbuild').Plugin} Plugin */

/** @param {string} path @returns {Promise<Uint8Array>} the binary of WebAssembly text */
export async function compileWebAssembly(path) {
  const wabt = await createWabt();
  return wabt.parseWat(path, readFileSync(path, 'utf8'), { simd: true }).toBinary({}).buffer;
}
/** WebAssembly text becomes the bytes of its binary. @type {Plugin} */
export const webAssemblyText = {
  name: 'wat',
  setup(build) {
    build.onLoad({ filter: /\.wat$/ }, async ({ path }) => ({
      contents: await compileWebAssembly(path),
      loader: 'binary',
    }));
  },
};
/** Zod brings its messages in 60 languages, which every process would read; ours speak English. @type {Plugin} */
const oneLanguage = {
  name: 'oneLanguage',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: 'node_modules/zod/v4/locales',
    }));
  },
};
/** The Anthropic SDK is a bundle of its own, next to those that load it: the others pay nothing for it. @type {Plugin} */
const anthropicSdk = {
  name: 'anthropicSdk',
  setup(build) {
    build.onResolve({ filter: /^@anthropic-ai\/sdk/ }, () => ({ path: './anthropicSdk.js', external: true }));
  },
};
/** The same for PostgreSQL's driver. @type {Plugin} */
const postgresDriver = {
  name: 'postgresDriver',
  setup(build) {
    build.onResolve({ filter: /^pg$/ }, () => ({ path: './postgresDriver.js', external: true }));
  },
};
/** The same for the parser of settings with comments, which a hook seldom needs. @type {Plugin} */
const jsoncParser = {
  name: 'jsoncParser',
  setup(build) {
    build.onResolve({ filter: /^jsonc-parser$/ }, () => ({ path: './jsoncParser.js', external: true }));
  },
};
/**
 * Escapes each character above U+00FF of a built script. V8 holds a script with one of them at two bytes a character, which
 * cost every process of the MCP server 2 MB. esbuild escapes them in strings; regular expressions, where an escape means the
 * same, have them left.
 * @param {string} file
 */
export function escapeWideCharacters(file) {
  const text = readFileSync(file, 'utf8');
  const escaped = text.replace(/[^\0-\xff]/g, it => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== text) writeFileSync(file, escaped);
}
/** What runs in Node. @param {boolean} production as it is shipped @returns {BuildOptions} */
export const nodeOptions = production => ({
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Native modules and what the host provides stay outside the bundle.
  external: ['vscode', '@vscode/sqlite3', 'onnxruntime-node', 'playwright-core', 'mocha'],
  // A host may have no `import()` of its own for code that it has loaded with `require`.
  supported: { 'dynamic-import': false },
  sourcemap: production ? false : 'linked',
  minify: production,
  logLevel: 'warning',
  plugins: [webAssemblyText, oneLanguage, anthropicSdk, postgresDriver, jsoncParser],
});
/**
 * What runs in the browser of a webview: one script and one style sheet, with the icons' font beside them.
 * @param {boolean} production
 * @returns {BuildOptions}
 */
const webviewOptions = production => ({
  bundle: true,
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  loader: { '.ttf': 'file' },
  assetNames: '[name]',
  sourcemap: production ? false : 'linked',
  minify: production,
  logLevel: 'warning',
});

/** The command line. Small, for a hook answers with it. @param {boolean} production @returns {BuildOptions} */
export const commandLineBundle = production => ({
  ...nodeOptions(production),
  entryPoints: ['src/cli.ts'],
  outfile: 'dist/cli.js',
  banner: { js: '#!/usr/bin/env node' },
});

/** What the hooks load that read a store. @param {boolean} production as it is shipped @returns {BuildOptions} */
export const hookContextBundle = production => ({
  ...nodeOptions(production),
  entryPoints: ['src/cli/hooks/hookContext.ts'],
  outfile: 'dist/hookContext.js',
});

/** All that is shipped. @param {boolean} production @returns {BuildOptions[]} */
export function productBundles(production) {
  const node = nodeOptions(production);
  return [
    { ...node, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js' },
    // Threads: each is a bundle of its own, beside those that start it.
    {
      ...node,
      entryPoints: ['src/engine/embeddings/embeddingWorker.ts'],
      outfile: 'dist/embeddingWorker.js',
    },
    {
      ...node,
      entryPoints: ['src/engine/search/worker/searchWorker.ts'],
      outfile: 'dist/searchWorker.js',
    },
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
      stdin: { contents: "export { Client, escapeIdentifier, Pool } from 'pg';", resolveDir: '.' },
      outfile: 'dist/postgresDriver.js',
      external: [...(node.external ?? []), 'pg-native', 'pg-cloudflare'],
      plugins: [],
    },
    {
      ...node,
      // Its CommonJS loads its own parts in a way that no bundler sees.
      stdin: { contents: "export * from 'jsonc-parser/lib/esm/main.js';", resolveDir: '.' },
      outfile: 'dist/jsoncParser.js',
      plugins: [],
    },
    { ...webviewOptions(production), entryPoints: ['webview-ui/main.ts'], outfile: 'dist/webview/inspector.js' },
    { ...node, entryPoints: ['src/cli/mcpMain.ts'], outfile: 'dist/mcp.js' },
    { ...node, entryPoints: ['src/cli/serveMain.ts'], outfile: 'dist/http.js' },
    { ...node, entryPoints: ['src/cli/main.ts'], outfile: 'dist/commands.js' },
    { ...node, entryPoints: ['src/cli/hooks/promptTask.ts'], outfile: 'dist/promptTask.js' },
    { ...node, entryPoints: ['src/cli/start.ts'], outfile: 'dist/start.js' },
    { ...node, entryPoints: ['src/cli/hooks/runHook.ts'], outfile: 'dist/hook.js' },
    hookContextBundle(production),
    commandLineBundle(production),
  ];
}
