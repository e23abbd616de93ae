import assert from 'node:assert/strict';
import {
  installTestModel,
  modelRequests,
  openChatWindow,
  pickAgent,
  type ModelRequest,
  sendMessage,
  useChatWindows,
  waitForAgent,
  waitForAnswer,
} from './kit/chat.js';
import type { Conflict } from '../../../src/engine/model/conflict.js';
import { until } from './kit/until.js';
import { screenshot, useWindow, type Storage, type Window } from './kit/window.js';
import { statusBar, webview } from './kit/workbench.js';
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
    await waitForAnswer(window, 'Stored #');
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
    // The status bar says how many memories the answer used, and a click shows which.
    await statusBar(window, '1 used').click();
    await webview(window).getByText('the ferry is called Perpetua').first().waitFor();
    await screenshot(window, 'status-bar-answer');
  });

  it('replaces a memory that no longer holds', async () => {
    const [memory] = JSON.parse(await runCommandLine(storage, 'list', '--json')) as readonly { readonly id: string }[];
    const id = memory!.id.slice(-8);
    window = await openChatWindow(storage);
    await sendMessage(window, `Remember instead of #${id} that the ferry is called Felicity`);
    await waitForAnswer(window, 'Replaces #');
    await screenshot(window, 'chat-replaced');
    const [conflict] = JSON.parse(await runCommandLine(storage, 'conflicts', '--json')) as readonly Conflict[];
    assert.deepEqual(
      [conflict?.older.memory.id, conflict?.mark?.outdated, conflict?.mark?.by],
      [memory!.id, 'older', 'model'],
    );
  });

  it('recalls the new memory in a new process, with the old text under it', async () => {
    window = await openChatWindow(storage);
    await sendMessage(window, 'What is the ferry called?');
    const answer = await waitForAnswer(window, 'Perpetua');
    await screenshot(window, 'chat-recalled-replaced');
    assert.match(answer, /· note\] the ferry is called Felicity\s+before \([^)]+\): the ferry is called Perpetua/iu);
    assert.equal(answer.match(/the ferry is called/giu)?.length, 2);
  });
});

describe('what the extension adds to the chat', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    await installTestModel(storage);
    window = await openChatWindow(storage);
    await runCommandLine(storage, 'remember', '--store', 'project', 'The ferry is called Felicity.');
    return window;
  });

  /** What the model answered by a call; VS Code may ask it for other things in between, such as a title. */
  const requestsThatCall = (tool: string): readonly ModelRequest[] =>
    modelRequests(storage).filter(it => it.step.tool === tool);

  it('is a command that recalls, with the tool for that alone', async () => {
    await waitForAgent(window, 'Memory Keeper');
    // VS Code forgets the tools of a command when it changes to another session meanwhile, as a window may that was just opened.
    await sendMessage(window, 'What is the ferry called?');
    await waitForAnswer(window, 'called Felicity');
    const before = requestsThatCall('recollect_recall').length;
    await sendMessage(window, '/recollect-recall What is the ferry called?');
    await until('the model calls the tool', () => requestsThatCall('recollect_recall').length > before);
    await waitForAnswer(window, 'called Felicity');
    await screenshot(window, 'chat-prompt-file');
    const { tools, instructions } = requestsThatCall('recollect_recall').at(-1)!;
    assert.deepEqual(ownTools(tools), ['recall']);
    assert.ok(instructions.includes('Tell me what my memory holds about what I wrote'), instructions);
  });

  it('is an agent that keeps memories, with the tools it needs', async () => {
    await pickAgent(window, 'Memory Keeper');
    await sendMessage(window, 'Remember that the ferry has two decks');
    await waitForAnswer(window, 'Stored #');
    await screenshot(window, 'chat-agent');
    const { tools, instructions } = requestsThatCall('recollect_remember').at(-1)!;
    assert.deepEqual(ownTools(tools), ['recall', 'remember', 'revise']);
    assert.ok(instructions.includes('You keep long-term memories for the user.'), instructions);
  });
});

/** Names of our tools among those that a model was offered. */
const ownTools = (tools: readonly string[]): readonly string[] =>
  tools.flatMap(it => /^recollect_(\w+)$/u.exec(it)?.[1] ?? []).sort();
