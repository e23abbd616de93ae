import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Memory } from '../../../src/engine/model/memory.js';
import { waitForAnswer, installTestModel, openChatWindow, sendMessage } from './kit/chat.js';
import { until } from './kit/until.js';
import { useWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { answerDialog, answerNotification, dialog, notifications, runCommand } from './kit/workbench.js';
import { runCommandLine, rememberOne } from './storeFixtures.js';

const rule = 'From now on never paint the pier green.';
const known = 'We always paint the boathouse red, never blue.';

/** The chat sessions that VS Code has stored. */
function chatLog({ folder }: Storage): string {
  const storage = join(folder, 'user-data', 'User', 'workspaceStorage');
  const names = readdirSync(storage, { recursive: true, encoding: 'utf8' });
  const files = names.filter(it => it.includes('chatSessions') && it.endsWith('.jsonl'));
  return files.map(it => readFileSync(join(storage, it), 'utf8')).join('');
}

describe('capture of chats in a window', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    await installTestModel(storage);
    await rememberOne(storage, known);
    window = await openChatWindow(storage);
    return window;
  });

  const list = async (): Promise<Memory[]> => JSON.parse(await runCommandLine(storage, 'list', '--json')) as Memory[];

  it('stores notes from messages of the user, none from results of tools, and undoes it', async () => {
    await sendMessage(window, rule);
    await waitForAnswer(window, 'Nothing to do for');
    await sendMessage(window, 'What colour has the boathouse?');
    await waitForAnswer(window, known);
    await until('VS Code has written the chat', () => chatLog(storage).includes('The tool said'));
    assert.ok(chatLog(storage).includes(known), 'the tool’s answer is in the file that is read');

    await runCommand(window, 'Recollect: Capture Sessions…');
    await until('it says what it reads', async () => {
      const text = await dialog(window).innerText();
      return text.includes('Keep notes from your chats in VS Code?') && text.includes('2 turns of yours, 2 answers');
    });
    await screenshot(window, 'capture-chats-consent');
    assert.deepEqual(
      (await list()).map(it => it.content),
      [known],
    );
    await answerDialog(window, 'Allow and Capture');
    await notifications(window).filter({ hasText: '1 note kept from 1 session' }).first().waitFor();
    await screenshot(window, 'capture-chats-done');

    // Nothing was done in the chat, so that there is no summary of it.
    assert.deepEqual(
      (await list()).map(it => [it.content, it.lane, it.reinforcementCount]).sort(),
      [
        [rule, 'note', 1],
        [known, 'confirmed', 1],
      ].sort(),
    );

    await answerNotification(window, '1 note kept', 'Undo');
    await until('the note is archived', async () => (await list()).length === 1);
    await runCommand(window, 'Recollect: Capture Sessions…');
    await notifications(window).filter({ hasText: 'There is nothing new' }).first().waitFor();
  });
});
