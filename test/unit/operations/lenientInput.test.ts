import assert from 'node:assert/strict';
import { z } from 'zod';
import { readLenientInput } from '../../../src/operations/lenientInput.js';

const schema = z.toJSONSchema(
  z.strictObject({
    dish: z.string().max(12),
    spices: z.array(z.string().min(1)).min(1).exactOptional(),
    courses: z.array(z.enum(['soup', 'main'])).exactOptional(),
    allergies: z.array(z.string()).max(2).exactOptional(),
    guests: z.int().exactOptional(),
    vegan: z.boolean().exactOptional(),
    table: z.strictObject({ row: z.int(), seat: z.int().exactOptional() }).exactOptional(),
    orders: z
      .array(
        z.strictObject({
          dish: z.string(),
          table: z.string().exactOptional(),
          heat: z.enum(['mild', 'hot']).exactOptional(),
        }),
      )
      .exactOptional(),
  }),
  { target: 'draft-7', io: 'input' },
);
const read = (input: unknown): unknown => readLenientInput(schema, input).input;

describe('the lenient reading of a tool input', () => {
  const rows: readonly (readonly [string, unknown, unknown])[] = [
    [
      'leaves a valid input as it is',
      { dish: 'dal', spices: ['cumin'], guests: 2 },
      { dish: 'dal', spices: ['cumin'], guests: 2 },
    ],
    ['takes null and undefined for an empty input', null, {}],
    [
      'drops options that are null, empty or blank',
      { dish: 'dal', guests: null, vegan: '', table: ' ' },
      { dish: 'dal' },
    ],
    [
      'drops an empty list where one is not allowed',
      { dish: 'dal', spices: [], courses: [] },
      { dish: 'dal', courses: [] },
    ],
    ['drops empty entries of a list', { dish: 'dal', spices: ['', null, 'cumin'] }, { dish: 'dal', spices: ['cumin'] }],
    ['keeps what is required, also when it is empty', { dish: '' }, { dish: '' }],
    [
      'reads a list that is JSON',
      { dish: 'dal', spices: '["cumin","salt"]' },
      { dish: 'dal', spices: ['cumin', 'salt'] },
    ],
    ['makes a list of one value', { dish: 'dal', spices: 'cumin, ground' }, { dish: 'dal', spices: ['cumin, ground'] }],
    [
      'splits the words of a fixed set',
      { dish: 'dal', courses: 'Soup, main' },
      { dish: 'dal', courses: ['soup', 'main'] },
    ],
    [
      'reads numbers and truth values',
      { dish: 'dal', guests: ' 4 ', vegan: 'True' },
      { dish: 'dal', guests: 4, vegan: true },
    ],
    [
      'keeps what is no number and no truth value',
      { dish: 'dal', guests: 'four', vegan: 'maybe' },
      { dish: 'dal', guests: 'four', vegan: 'maybe' },
    ],
    ['makes a text of a number', { dish: 65, spices: [7] }, { dish: '65', spices: ['7'] }],
    ['reads an object that is JSON', { dish: 'dal', table: '{"row":"3"}' }, { dish: 'dal', table: { row: 3 } }],
    ['reads a whole input that is JSON', '{"dish":"dal","guests":"2"}', { dish: 'dal', guests: 2 }],
    [
      'makes the objects of a list from their only required text',
      { dish: 'dal', orders: ['rice', '{"dish":"tea"}'] },
      { dish: 'dal', orders: [{ dish: 'rice' }, { dish: 'tea' }] },
    ],
    [
      'makes a list of one object',
      { dish: 'dal', orders: { dish: 'rice', table: null } },
      { dish: 'dal', orders: [{ dish: 'rice' }] },
    ],
    [
      'has no key of the prototype',
      JSON.parse('{"dish":"dal","__proto__":{"guests":1},"constructor":1}'),
      { dish: 'dal' },
    ],
  ];
  for (const [title, input, expected] of rows) {
    it(title, () => {
      assert.deepEqual(read(input), expected);
    });
  }

  it('names unknown keys, but for those of the client', () => {
    const { input, notes } = readLenientInput(schema, { dish: 'dal', sauce: 'mint', _meta: { a: 1 }, wine: null });
    assert.deepEqual(input, { dish: 'dal' });
    assert.deepEqual(notes, ['Not an option of this tool, and ignored: sauce.']);
  });

  it('leaves out a word that an option of one item does not have, says so once, and keeps the items', () => {
    const orders = [
      { dish: 'dal', heat: 'lukewarm' },
      { dish: 'rice', heat: 'Hot' },
      { dish: 'naan', heat: 'icy' },
    ];
    const { input, notes } = readLenientInput(schema, { dish: 'dal', orders });
    assert.deepEqual(input, {
      dish: 'dal',
      orders: [{ dish: 'dal' }, { dish: 'rice', heat: 'hot' }, { dish: 'naan' }],
    });
    assert.deepEqual(notes, ['The heat may be mild, hot; another one was left out.']);
  });

  it('keeps a wrong word of an option outside items, for the validation to report', () => {
    assert.deepEqual(read({ dish: 'dal', courses: ['dessert'] }), { dish: 'dal', courses: ['dessert'] });
  });

  it('cuts a list at its limit, and says so', () => {
    const { input, notes } = readLenientInput(schema, { dish: 'dal', allergies: ['nuts', '', 'milk', 'soy'] });
    assert.deepEqual(input, { dish: 'dal', allergies: ['nuts', 'milk'] });
    assert.deepEqual(notes, ['Of 3 allergies the first 2 were taken; more are not possible.']);
  });

  it('cuts a text that is too long, between characters, and says so', () => {
    const { input, notes } = readLenientInput(schema, { dish: `${'a'.repeat(11)}😀 and more` });
    assert.deepEqual(input, { dish: 'a'.repeat(11) });
    assert.deepEqual(notes, ['The dish was longer than 12 characters; what follows them was left out.']);
  });
});
