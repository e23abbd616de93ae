import assert from 'node:assert/strict';
import type { Checkpoint, RestoreResult } from '../../src/engine/model/checkpoint.js';
import type { Memory } from '../../src/engine/model/memory.js';
import { Shell } from './shell.js';

describe('recollect checkpoint', function () {
  it('makes, lists, restores after asking, undoes that, and deletes', async () => {
    const shell = new Shell();
    const contents = async (): Promise<string[]> =>
      ((await shell.json(['list'])).data as Memory[]).map(it => it.content);
    await shell.run(['remember', 'The ferry is called Perpetua.', '--store', 'project']);
    const made = await shell.run(['checkpoint', 'make', 'before', 'the regatta']);
    assert.equal(made.code, 0);
    assert.match(made.out, /^[0-9a-f]{8} {2}\S+Z {2}project {8}1 memory .* MB {2}before the regatta\n/u);
    const listed = (await shell.json(['checkpoint'])).data as Checkpoint[];
    assert.deepEqual(listed.map(it => [it.store, it.reason]).sort(), [
      ['global', 'before the regatta'],
      ['project', 'before the regatta'],
    ]);
    const { id } = listed.find(it => it.store === 'project')!;
    await shell.run(['remember', 'The harbour master is Inger.', '--store', 'project']);

    const unasked = await shell.run(['checkpoint', 'restore', id]);
    assert.deepEqual([unasked.code, unasked.out], [2, '']);
    assert.match(
      unasked.err,
      /Replace everything in the project store .* by its state of .* \(1 memory\).*say --yes\./u,
    );
    assert.equal((await contents()).length, 2);

    const restored = await shell.run(['checkpoint', 'restore', id, '--yes']);
    assert.equal(restored.code, 0);
    assert.match(
      restored.out,
      /0 memories back, 1 gone, 0 as before\.\nUndo it with: recollect checkpoint restore [0-9a-f]{8}\n$/u,
    );
    assert.deepEqual(await contents(), ['The ferry is called Perpetua.']);
    const undo = /restore ([0-9a-f]{8})\n$/u.exec(restored.out)![1]!;
    const undone = (await shell.json(['checkpoint', 'restore', undo, '--yes'])).data as RestoreResult;
    assert.deepEqual([undone.back, undone.gone, (await contents()).length], [1, 0, 2]);

    assert.equal((await shell.run(['checkpoint', 'delete', id])).code, 0);
    const gone = await shell.run(['checkpoint', 'restore', id, '--yes']);
    assert.equal(gone.code, 3);
    assert.match(gone.err, /There is no checkpoint/u);
    assert.equal((await shell.run('verify')).code, 0);
  });
});
