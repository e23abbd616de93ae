import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';

describe('an error of the engine', () => {
  it('is known by its name and code, for each bundle has a class of its own', () => {
    class OfAnotherBundle extends Error {
      override readonly name = 'EngineError';
      readonly code = 'notFound';
    }
    const error = new OfAnotherBundle('There is no such memory.');
    assert.deepEqual(
      [EngineError.is(error), EngineError.is(error, 'notFound'), EngineError.is(error, 'invalidInput')],
      [true, true, false],
    );
    assert.ok(EngineError.is(new EngineError('closed', 'It is closed.'), 'closed'));
  });

  it('is nothing that only looks like one', () => {
    const others = [
      new Error('no'),
      Object.assign(new Error('no'), { code: 'notFound' }),
      { name: 'EngineError' },
      undefined,
    ];
    assert.deepEqual(
      others.filter(it => EngineError.is(it)),
      [],
    );
  });
});
