import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { EngineError } from '../../../src/engine/base/errors.js';
import { withProgress } from '../../../src/vscode/ui/progress.js';
import { waitUntil } from './engineFixtures.js';

interface Report {
  readonly message?: string;
  readonly increment?: number;
}

interface Shown {
  readonly title: string;
  readonly cancellable: boolean;
  readonly reports: Report[];
  /** Presses the cancel button of the notification. */
  cancel(): void;
}

const title = 'Reading the tide';

describe('withProgress', () => {
  const shown: Shown[] = [];
  const window = vscode.window as { withProgress: typeof vscode.window.withProgress };
  const real = window.withProgress;

  before(() => {
    // Records the calls instead of showing a notification.
    window.withProgress = (options, task) =>
      real(options, progress => {
        const source = new vscode.CancellationTokenSource();
        const reports: Report[] = [];
        const cancel = (): void => {
          source.cancel();
        };
        shown.push({ title: options.title ?? '', cancellable: options.cancellable ?? false, reports, cancel });
        const report = (it: Report): void => {
          reports.push(it);
          progress.report(it);
        };
        return task({ report }, source.token);
      });
  });
  beforeEach(() => {
    shown.length = 0;
  });
  after(() => {
    window.withProgress = real;
  });

  const untilShown = async (): Promise<Shown> => {
    await waitUntil(
      () => Promise.resolve(shown.length),
      count => count > 0,
    );
    assert.equal(shown.length, 1);
    return shown[0]!;
  };

  it('shows no notification for fast work', async () => {
    assert.equal(await withProgress({ title }, () => Promise.resolve(3)), 3);
    await assert.rejects(
      withProgress({ title }, () => Promise.reject(new Error('It is dark.'))),
      /It is dark/u,
    );
    assert.deepEqual(shown, []);
  });

  /** The reports for progress `before` the notification is shown, and `then` one by one, of a total of 10. */
  const reportsOf = async (
    options: Omit<Parameters<typeof withProgress>[0], 'title'>,
    before: number,
    then: readonly number[],
  ): Promise<readonly Report[]> => {
    let tell: (done: number) => void = () => undefined;
    let finish: (answer: string) => void = () => undefined;
    const answer = withProgress({ title, ...options }, ({ onProgress }) => {
      tell = done => {
        onProgress({ done, total: 10 });
      };
      tell(before);
      return new Promise<string>(resolve => (finish = resolve));
    });
    const { reports } = await untilShown();
    const atFirst = [...reports];
    for (const done of then) tell(done);
    finish('low');
    assert.equal(await answer, 'low');
    assert.deepEqual(reports.slice(0, 1), atFirst);
    return reports;
  };
  const unit = (amount: number): string => `${amount} m`;

  it('shows a notification for slower work, starting at its current progress', async () => {
    // Less than a percent is not reported.
    assert.deepEqual(await reportsOf({ unit }, 1, [1, 1.05, 9]), [
      { increment: 10, message: '1 m of 10 m' },
      { increment: 80, message: '9 m of 10 m' },
    ]);
    assert.equal(shown[0]!.cancellable, true);
  });

  it('never decreases the bar', async () => {
    assert.deepEqual(await reportsOf({}, 5, [2, 6]), [{ increment: 50 }, { increment: 0 }, { increment: 10 }]);
  });

  it('reports the progress of each pass by message', async () => {
    const messages = ['10 m of 10 m', '3 m of 10 m', '10 m of 10 m'].map(message => ({ message }));
    assert.deepEqual(await reportsOf({ unit, hasMultiplePasses: true }, 10, [3, 10]), messages);
  });

  /** The outcome when cancelled work fails with an error. */
  const failureOf = async (error: Error): Promise<unknown> => {
    const work = withProgress(
      { title },
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(error);
          });
        }),
    );
    const ended = work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    (await untilShown()).cancel();
    return ended;
  };

  it('throws a CancellationError when it is cancelled', async () => {
    const failure = await failureOf(new EngineError('aborted', 'The reading was cancelled.'));
    assert.ok(failure instanceof vscode.CancellationError, String(failure));
  });

  it('throws any other error when it is cancelled', async () => {
    const failure = await failureOf(new EngineError('storeFull', 'The disk is full.'));
    assert.ok(EngineError.is(failure, 'storeFull'), String(failure));
  });

  it('has no cancel button when the work cannot be cancelled', async () => {
    let finish: () => void = () => undefined;
    const work = withProgress({ title, cancellable: false }, () => new Promise<void>(resolve => (finish = resolve)));
    assert.equal((await untilShown()).cancellable, false);
    finish();
    await work;
  });
});
