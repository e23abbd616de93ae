import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { temporaryFolder } from '../support/fixtures.js';
import { PackageRegistry } from '../support/packageRegistry.js';
import { runProcess, type ProcessResult } from '../support/runProcess.js';
import { writeTinyModel } from '../support/tinyModel.js';

interface Manifest extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly version: string;
}

describe('npx recollect, from the packed npm package', () => {
  /** For both tests; `temporaryFolder` is one test's. */
  const home = mkdtempSync(path.join(os.tmpdir(), 'recollect-npx-'));
  const folder = path.join(home, 'project');
  let registry: PackageRegistry;
  const run = (cwd: string, ...command: readonly [string, ...string[]]): Promise<ProcessResult> =>
    runProcess(command, {
      input: '',
      cwd,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        npm_config_registry: registry.address,
        npm_config_update_notifier: 'false',
      },
    });
  const recollect = (...args: readonly string[]): Promise<ProcessResult> =>
    run(folder, 'npx', '--yes', 'recollect', ...args, '--data-dir', path.join(home, 'memory'));
  const readManifest = (from: string): Manifest =>
    JSON.parse(readFileSync(path.resolve(from, 'package.json'), 'utf8')) as Manifest;

  /** Packs a folder and offers it. @param manifest where it is not the folder's */
  async function publish(from: string, manifest: Manifest): Promise<void> {
    const target = temporaryFolder();
    const packed = await run(from, 'npm', 'pack', '--pack-destination', target);
    assert.equal(packed.code, 0, packed.err);
    registry.add(manifest, path.join(target, readdirSync(target)[0]!));
  }

  /** Offers a package that has the name and version of one of ours. */
  async function publishStandIn(name: string, more: object, files: readonly string[]): Promise<void> {
    const from = temporaryFolder();
    const manifest = { name, version: readManifest(`node_modules/${name}`).version, ...more };
    writeFileSync(path.join(from, 'package.json'), JSON.stringify(manifest));
    for (const it of files) {
      mkdirSync(path.dirname(path.join(from, it)), { recursive: true });
      cpSync(path.resolve('node_modules', name, it), path.join(from, it), { recursive: true });
    }
    await publish(from, manifest);
  }

  before(async () => {
    mkdirSync(folder);
    registry = await PackageRegistry.start();
    await publish('.', readManifest('.'));
    // As it was compiled here, for that takes two minutes.
    await publishStandIn('@vscode/sqlite3', { main: './lib/sqlite3' }, ['lib', 'build/Release/vscode-sqlite3.node']);
    // As where the address that it downloads from cannot be reached.
    await publishStandIn('onnxruntime-node', { scripts: { postinstall: 'node -e "process.exit(1)"' } }, []);
  });
  after(() => {
    registry.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('remembers and recalls where the runtime of ONNX models cannot be installed', async () => {
    const remembered = await recollect('remember', 'The lighthouse keeper feeds the gulls.');
    assert.equal(remembered.code, 0, remembered.err);
    const recalled = await recollect('recall', 'who feeds the gulls');
    assert.match(recalled.out, /The lighthouse keeper feeds the gulls\./u);
    const [installed] = readdirSync(path.join(home, '.npm', '_npx'));
    const modules = path.join(home, '.npm', '_npx', installed!, 'node_modules');
    assert.ok(existsSync(path.join(modules, 'recollect')));
    assert.ok(!existsSync(path.join(modules, 'onnxruntime-node')));
  });

  it('says what is missing where an ONNX model is chosen, and searches by words', async () => {
    const model = writeTinyModel(path.join(home, 'tiny'));
    const { code, out, err } = await recollect('recall', 'lighthouse', '--embeddings', model);
    assert.equal(code, 0, err);
    assert.match(out, /feeds the gulls/u);
    assert.match(err, /^The chosen model needs the package onnxruntime-node, which is not installed\./mu);
  });
});
