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
  after(async () => {
    await window?.close();
    storage.remove();
  });
  afterEach(picturesOfFailure(() => [window]));

  it('calls a tool, asking first', async () => {
    window = await openChatWindow(storage);
    await screenshot(window, 'chat-empty');
    await say(window, 'Remember that the ferry is called Perpetua');
    await screenshot(window, 'chat-sent');
    await confirmTool(window, 'Allow');
    await answerContaining(window, 'Stored: the ferry is called Perpetua');
    await screenshot(window, 'chat-remembered');
    await window.close();
  });

  it('knows it in a new process and a new profile', async () => {
    window = await openChatWindow(storage);
    await say(window, 'What is the ferry called?');
    await answerContaining(window, 'Perpetua');
    await screenshot(window, 'chat-recalled');
    assert.equal(modelRequests(storage).length, 4);
  });
});
