import assert from 'node:assert/strict';
import { hookCommandWord, shellWord } from '../../../src/engine/base/shellWord.js';

describe('a word of a command that another program runs', () => {
  it('is as for a person where the shell is a POSIX one', () => {
    for (const it of ['/home/a/recollect.cjs', '/home/a b/$(x)/`y`/recollect.cjs'])
      assert.equal(hookCommandWord(it, 'linux'), shellWord(it));
  });

  it('has double quotes on Windows, where a shell may know no others', () => {
    assert.equal(
      hookCommandWord(String.raw`C:\Users\Jo O'Hara\recollect.cjs`, 'win32'),
      String.raw`"C:\Users\Jo O'Hara\recollect.cjs"`,
    );
  });
});
