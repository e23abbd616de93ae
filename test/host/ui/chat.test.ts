import assert from 'node:assert/strict';
import { answerContaining, confirmTool, installTestModel, modelRequests, openChatWindow, say } from './kit/chat.js';
import { newStorage, picturesOfFailure, screenshot, type Storage, type Window } from './kit/window.js';

describe('the chat agent', () => {
  let storage: Storage;
  let window: Window | undefined;

  before(async () => {
    storage = await newStorage();
    await installTestModel(storage);
  });
  after(() => {
    storage.remove();
  });
  afterEach(picturesOfFailure(() => [window]));
  afterEach(async () => {
    await window?.close();
  });

  it('calls a tool, asking first', async () => {
    window = await openChatWindow(storage);
    await say(window, 'Remember that the ferry is called Perpetua');
    await confirmTool(window, 'Allow');
    await answerContaining(window, 'Stored: the ferry is called Perpetua');
    await screenshot(window, 'chat-remembered');
  });

  it('knows it in a new process and a new profile', async () => {
    window = await openChatWindow(storage);
    await say(window, 'What is the ferry called?');
    await answerContaining(window, 'Perpetua');
    await screenshot(window, 'chat-recalled');
    const calls = modelRequests(storage).map(it => it.step.tool);
    assert.deepEqual(calls, ['standIn_remember', undefined, 'standIn_recall', undefined]);
  });
});
