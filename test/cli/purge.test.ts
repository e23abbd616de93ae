import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { memoryInput, storeProblems, TestHost } from '../support/fixtures.js';
import { assistantLine, sessionId, userLine } from '../unit/capture/captureHost.js';
import { Shell } from './shell.js';

/** In the memory that is purged, and nowhere else. */
const mark = 'zanzibarquay';

/** Files below a folder in which the mark can be read, in their name or their bytes. */
function filesWithMark(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(it => it.isFile())
    .map(it => path.join(it.parentPath, it.name))
    .filter(it => `${path.basename(it)}\n${readFileSync(it).toString('latin1')}`.toLowerCase().includes(mark));
}

describe('purge', () => {
  const ways: Readonly<Record<string, (id: string, shell: Shell) => readonly string[]>> = {
    'an id': id => ['delete', id],
    'a tag': () => ['delete', '--tag', 'gates'],
    'a session': () => ['delete', '--session', 'tide-7'],
    'an origin': () => ['delete', '--origin', 'import'],
    'a client': () => ['delete', '--client', 'robot'],
    'a folder': (_id, { project }) => ['delete', '--folder', path.join(project, 'gates')],
    all: () => ['delete', '--all'],
    'a reset': () => ['reset', '--store', 'both'],
  };
  for (const [way, args] of Object.entries(ways)) {
    it(`by ${way} leaves the text in no byte of stores, copies, traces, sync state and logs`, async () => {
      const shell = new Shell();
      const dataDir = path.join(shell.home, 'memory');
      const host = new TestHost();
      Object.assign(host, { dataDir, workspaceFolders: [shell.project], client: 'robot', time: Date.now() });
      mkdirSync(path.join(shell.project, 'gates'));
      const engine = await host.open();
      await engine.remember(memoryInput('The quay is red.', { store: 'project' }));
      const [outcome] = await engine.remember(
        memoryInput(`The ${mark} gate opens with a birthday.`, {
          store: 'project',
          source: 'import',
          session: 'tide-7',
          tags: ['gates'],
          uri: pathToFileURL(path.join(shell.project, 'gates', 'north.ts')).href,
          aids: { questions: [`Who has the ${mark} key?`], keywords: [] },
        }),
      );
      const { id } = outcome as { readonly id: string };
      await engine.recall({ query: `how does the ${mark} gate open` });
      await engine.checkpoints.make('before');
      await engine.sync.run({});
      await engine.maintenance.run({});
      await engine.close();
      const before = filesWithMark(dataDir);
      assert.ok(before.length >= 2, before.join());

      const { code, err } = await shell.run([...args(id, shell), '--yes']);
      assert.equal(code, 0, err);
      assert.deepEqual(filesWithMark(dataDir), []);
      const later = await host.open();
      assert.deepEqual(await storeProblems(later), []);
    });
  }

  for (const [way, args] of Object.entries({ all: ['delete', '--all'], 'a reset': ['reset', '--store', 'both'] })) {
    it(`by ${way} leaves no byte of what was said in a captured session, memory or not`, async () => {
      const shell = new Shell();
      const dataDir = path.join(shell.home, 'memory');
      const rest = { cwd: realpathSync(shell.project) };
      const file = path.join(shell.home, `${sessionId}.jsonl`);
      const said = [
        `Look at the ${mark} ledger.`,
        `We have three ${mark} ferries.`,
        'From now on never paint the pier green.',
      ];
      const lines = [...said.map(it => userLine(it, rest)), assistantLine(`The ${mark} ledger is balanced now.`, rest)];
      writeFileSync(file, lines.join('\n') + '\n');
      await shell.run(['capture', '--allow', '--session', file]);
      await shell.run('checkpoint');
      rmSync(file);
      assert.notDeepEqual(filesWithMark(dataDir), []);
      const { code, err } = await shell.run([...args, '--yes']);
      assert.equal(code, 0, err);
      assert.deepEqual(filesWithMark(dataDir), []);
      assert.equal((await shell.run('verify')).code, 0);
    });
  }
});
