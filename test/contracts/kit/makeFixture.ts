// Makes test/fixtures/stores/VERSION and test/fixtures/exports/VERSION.jsonl with the built program, VERSION being that
// of package.json: `node out/test/contracts/kit/makeFixture.js`. Run once per released version.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildScenario } from './scenario.js';
import { Shell } from './shell.js';
import { readStores } from './storeAnswers.js';

/** The files tell where they were made: a folder that no machine is known by. */
const root = path.resolve('/srv/tides');

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  const target = path.resolve('test', 'fixtures', 'stores', version);
  const exported = path.resolve('test', 'fixtures', 'exports', `${version}.jsonl`);
  if (existsSync(target)) throw new Error(`${target} exists, and files of a released version never change.`);
  if (existsSync(root)) throw new Error(`${root} exists; this makes the stores there, and deletes it.`);
  try {
    const { shell } = await buildScenario(new Shell(root));
    for (const it of [path.dirname(exported), `${target}/global`, `${target}/project`])
      mkdirSync(it, { recursive: true });
    const { now } = shell;
    for (const it of ['global', 'project'] as const) copyFileSync(shell.file(it), path.join(target, it, 'memory.db'));
    copyFileSync(`${shell.file('project')}-index`, path.join(target, 'project', 'memory.db-index'));
    await shell.run(['export', '--out', exported]);
    writeFileSync(
      path.join(target, 'expected.json'),
      `${JSON.stringify({ now, ...(await readStores(shell)) }, undefined, 1)}\n`,
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

void main();
