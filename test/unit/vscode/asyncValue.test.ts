import assert from 'node:assert/strict';
import { AsyncValue } from '../../../webview-ui/asyncValue.js';

const noRender = (): void => undefined;

describe('a value that is loaded', () => {
  it('keeps the value of the latest request, and an earlier one says that it is not the latest', async () => {
    const value = new AsyncValue<string>(noRender);
    const first = value.load(Promise.resolve('as it was'));
    const second = value.load(first.then(() => 'as it is'));
    assert.equal(await first, false);
    assert.equal(value.value, undefined);
    assert.equal(await second, true);
    assert.equal(value.value, 'as it is');
  });

  it('stays after a failure, which is said', async () => {
    const value = new AsyncValue<string>(noRender);
    await value.load(Promise.resolve('as it was'));
    assert.equal(await value.load(Promise.reject(new Error('The store is closed.'))), false);
    assert.deepEqual([value.value, value.failure], ['as it was', 'The store is closed.']);
  });
});
