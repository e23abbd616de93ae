import assert from 'node:assert/strict';
import path from 'node:path';
import { isInside, isSameOrInside } from '../../../src/engine/base/paths.js';

type Relation = 'inside' | 'same' | 'outside';

const posixCases: readonly (readonly [folder: string, file: string, relation: Relation])[] = [
  ['/work', '/work/a.ts', 'inside'],
  ['/work/', '/work/src/a.ts', 'inside'],
  ['/', '/work', 'inside'],
  ['/work', '/work', 'same'],
  ['/work', '/work/src/..', 'same'],
  ['/work', '/workshop/a.ts', 'outside'],
  ['/work', '/Work/a.ts', 'outside'],
  ['/work/src', '/work', 'outside'],
  ['/work', '/work/../secret', 'outside'],
];

const windowsCases: readonly (readonly [folder: string, file: string, relation: Relation])[] = [
  ['C:\\work', 'C:\\work\\src\\a.ts', 'inside'],
  ['C:\\work', 'c:/Work/src/a.ts', 'inside'],
  ['C:\\', 'C:\\work', 'inside'],
  ['\\\\server\\share', '\\\\server\\share\\a.ts', 'inside'],
  ['C:\\work', 'c:\\WORK\\', 'same'],
  ['C:\\work', 'C:\\workshop\\a.ts', 'outside'],
  ['C:\\work', 'D:\\work\\a.ts', 'outside'],
  ['C:\\work', '\\\\server\\work\\a.ts', 'outside'],
  ['C:\\work', 'C:\\work\\..\\secret', 'outside'],
];

describe('isInside and isSameOrInside', () => {
  for (const [name, rules, cases] of [
    ['POSIX', path.posix, posixCases],
    ['Windows', path.win32, windowsCases],
  ] as const) {
    for (const [folder, file, relation] of cases) {
      it(`report ${file} as ${relation} for the folder ${folder} by ${name} rules`, () => {
        assert.deepEqual(
          [isInside(folder, file, rules), isSameOrInside(folder, file, rules)],
          [relation === 'inside', relation !== 'outside'],
        );
      });
    }
  }
});
