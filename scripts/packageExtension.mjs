import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOrThrow, logStep } from './commandLine.mjs';
import { languages } from './l10n.mjs';
import { projectRoot } from './paths.mjs';
import { build } from './setup.mjs';
import { zipEntries } from './zipEntries.mjs';

const vsce = join(projectRoot, 'node_modules', '@vscode', 'vsce', 'vsce');
const platform = `${process.platform}-${process.arch}`;
/** The package brings every platform's binaries; only this platform's are shipped. */
const onnxRuntimeFiles = [
  'node_modules/onnxruntime-common/package.json',
  'node_modules/onnxruntime-common/dist/cjs/**/*.{js,json}',
  'node_modules/onnxruntime-node/package.json',
  'node_modules/onnxruntime-node/dist/**/*.js',
  `node_modules/onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}/**`,
];
const allowedFiles = [
  /^(extension\.vsixmanifest|\[Content_Types\]\.xml)$/,
  /^extension\/(package(\.nls(\.[\w-]+)?)?\.json|readme\.md|changelog\.md|LICENSE(\.txt)?)$/,
  /^extension\/media\/l10n\/bundle\.l10n(\.[\w-]+)?\.json$/,
  /^extension\/dist\/([^/].*\.(js|css|svg|ttf|json|wasm|bin|onnx)|models\/[\w-]+\/LICENSE\.txt|THIRD-PARTY-NOTICES\.txt)$/,
  /^extension\/media\/.*\.(svg|png|webp|md)$/,
  /^extension\/media\/claude-plugin\/(README\.md|\.mcp\.json|\.claude-plugin\/plugin\.json|hooks\/hooks\.json|(skills|agents)\/[\w-]+(\/SKILL)?\.md)$/,
  /^extension\/node_modules\/@vscode\/sqlite3\/(package\.json|LICENSE|lib\/\w[\w-]*\.js|build\/Release\/vscode-sqlite3\.node)$/,
  new RegExp(
    `^extension/node_modules/onnxruntime-(common|node)/(package\\.json|dist/.*\\.js(on)?|bin/napi-v6/${process.platform}/${process.arch}/.*)$`,
  ),
];
const requiredFiles = [
  'extension/package.nls.json',
  'extension/media/l10n/bundle.l10n.json',
  ...languages.flatMap(it => [`extension/package.nls.${it}.json`, `extension/media/l10n/bundle.l10n.${it}.json`]),
  'extension/dist/extension.js',
  'extension/dist/anthropicSdk.js',
  'extension/dist/postgresDriver.js',
  'extension/dist/jsoncParser.js',
  'extension/dist/embeddingWorker.js',
  'extension/dist/searchWorker.js',
  'extension/dist/webview/inspector.js',
  'extension/dist/webview/inspector.css',
  'extension/dist/webview/codicon.ttf',
  'extension/dist/models/built-in/model.bin',
  'extension/dist/models/gates.json',
  'extension/dist/models/standing.json',
  'extension/dist/models/encoder/model.onnx',
  'extension/dist/models/encoder/model.json',
  'extension/dist/models/encoder/tokenizer.json',
  'extension/dist/models/encoder/LICENSE.txt',
  'extension/dist/models/ranking.json',
  'extension/node_modules/@vscode/sqlite3/build/Release/vscode-sqlite3.node',
  `extension/node_modules/onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`,
  'extension/media/claude-plugin/.claude-plugin/plugin.json',
  'extension/dist/THIRD-PARTY-NOTICES.txt',
  'extension/dist/cli.js',
  'extension/dist/commands.js',
  'extension/dist/start.js',
  'extension/dist/hook.js',
  'extension/dist/promptTask.js',
  'extension/dist/hookContext.js',
  'extension/dist/mcp.js',
  'extension/dist/http.js',
  'extension/dist/parsers/tree-sitter.js',
  'extension/dist/parsers/tree-sitter.wasm',
  'extension/dist/parsers/tree-sitter-typescript.wasm',
];

/**
 * Builds for production and packs; throws when the package holds anything unexpected. Packages
 * must have been installed.
 * @returns {Promise<string>} the path of the VSIX
 */
export async function packageExtension() {
  await build('--production');
  logStep(`Packing for ${platform}`);
  const { name, version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const vsix = join(projectRoot, 'out', `${name}-${platform}-${version}.vsix`);
  const options = ['--target', platform, '--out', vsix, '--ignoreFile', writeIgnoreFile()];
  // There is no public address that README's links and picture could be rewritten to; they stay relative.
  const noAddress = ['--allow-missing-repository', '--no-rewrite-relative-links'];
  await runOrThrow(process.execPath, [vsce, 'package', ...options, ...noAddress], { cwd: projectRoot });
  checkContents(zipEntries(vsix));
  console.log(`  ${vsix}: ${formatMegabytes(statSync(vsix).size)} MB`);
  return vsix;
}

/**
 * Packs the extension of test/fixtures that brings the language model of chat tests.
 * @returns {Promise<string>} the path of its VSIX
 */
export async function packageTestModelExtension() {
  const vsix = join(projectRoot, 'out', 'scripted-model.vsix');
  const options = ['--out', vsix, '--no-dependencies', '--skip-license', '--allow-missing-repository'];
  mkdirSync(join(projectRoot, 'out'), { recursive: true });
  await runOrThrow(process.execPath, [vsce, 'package', ...options], {
    cwd: join(projectRoot, 'test', 'fixtures', 'model-extension'),
  });
  return vsix;
}

function writeIgnoreFile() {
  const more = onnxRuntimeFiles.map(it => `!${it}\n`).join('');
  const file = join(projectRoot, 'out', 'vscodeignore');
  mkdirSync(join(projectRoot, 'out'), { recursive: true });
  writeFileSync(file, readFileSync(join(projectRoot, '.vscodeignore'), 'utf8') + more);
  return file;
}

/** @param {readonly string[]} names */
function checkContents(names) {
  const unexpected = names.filter(name => !allowedFiles.some(it => it.test(name)));
  if (unexpected.length > 0) throw new Error(`The package holds what it should not: ${unexpected.join(', ')}`);
  const missing = requiredFiles.filter(it => !names.includes(it));
  if (missing.length > 0) throw new Error(`The package lacks ${missing.join(', ')}`);
}

/** @param {number} bytes */
function formatMegabytes(bytes) {
  return (bytes / 1_000_000).toFixed(1);
}
