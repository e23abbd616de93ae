import assert from 'node:assert/strict';
import { answerContaining, chat, confirmTool, aroundChats, modelRequests, openChatWindow, say } from './kit/chat.js';
import { until } from './kit/until.js';
import { screenshot, type Storage, type Window } from './kit/window.js';
import { commandLine } from './memory.js';

describe('the chat agent', () => {
  let storage: Storage;
  let window: Window | undefined;

  aroundChats(
    its => {
      storage = its;
    },
    () => window,
  );

  it('calls a tool after a confirmation', async () => {
    window = await openChatWindow(storage);
    await say(window, 'Remember that the ferry is called Perpetua');
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
    await answerContaining(window, '(project memory): the ferry is called Perpetua');
    await screenshot(window, 'chat-remembered');
    assert.match(await commandLine(storage, 'list', '--json'), /"lane":\s?"confirmed"/u);
  });

  it('recalls the memory in a new process and a new profile', async () => {
    window = await openChatWindow(storage);
    await say(window, 'What is the ferry called?');
    await answerContaining(window, 'Perpetua');
    await screenshot(window, 'chat-recalled');
    const calls = modelRequests(storage).map(it => it.step.tool);
    assert.deepEqual(calls, ['recollect_remember', undefined, 'recollect_recall', undefined]);
  });
});
