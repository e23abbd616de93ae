import assert from 'node:assert/strict';
import {
  waitForAnswer,
  chat,
  confirmTool,
  useChatWindows,
  modelRequests,
  openChatWindow,
  sendMessage,
} from './kit/chat.js';
import { until } from './kit/until.js';
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

  it('calls a tool after a confirmation', async () => {
    window = await openChatWindow(storage);
    await sendMessage(window, 'Remember that the ferry is called Perpetua');
    const question = chat(window).locator('.chat-confirmation-widget2, .chat-confirmation-widget').first();
    await until('it shows the text to keep', async () => {
      const text = await question.innerText();
      return text.includes('Remember this?') && text.includes('the ferry is called Perpetua');
    });
    const shownAt = Date.now();
    await screenshot(window, 'chat-confirmation');
    // A faster approval would count as automatic (src/vscode/toolApprovals.ts).
    await until('a person has read it', () => Date.now() - shownAt > 500);
    await confirmTool(window, 'Allow');
    await waitForAnswer(window, '(project memory): the ferry is called Perpetua');
    await screenshot(window, 'chat-remembered');
    assert.match(await runCommandLine(storage, 'list', '--json'), /"lane":\s?"confirmed"/u);
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
