import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { codeHash } from '../../../src/engine/base/codeHash.js';
import { formatSetFilter, parseTypedFilter } from '../../../src/vscode/ui/searchAsYouType.js';
import {
  escapeMarkdown,
  markdownLinkTarget,
  toPlainMessage,
  toTruncatedLine,
} from '../../../src/vscode/ui/markdown.js';

describe('memory text in Markdown', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['plain words', 'plain words'],
    ['[run](command:x)', '\\[run\\]\\(command\\:x\\)'],
    ['![](https://a.b/c)', '\\!\\[\\]\\(https\\://a\\.b/c\\)'],
    ['<img src=x>', '&lt;img src\\=x&gt;'],
    ['a & b', 'a &amp; b'],
    ['$(trash) `code` **bold**', '\\$\\(trash\\) \\`code\\` \\*\\*bold\\*\\*'],
    ['# head\n    code\n\n> quote', '\\# head  \ncode  \n&gt; quote'],
    ['1. one', '1\\. one'],
  ];
  for (const [text, expected] of cases) {
    it(`is escaped: ${JSON.stringify(text)}`, () => {
      assert.equal(escapeMarkdown(text), expected);
    });
  }

  it('is drawn as no link and no icon in a message', () => {
    // VS Code's own patterns: base/common/linkedText.ts and base/common/iconLabels.ts.
    const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/giu;
    const icon = /(\\)?\$\(([A-Za-z0-9-]+(?:~[A-Za-z]+)?)\)/gu;
    const text = 'We use [Undo](command:workbench.action.tasks.build) and $(trash) for $(pwd), [a]( https://b.c "d").';
    assert.ok(link.test(text) && icon.test(text));
    const plain = toPlainMessage(text);
    assert.deepEqual([plain.match(link), plain.match(icon)], [null, null]);
    assert.equal(plain.replaceAll(' ', ''), text.replaceAll(' ', ''));
  });

  it('becomes a row of a pick only after toPlainMessage has made its icons text', () => {
    const raw =
      /\b(?:label|description|detail): \w+\.(?:summary|content|name|label|file|scopeId|source|client|author)\b(?! ===)/u;
    const folder = path.resolve('src', 'vscode');
    const rows = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(it => it.endsWith('.ts'))
      .map(it => readFileSync(path.join(folder, it), 'utf8').split('\n'))
      .filter(lines => lines.some(it => /showQuickPick|createQuickPick/u.test(it)))
      .flatMap(lines => lines.filter(it => raw.test(it)));
    // The models that this machine has.
    assert.deepEqual(
      rows.map(it => it.trim()),
      ['label: model.name,'],
    );
  });

  it('keeps the target of a link', () => {
    assert.equal(markdownLinkTarget('file:///a b/<c>.ts#L3'), '<file:///a%20b/%3Cc%3E.ts#L3>');
  });

  it('is truncated to one line', () => {
    assert.equal(toTruncatedLine('one\n  two three', 9), 'one two…');
    assert.equal(toTruncatedLine('short', 9), 'short');
  });

  it('leaves out the asterisks of bold, and those of globs not', () => {
    const lines: readonly (readonly [string, string])[] = [
      ['**Always** run `npm test`, **never** by hand.', 'Always run `npm test`, never by hand.'],
      ['Use **`pnpm`**', 'Use `pnpm`'],
      ['Lint src/**/*.ts and test/**', 'Lint src/**/*.ts and test/**'],
      ['Lint **/*.ts and **/*.js', 'Lint **/*.ts and **/*.js'],
      ['Take **kwargs and "**" as they are', 'Take **kwargs and "**" as they are'],
      ['2 ** 3 and 4 ** 5', '2 ** 3 and 4 ** 5'],
    ];
    assert.deepEqual(
      lines.map(([text]) => toTruncatedLine(text, 100)),
      lines.map(([, line]) => line),
    );
  });
});

describe('a typed filter', () => {
  const cases: readonly (readonly [string, ReturnType<typeof parseTypedFilter>])[] = [
    ['', { text: '', tags: [] }],
    ['  high  tide ', { text: 'high tide', tags: [] }],
    ['tide #Harbour #sea', { text: 'tide', tags: ['harbour', 'sea'] }],
    ['@pinned @note', { text: '', tags: [], pinned: true, lane: 'note' }],
    ['@confirmed c#', { text: 'c#', tags: [], lane: 'confirmed' }],
    ['tides @set:night-shift', { text: 'tides', tags: [], scopeId: 'night-shift' }],
    ['@set:"night shift" tides', { text: 'tides', tags: [], scopeId: 'night shift' }],
    ['tides @set:"night sh', { text: 'tides sh', tags: [], scopeId: '"night' }],
    ['# @alice', { text: '# @alice', tags: [] }],
  ];
  for (const [typed, expected] of cases) {
    it(JSON.stringify(typed), () => {
      assert.deepEqual(parseTypedFilter(typed), expected);
    });
  }
});

describe('the filter of a set', () => {
  for (const scopeId of ['night-shift', 'night shift', 'a "b" c', 'C:\\x y', '"']) {
    it(`is read as the set ${JSON.stringify(scopeId)} again`, () => {
      assert.deepEqual(parseTypedFilter(`tides ${formatSetFilter(scopeId)}`), { text: 'tides', tags: [], scopeId });
    });
  }
});

describe('the hash of code', () => {
  const code = 'canLeave(ferry) {\n    return ferry.ready;\n  }';
  const same = [
    'canLeave(ferry) {\r\n    return ferry.ready;  \r\n  }\r\n',
    '\ncanLeave(ferry) {\n  return ferry.ready;\n}\n\n',
    '    canLeave(ferry) {\n        return ferry.ready;\n      }',
  ];
  for (const variant of same) {
    it(`is equal for ${JSON.stringify(variant)}`, () => {
      assert.equal(codeHash(variant), codeHash(code));
    });
  }
  const other = [
    'canLeave(ferry) {\n    return !ferry.ready;\n  }',
    'canLeave(ferry) {\n      return ferry.ready;\n  }',
    '',
  ];
  for (const variant of other) {
    it(`differs for ${JSON.stringify(variant)}`, () => {
      assert.notEqual(codeHash(variant), codeHash(code));
    });
  }
});
