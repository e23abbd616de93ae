import assert from 'node:assert/strict';
import { readSymbolDoc, type DocComment } from '../../../src/engine/codeIndex/docComments.js';

/** The documentation of a Python function or class with this docstring. */
function docOf(...docstring: readonly string[]): DocComment {
  const lines = [
    'def moor(ship):',
    `    """${docstring[0]!}`,
    ...docstring.slice(1).map(it => `    ${it}`),
    '    """',
    '    pass',
  ];
  return readSymbolDoc(lines, {
    name: 'moor',
    kind: 'function',
    startLine: 0,
    startCharacter: 0,
    endLine: lines.length,
    endCharacter: 0,
  });
}

describe('readSymbolDoc', () => {
  it('reads fields and references of Sphinx as results, errors and names', () => {
    assert.deepEqual(
      docOf(
        'Moor a ship at the :class:`~harbour.Pier` or a :ref:`buoy <buoys>`.',
        '',
        '.. versionadded:: 2.1',
        '',
        ':param ship: the ship,',
        '    with its crew',
        ':type ship: Ship',
        ':return: the number of ropes',
        '    that were used',
        ':raises HarbourFull: if no berth is left, or the tide',
        '    is too low',
        '',
        'Seen in July.',
      ),
      {
        description: 'Moor a ship at the Pier or a buoy.',
        details: [
          'Returns the number of ropes that were used',
          'Throws HarbourFull if no berth is left, or the tide is too low',
        ],
      },
    );
  });

  it('reads what Sphinx says of attributes, a sentence each', () => {
    const { description } = docOf(
      'A place for a ship',
      '',
      ':var ~harbour.Depth depth: how deep the water is',
      '    at low tide',
      ':ivar int length: in metres',
    );
    assert.equal(description, 'A place for a ship. depth: how deep the water is at low tide. length: in metres');
  });

  it('reads the results and errors of a section below its heading', () => {
    const { description, details } = docOf(
      'Count ropes.',
      '',
      'Returns:',
      '    How many there are.',
      '',
      'Raises:',
      '    Torn: one is.',
    );
    assert.deepEqual([description, details], ['Count ropes.', ['Returns How many there are.', 'Throws Torn: one is.']]);
  });
});
