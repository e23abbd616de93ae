import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { slowAfterMs, SlowRequests } from '../../../webview-ui/slowRequests.js';

describe('requests of the inspector', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  it('show progress after a second without an answer, until the last slow one has ended', async () => {
    const requests = new SlowRequests();
    const shown: boolean[] = [];
    requests.onChange = () => shown.push(requests.isAny);
    const quick = Promise.resolve('at once');
    const answers: (() => void)[] = [];
    const answered = new Promise<void>(resolve => answers.push(resolve));
    const failed = new Promise<void>((_, reject) =>
      answers.push(() => {
        reject(new Error('The store is closed.'));
      }),
    );
    for (const it of [quick, answered, failed]) requests.watch(it);
    await quick;
    mock.timers.tick(slowAfterMs - 1);
    assert.deepEqual(shown, []);
    mock.timers.tick(1);
    assert.deepEqual(shown, [true]);
    answers[0]!();
    await answered;
    assert.deepEqual(shown, [true]);
    answers[1]!();
    await failed.catch(() => undefined);
    assert.deepEqual(shown, [true, false]);
  });
});
