import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { MergeProposals } from '../../src/engine/model/consolidation.js';
import type { Memory } from '../../src/engine/model/memory.js';
import { Shell } from './shell.js';

const short = 'The departures board refreshes every 30 seconds from the tide service.';
const long = 'The departures board of the harbour refreshes every 30 seconds from the tide service.';

describe('recollect consolidate', function () {
  it('proposes, merges, undoes and rejects', async () => {
    const shell = new Shell();
    const active = async (): Promise<string[]> =>
      ((await shell.json(['list'])).data as Memory[]).map(it => it.content).sort();
    for (const it of [short, long])
      await shell.run(['remember', it, '--whole', '--gate', 'epistemic', '--kind', 'context']);
    const shown = await shell.run('consolidate');
    assert.equal(shown.code, 0);
    assert.match(
      shown.out,
      /^[0-9a-f]{8} {2}2 memories of the project store, \d+% alike\n( {2}- #[0-9a-f]{8} {2}The departures board .*\n){2} {2}\+ The departures board of the harbour .*\n$/u,
    );
    const { proposals } = (await shell.json(['consolidate'])).data as MergeProposals;
    const { id } = proposals[0]!;
    const merged = await shell.run([
      'consolidate',
      '--accept',
      id,
      '--text',
      'The board asks the tides twice a minute.',
    ]);
    assert.match(
      merged.out,
      /^Merged 2 into #[0-9a-f]{8}: The board asks the tides twice a minute\.\nUndo it with: recollect consolidate --undo /u,
    );
    assert.deepEqual(await active(), ['The board asks the tides twice a minute.']);
    assert.match((await shell.run('consolidate')).out, /^Nothing can be merged\.\n$/u);
    assert.match(
      (await shell.run('consolidate --undo')).out,
      /^(Active again: #[0-9a-f]{8} {2}The departures board .*\n){2}$/u,
    );
    assert.deepEqual(await active(), [long, short].sort());
    assert.equal((await shell.run(['consolidate', '--undo'])).code, 3);
    assert.equal((await shell.run(['consolidate', '--accept', id])).code, 3);
    assert.equal((await shell.run(['consolidate', '--reject', id])).code, 3);
    assert.equal((await shell.run(['consolidate', '--accept', id, '--undo'])).code, 2);
    await shell.run(['remember', `${long} Always.`, '--whole', '--gate', 'epistemic', '--kind', 'context']);
    const again = ((await shell.json(['consolidate'])).data as MergeProposals).proposals[0]!;
    assert.equal((await shell.run(['consolidate', '--reject', again.id])).code, 0);
    assert.match((await shell.run('consolidate')).out, /^Nothing can be merged\.\n$/u);
    assert.equal((await shell.run('verify')).code, 0);
  });
});

describe('recollect identity', function () {
  it('prints the page', async () => {
    const shell = new Shell();
    await shell.run(['remember', 'I prefer small pull requests.', '--gate', 'behavioral', '--store', 'global']);
    assert.equal((await shell.run('identity')).out, '# Identity\n\n## How I work\n\n- I prefer small pull requests.\n');
    const file = path.join(shell.home, 'me.md');
    assert.deepEqual(await shell.run(['identity', '--out', file]).then(it => [it.code, it.out]), [0, '']);
    assert.equal(readFileSync(file, 'utf8'), '# Identity\n\n## How I work\n\n- I prefer small pull requests.\n');
    const refused = await shell.run(['identity', '--out', shell.home]);
    assert.deepEqual([refused.code, refused.err.includes('is a folder, a pipe or a device')], [1, true]);
    const { data } = await shell.json(['identity', '--with-notes']);
    assert.match((data as { markdown: string }).markdown, /^# Identity/u);
  });
});
