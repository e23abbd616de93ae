import assert from 'node:assert/strict';
import { hookCommandWord } from '../../../src/engine/base/shellWord.js';

describe('a word of a command that another program runs', () => {
  it('is as for a person where the shell is a POSIX one', () => {
    assert.equal(hookCommandWord('/home/a/recollect.cjs', 'linux'), '/home/a/recollect.cjs');
    assert.equal(
      hookCommandWord("/home/a b/$(x)/`y`/it's.cjs", 'linux'),
      String.raw`'/home/a b/$(x)/` + '`y`' + String.raw`/it'\''s.cjs'`,
    );
  });

  it('has double quotes on Windows, where a shell may know no others', () => {
    assert.equal(
      hookCommandWord(String.raw`C:\Users\Jo O'Hara\recollect.cjs`, 'win32'),
      String.raw`"C:\Users\Jo O'Hara\recollect.cjs"`,
    );
  });

  it('is refused on Windows where a shell would change it', () => {
    for (const it of [String.raw`C:\%TEMP%\recollect.cjs`, String.raw`C:\$x\recollect.cjs`, 'C:\\`x\\recollect.cjs'])
      assert.throws(() => hookCommandWord(it, 'win32'), /Set RECOLLECT_HOME to a folder without them/u);
  });
});
