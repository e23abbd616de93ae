import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readTextLines } from '../../../src/engine/exchange/formats/importFiles.js';
import { temporaryFolder } from '../../support/fixtures.js';

describe('readTextLines', () => {
  it('splits at line breaks alone, and cuts a line of any length', async () => {
    const file = path.join(temporaryFolder(), 'lines');
    writeFileSync(file, `\uFEFFfirst\r\n"a\u2028b"\n\n${'x'.repeat(9_000_000)}\nlast`);
    const lines: string[] = [];
    for await (const it of readTextLines(file)) lines.push(it);
    assert.deepEqual(
      lines.map(it => (it.length > 100 ? it.length : it)),
      ['first', '"a\u2028b"', '', 4_000_000, 'last'],
    );
  });
});
