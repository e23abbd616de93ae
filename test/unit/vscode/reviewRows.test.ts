import assert from 'node:assert/strict';
import type { IntakeItemView } from '../../../src/protocol.js';
import { reviewRows } from '../../../webview-ui/pages/reviewRows.js';

/** Lines of files and headings, as an import has them. */
function linesOf(...places: readonly (readonly [file: string, heading: string, count: number])[]): IntakeItemView[] {
  return places.flatMap(([file, heading, count]) =>
    Array.from({ length: count }, (_, i) => {
      const id = `${file} ${heading} ${i}`;
      return { memory: { id }, line: { file, heading, text: id } } as IntakeItemView;
    }),
  );
}

const outline = (items: readonly IntakeItemView[], ...toggled: readonly string[]): readonly string[] =>
  reviewRows(items, new Set(toggled)).map(it =>
    [it.level, it.group?.title ?? it.id, ...(it.group === undefined ? [] : [it.items.length])].join(' '),
  );

describe('reviewRows', () => {
  const two = linesOf(['A.md', '', 1], ['A.md', 'Tests', 2], ['B.md', '', 1]);

  it('returns files, headings and lines, all of them where they are few', () => {
    const rows = ['1 A.md 3', '2 A.md  0', '2 Tests 2', '3 A.md Tests 0', '3 A.md Tests 1', '1 B.md 1', '2 B.md  0'];
    assert.deepEqual(outline(two), rows);
    assert.deepEqual(outline(two, 'A.md'), ['1 A.md 3', '1 B.md 1', '2 B.md  0']);
  });

  it('leaves out a level that holds one thing alone', () => {
    assert.deepEqual(outline(linesOf(['A.md', '', 2])), ['1 A.md  0', '1 A.md  1']);
    assert.deepEqual(outline(linesOf(['A.md', 'Tests', 1])), ['1 Tests 1', '2 A.md Tests 0']);
  });

  it('returns twelve files of 478 lines, each of which opens to its headings', () => {
    const many = Array.from({ length: 12 }, (_, i) =>
      linesOf([`${i}.md`, '', 4], [`${i}.md`, 'Style', 20], [`${i}.md`, 'Tests', i < 10 ? 16 : 15]),
    ).flat();
    assert.equal(many.length, 478);
    assert.equal(outline(many).length, 12);
    assert.deepEqual(
      outline(many, '0.md').filter(it => /^2 [A-Z]/u.test(it)),
      ['2 Style 20', '2 Tests 16'],
    );
    assert.equal(outline(many, '0.md', '0.md\nStyle').length, 12 + 4 + 2 + 20);
  });
});
