import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Shipped beside the bundles, not in them. */
const unbundledPackages = [
  '@vscode/sqlite3',
  'onnxruntime-common',
  'onnxruntime-node',
  '@vscode/tree-sitter-wasm',
  '@tree-sitter-grammars/tree-sitter-kotlin',
];

/**
 * The licences of what is shipped: of every package that a part of a bundle comes from, and of those beside them.
 * @param {readonly import('esbuild').Metafile[]} bundles
 * @returns {string}
 */
export function thirdPartyNotices(bundles) {
  const folders = new Set(unbundledPackages.map(it => `node_modules/${it}`));
  for (const { outputs } of bundles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
      }
    }
  }
  const parts = [...new Set([...folders].map(formatNotice))].sort((a, b) => a.localeCompare(b, 'en'));
  const intro =
    'Recollect is shipped with these packages. The built-in model has its own notice: media/models/built-in.';
  return `${[intro, encoderNotice(), ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** Of the model that the encoder was trained from; its licence asks to be shipped, and changes to be named. */
function encoderNotice() {
  const licence = readFileSync(join('media', 'models', 'encoder', 'LICENSE.txt'), 'utf8').trim();
  return [
    'all-MiniLM-L6-v2 by sentence-transformers (Apache-2.0), changed: fine-tuned, given further heads, and quantized\nas dist/models/encoder. See media/models/encoder/PROVENANCE.md.',
    licence,
  ].join('\n\n');
}

/** @param {string} folder */
function formatNotice(folder) {
  const { name, version, license, homepage } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${name} does not say its licence; it cannot be shipped.`);
  const files = existsSync(folder) ? readdirSync(folder).filter(it => /^(licen[cs]e|copying|notice)/i.test(it)) : [];
  const texts = files.sort().map(it => readFileSync(join(folder, it), 'utf8').trim());
  return [`${name} ${version} (${license})${homepage === undefined ? '' : `\n${homepage}`}`, ...texts].join('\n\n');
}
