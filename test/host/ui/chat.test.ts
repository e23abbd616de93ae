import assert from 'node:assert/strict';
import { waitForAnswer, useChatWindows, modelRequests, openChatWindow, sendMessage } from './kit/chat.js';
import { screenshot, type Storage, type Window } from './kit/window.js';
import { runCommandLine } from './storeFixtures.js';

describe('the chat agent', () => {
  let storage: Storage;
  let window: Window | undefined;

  useChatWindows(
    its => {
      storage = its;
    },
    () => window,
  );

  it('stores what it is asked to remember as a note, without a question', async () => {
    window = await openChatWindow(storage);
    await sendMessage(window, 'Remember that the ferry is called Perpetua');
    await waitForAnswer(window, '(project memory): the ferry is called Perpetua');
    await screenshot(window, 'chat-remembered');
    assert.match(await runCommandLine(storage, 'list', '--json'), /"lane":\s?"note"/u);
  });

  it('recalls the memory in a new process and a new profile', async () => {
    window = await openChatWindow(storage);
    await sendMessage(window, 'What is the ferry called?');
    await waitForAnswer(window, 'Perpetua');
    await screenshot(window, 'chat-recalled');
    const calls = modelRequests(storage).map(it => it.step.tool);
    assert.deepEqual(calls, ['recollect_remember', undefined, 'recollect_recall', undefined]);
  });
});
