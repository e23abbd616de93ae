import assert from 'node:assert/strict';
import type { Memory } from '../../../src/engine/model/memory.js';
import { firstMinuteSteps, walkFirstMinute } from './firstMinute.js';
import { modelRequests, useChatWindows } from './kit/chat.js';
import { screenshot, type Storage, type Window } from './kit/window.js';
import { setTheme } from './kit/workbench.js';
import { runCommandLine } from './storeFixtures.js';

describe("a newcomer's first minute", () => {
  let storage: Storage;
  let opened: Window | undefined;
  useChatWindows(
    its => {
      storage = its;
    },
    () => opened,
  );

  it('is a sentence said by a click, known in a new session, and a click that shows why', async () => {
    const shown: string[] = [];
    await walkFirstMinute(
      storage,
      async window => {
        opened = window;
        await setTheme(window, 'Light 2026');
      },
      async (window, step) => {
        shown.push(step);
        await screenshot(window, `first-minute-${step}`);
      },
    );
    assert.deepEqual(shown, firstMinuteSteps);
    const memories = JSON.parse(await runCommandLine(storage, 'list', '--json')) as readonly Memory[];
    assert.deepEqual(
      memories.map(it => [it.content, it.store, it.lane]),
      [['We deploy on Tuesdays.', 'project', 'note']],
    );
    // The model of the new session asked the memory by itself.
    assert.ok(modelRequests(storage).some(it => it.step.tool === 'recollect_recall'));
  });
});
