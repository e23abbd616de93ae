// Builds every bundle. `node esbuild.mjs [--production] [--watch] [--tests]`
import { build, context } from 'esbuild';
import { existsSync, readdirSync, rmSync } from 'node:fs';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');
const tests = process.argv.includes('--tests');

const node = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Native modules and what the host provides stay outside the bundle.
  external: ['vscode', '@vscode/sqlite3', 'onnxruntime-node', 'playwright-core', 'mocha'],
  sourcemap: production ? false : 'linked',
  minify: production,
  logLevel: 'warning',
};
const typescriptBelow = folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(it => it.endsWith('.ts'))
    .map(it => `${folder}/${it}`);

const bundles = [
  { ...node, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js' },
  { ...node, entryPoints: ['src/cli.ts'], outfile: 'dist/cli.js', banner: { js: '#!/usr/bin/env node' } },
].filter(it => existsSync(it.entryPoints[0]));
if (tests) {
  // A test whose source is gone must not run from an earlier build.
  rmSync('out/test', { recursive: true, force: true });
  bundles.push({ ...node, entryPoints: typescriptBelow('test'), outdir: 'out/test', outbase: 'test' });
}

if (watch) {
  for (const it of bundles) await (await context(it)).watch();
} else {
  await Promise.all(bundles.map(it => build(it)));
}
