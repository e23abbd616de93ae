import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Memory } from '../../src/engine/model/memory.js';
import { temporaryFolder } from '../support/fixtures.js';
import { Shell } from './shell.js';

describe('recollect delete and reset', function () {
  it('ask for confirmation, delete the named or matching memories, and refuse an ambiguous name', async () => {
    const shell = new Shell();
    const contents = async (): Promise<string[]> =>
      ((await shell.json(['list', '--status', 'active', 'archived'])).data as Memory[]).map(it => it.content).sort();
    for (const text of ['The quay is red.', 'Boats leave at six.', 'Ropes hang in shed 4.']) {
      await shell.run(['remember', text, '--store', 'project']);
    }
    await shell.run(['remember', 'I like short answers.']);
    const [{ id }] = (await shell.json(['list', '--scope', 'project-only', '--limit', '1'])).data as [Memory];

    const vague = await shell.run(['delete', '--yes']);
    assert.deepEqual([vague.code, vague.out], [2, '']);
    assert.match(vague.err, /Say which memories/u);
    const unasked = await shell.run(['delete', id]);
    assert.deepEqual([unasked.code, unasked.out], [2, '']);
    assert.match(unasked.err, /shed 4[^]*Delete 1 memory for good.*say --yes\./u);
    assert.equal((await shell.run(['delete', '--tag', 'nothing', '--yes'])).code, 3);
    assert.equal((await contents()).length, 4);

    const purged = await shell.run(['delete', id, '--yes']);
    assert.equal(purged.code, 0, purged.err);
    assert.match(purged.out, /^Deleted for good: 1 memory; 0 checkpoints and backups cleaned\.\n/u);
    await shell.run(['forget', 'Boats']);
    assert.equal((await shell.run(['delete', '--scope', 'project-only', '--all', '--yes'])).code, 0);
    assert.deepEqual(await contents(), ['I like short answers.']);

    assert.equal((await shell.run(['reset', '--yes'])).code, 2);
    const reset = await shell.run(['reset', '--store', 'global', '--yes']);
    assert.equal(reset.code, 0, reset.err);
    assert.match(reset.out, /^Deleted for good: 1 memory; 0 checkpoints and backups deleted\.\n/u);
    assert.deepEqual(await contents(), []);
    assert.equal((await shell.run('verify')).code, 0);
  });

  it('find what came from a session, an origin, a client or a folder, whatever became of it', async () => {
    const shell = new Shell();
    const contents = async (): Promise<string[]> =>
      ((await shell.json(['list', '--status', 'active', 'archived'])).data as Memory[]).map(it => it.content).sort();
    await shell.run(['remember', 'The quay is red.', '--store', 'project']);
    const notes = path.join(temporaryFolder(), 'notes.md');
    writeFileSync(notes, '- Boats leave at six.\n- Ropes hang in shed 4.\n');
    assert.equal((await shell.run(['import', notes])).code, 0);
    await shell.run(['forget', 'Boats']);
    assert.equal((await contents()).length, 3);
    assert.equal((await shell.run(['delete', '--client', 'mcp:other', '--yes'])).code, 3);
    assert.equal((await shell.run(['delete', '--folder', path.join(shell.project, 'none'), '--yes'])).code, 3);
    const purged = await shell.run(['delete', '--origin', 'import', '--yes']);
    assert.match(purged.out, /^Deleted for good: 2 memories/u);
    assert.deepEqual(await contents(), ['The quay is red.']);
    assert.match((await shell.run(['delete', '--client', 'cli', '--yes'])).out, /^Deleted for good: 1 memory/u);
    await shell.run(['remember', 'The mole is grey.', '--store', 'project']);
    await shell.run(['remember', 'I like short answers.', '--store', 'global']);
    assert.match((await shell.run(['delete', '--folder', shell.project, '--yes'])).out, /^Deleted for good: \d memor/u);
    await shell.run(['remember', 'The mole is grey.', '--store', 'project']);
    assert.equal((await shell.run(['reset', '--store', 'both', '--yes'])).code, 0);
    assert.deepEqual(await contents(), []);
    assert.equal((await shell.run('verify')).code, 0);
  });

  it('reset no project by accident when there are several', async () => {
    const shell = new Shell();
    const other = temporaryFolder();
    const both = ['--project', shell.project, '--project', other];
    await shell.run(['remember', 'The quay is red.', '--store', 'project']);
    await shell.run(['remember', 'The mole is grey.', '--store', 'project', '--project', other]);

    const refused = await shell.run(['reset', '--store', 'project', '--yes', ...both]);
    assert.deepEqual([refused.code, refused.out], [2, '']);
    assert.match(refused.err, /There are 2 projects here\. Name one of them: --project\./u);
    const kept = (await shell.json(['list', ...both])).data as Memory[];
    assert.deepEqual(kept.map(it => it.content).sort(), ['The mole is grey.', 'The quay is red.']);

    await shell.run(['checkpoint', 'make', '--project', other]);
    const reset = await shell.run(['reset', '--store', 'project', '--yes', '--project', other]);
    assert.match(reset.out, /^Deleted for good: 1 memory; \d checkpoints? (or|and) backups? deleted\.\n/u);
    const left = (await shell.json(['list', ...both])).data as Memory[];
    assert.deepEqual(
      left.map(it => it.content),
      ['The quay is red.'],
    );
  });
});
