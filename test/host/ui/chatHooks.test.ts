import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chat, installTestModel, modelRequests, openChatWindow, sendMessage } from './kit/chat.js';
import { until } from './kit/until.js';
import { screenshot, useWindow, type Storage, type Window } from './kit/window.js';
import { rememberOne, runCommandLine } from './storeFixtures.js';

const pitfall = 'Never run `make flash` while the bench is powered: the probe locks up.';
const guard = 'Ask me before `make launch`: it fires the real engine.';
const cause = '"No rule to make target" means that the boards are missing: fetch them with the boards script.';

/** The file of hooks that the user guide has for VS Code's chat, with the command line that is tested. */
function hooksOfGuide({ globalStorage }: Storage): string {
  const guide = readFileSync(join('docs', 'user-guide', 'claude-code-and-mcp.md'), 'utf8');
  const text = /```json\n(\{\s+"hooks": \{\s+"SessionStart".*?)```/su.exec(guide)![1]!;
  const commandLine = `${process.execPath} ${resolve('dist', 'cli.js')}`;
  return text.replaceAll(
    /"recollect (hook [a-z-]+)"/gu,
    (_, hook: string) => `"${commandLine} ${hook} --timeout 60 --data-dir ${globalStorage}", "timeout": 60`,
  );
}

describe("the hooks of VS Code's chat", () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    await installTestModel(storage);
    await rememberOne(storage, pitfall, '--kind', 'pitfall');
    await rememberOne(storage, cause, '--kind', 'gotcha');
    await runCommandLine(storage, 'pin', '--guard', await rememberOne(storage, guard));
    const folder = join(storage.workspace, '.github', 'hooks');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'recollect.json'), hooksOfGuide(storage));
    window = await openChatWindow(storage);
    return window;
  });

  it('give the model the briefing at its start, and a pitfall of a command with what it said', async () => {
    await sendMessage(window, 'Run: make flash');
    await chat(window).getByRole('button', { name: 'Allow' }).first().click({ timeout: 60_000 });
    const requests = await until('the model is given what the command said', () => {
      const all = modelRequests(storage);
      return all.some(it => it.last.results.length > 0) ? all : undefined;
    });
    await screenshot(window, 'chat-hooks');
    const [first] = requests;
    const after = requests.find(it => it.last.results.length > 0)!;
    assert.ok(first!.memories?.includes(pitfall) === true, first!.instructions);
    const said = after.last.results.join('\n');
    assert.ok(said.includes(pitfall), said);
  });

  it('have the person asked before what they guard, with the line as the reason', async () => {
    await sendMessage(window, 'Run: make launch');
    const question = chat(window).getByText('the user wants to be asked before').locator('visible=true').first();
    await question.waitFor({ timeout: 60_000 });
    await screenshot(window, 'chat-hooks-guard');
    const skip = chat(window).getByRole('button', { name: 'Skip' }).first();
    await skip.click({ timeout: 60_000 });
    await skip.waitFor({ state: 'hidden' });
  });

  it('give the model what is remembered about an error, with its next command at the latest', async () => {
    const failing = `echo "make: *** No rule to make target 'probe'"; echo 'Run next: sleep 3'; (exit 2)`;
    await sendMessage(window, `Run: ${failing}`);
    for (let command = 0; command < 2; command++)
      await chat(window).getByRole('button', { name: 'Allow' }).first().click({ timeout: 60_000 });
    const last = await until('the model is given what both commands said', () =>
      modelRequests(storage).findLast(it => it.step.text !== undefined && it.results.length > 2),
    );
    await screenshot(window, 'chat-hooks-failed');
    const said = last.results.join('\n');
    assert.ok(said.includes(cause), said);
  });
});
