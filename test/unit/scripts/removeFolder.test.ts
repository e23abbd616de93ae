import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { removeFolder, temporaryFolder } from '../../support/fixtures.js';

describe('the removal of a folder after a test', () => {
  for (const code of ['ENOTEMPTY', 'EBUSY', 'EPERM']) {
    it(`waits for the end of what holds it (${code})`, async () => {
      const folder = temporaryFolder();
      let attempts = 0;
      await removeFolder(folder, it => {
        if (++attempts < 3) throw Object.assign(new Error('held'), { code });
        rmSync(it, { recursive: true });
      });
      assert.deepEqual([attempts, existsSync(folder)], [3, false]);
    });
  }

  it('fails at once for any other reason', async () => {
    let attempts = 0;
    const removal = removeFolder(temporaryFolder(), () => {
      attempts++;
      throw Object.assign(new Error('denied'), { code: 'EROFS' });
    });
    await assert.rejects(removal, { code: 'EROFS' });
    assert.equal(attempts, 1);
  });
});
