import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { addressOf } from '../../postgres/kit.js';
import { PostgresServer } from '../../support/postgresServer.js';
import { until } from './kit/until.js';
import { openWindow, screenshot, useWindow, type Storage, type Window } from './kit/window.js';
import {
  answerDialog,
  answerInput,
  answerNotification,
  dialog,
  notifications,
  openContainer,
  pick,
  quickInput,
  quickPickRows,
  runCommand,
  sideBarRows,
} from './kit/workbench.js';
import { projectFile, runCommandLine, runCommandLineIn } from './storeFixtures.js';

const ferry = 'The ferry is called Perpetua.';
const harbor = 'The harbor closes at night in winter.';
const quay = 'The quay is 120 metres long.';
const tea = 'I prefer tea to coffee.';

const quickBox = (window: Window): Locator => window.page.locator('.quick-input-widget:visible');

describe('a project’s store that moves to a server in a window', () => {
  let server: PostgresServer;
  let storage: Storage;
  let window: Window;

  before(async () => {
    server = await PostgresServer.start();
    await server.asAdmin("CREATE ROLE mover LOGIN PASSWORD 'secret'; GRANT CREATE ON DATABASE team TO mover");
  });
  after(() => server.stop());

  useWindow(async its => {
    storage = its;
    await runCommandLine(storage, 'remember', '--store', 'project', ferry);
    await runCommandLine(storage, 'remember', '--store', 'global', tea);
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    await sideBarRows(window).filter({ hasText: ferry }).first().waitFor();
    return window;
  });

  const address = (): string => addressOf(server, 'mover', 'secret');
  const start = (): Promise<void> => runCommand(window, 'Recollect: Move Project Store…');
  const says = (text: string): Promise<unknown> =>
    until(`"${text}" is said`, async () => (await window.page.innerText('body')).includes(text));
  const clear = (): Promise<void> => runCommand(window, 'Notifications: Clear All Notifications');
  const rows = (text: string): Locator => sideBarRows(window).filter({ hasText: text });
  const row = (text: string): Promise<void> => rows(text).first().waitFor();
  const sideBar = (): Locator => window.page.locator('.part.sidebar');
  const sideBarSays = (text: string): Promise<unknown> =>
    until(`the explorer says "${text}"`, async () => (await sideBar().innerText()).includes(text));
  const onServer = (): Promise<string> =>
    runCommandLineIn(storage, server.environment('mover', 'secret'), 'list', '--scope', 'project-only');

  it('says what is wrong with an address where it was typed', async () => {
    await start();
    await quickInput(window).waitFor();
    await screenshot(window, 'move-address');
    const attempts = [
      ['localhost', 'That is no connection string'],
      [addressOf(server, 'mover', 'wrong'), 'does not let mover in'],
      ['postgres://mover:secret@127.0.0.1:1/team', 'cannot be reached now'],
      [addressOf(server, 'mover', 'secret').replace('/team', '/absent'), 'there is no such database'],
    ] as const;
    for (const [typed, problem] of attempts) {
      await answerInput(window, typed);
      await until(`"${problem}" is said`, async () => (await quickBox(window).innerText()).includes(problem));
      assert.equal(await quickInput(window).inputValue(), typed);
    }
    await screenshot(window, 'move-wrong-address');
    await answerInput(window, address());
    await dialog(window).filter({ hasText: '1 memory copied' }).waitFor();
    await screenshot(window, 'move-question');
  });

  it('leaves everything where it is when the question is declined', async () => {
    await answerDialog(window, 'Cancel');
    await dialog(window).waitFor({ state: 'hidden' });
    await start();
    await quickInput(window).waitFor();
    assert.equal(await quickInput(window).inputValue(), '');
    await window.page.keyboard.press('Escape');
    assert.match(await runCommandLine(storage, 'list', '--scope', 'project-only'), /Perpetua/u);
  });

  it('is used there after a question that says how much was copied', async () => {
    await start();
    await answerInput(window, address());
    await dialog(window).filter({ hasText: '1 memory copied' }).waitFor();
    await answerDialog(window, 'Use Them There');
    await says('The memories of this project are on the server now');
    await screenshot(window, 'move-moved');
    assert.match(await onServer(), /Perpetua/u);
    await row(ferry);
    await clear();
  });

  it('is written there, where another program finds it, and what that writes shows here', async () => {
    await runCommand(window, 'Recollect: Remember…');
    await answerInput(window, harbor);
    await row(harbor);
    assert.match(await onServer(), /harbor closes/u);
    const environment = server.environment('mover', 'secret');
    await runCommandLineIn(storage, environment, 'remember', '--store', 'project', quay);
    await row(quay);
    await clear();
  });

  it('is missing while the server is away, which the explorer says, and comes back by itself', async () => {
    await server.halt();
    try {
      await until('only the rest shows', async () => (await rows(ferry).count()) === 0);
      await row(tea);
      await sideBarSays('missing here until it can be used');
      await screenshot(window, 'move-away');
      await runCommand(window, 'Recollect: Remember…');
      await answerInput(window, 'The lighthouse of this project is red.');
      await notifications(window).filter({ hasText: 'It waits on this machine' }).waitFor();
      await row('lighthouse');
      await window.page.locator('.part.statusbar', { hasText: 'offline, 1 waiting' }).waitFor();
      await screenshot(window, 'move-away-remember');
    } finally {
      await server.resume();
    }
    await row(ferry);
    await until('the sentence is gone', async () => !(await sideBar().innerText()).includes('missing here'));
    await row('lighthouse');
    await until('nothing waits', async () => (await onServer()).includes('lighthouse'));
    assert.ok(!(await window.page.locator('.part.statusbar').innerText()).includes('waiting'));
    await screenshot(window, 'move-returned');
    await clear();
  });

  it('offers to delete the copy here, with a question', async () => {
    await start();
    await quickPickRows(window).first().waitFor();
    await screenshot(window, 'move-ways');
    await pick(window, 'Delete the Copy Here…');
    await dialog(window).filter({ hasText: 'stay' }).waitFor();
    await screenshot(window, 'move-delete-here');
    await answerDialog(window, 'Cancel');
    assert.ok(existsSync(projectFile(storage)));
    await start();
    await pick(window, 'Delete the Copy Here…');
    await answerDialog(window, 'Delete');
    await says('The copy is deleted');
    assert.ok(!existsSync(projectFile(storage)));
    await row(ferry);
    await clear();
  });

  it('takes another connection, and keeps the one before where that does not have the memories', async () => {
    await server.asAdmin("ALTER ROLE mover PASSWORD 'other'");
    await start();
    await pick(window, 'Change the Connection…');
    await answerInput(window, address());
    await until('it is said', async () => (await quickBox(window).innerText()).includes('does not let mover in'));
    await answerInput(window, addressOf(server, 'mover', 'other'));
    await says('The server has the memories of this project');
    await row(ferry);
    await server.asAdmin("ALTER ROLE mover PASSWORD 'secret'");
    await start();
    await pick(window, 'Change the Connection…');
    await answerInput(window, address());
    await until('it is said again', async () =>
      (await notifications(window).allInnerTexts()).join('').includes('uses them'),
    );
    await clear();
  });

  it('is missing in a window that does not know the connection, which says so and goes on with the rest', async () => {
    await window.close();
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    await row(tea);
    await sideBarSays('missing here until it can be used');
    await screenshot(window, 'move-unknown');
    assert.equal(await rows(ferry).count(), 0);
    await answerNotification(window, 'missing here until it can be used', 'Change the Connection…');
    await pick(window, 'Change the Connection…');
    await answerInput(window, address());
    await row(ferry);
    await clear();
  });

  it('comes back to this machine', async () => {
    await start();
    await pick(window, 'Move to This Machine');
    await says('The memories of this project are on this machine now');
    await screenshot(window, 'move-here');
    await row(harbor);
    await answerNotification(window, 'are on this machine now', 'Delete the Copy There…');
    await dialog(window).filter({ hasText: 'stay' }).waitFor();
    await screenshot(window, 'move-delete-there');
    await answerDialog(window, 'Delete');
    await says('The copy is deleted');
    const [found] = await server.asAdmin("SELECT count(*)::int FROM pg_namespace WHERE nspname LIKE 'recollect%'");
    assert.equal(found!.count, 0);
    assert.match(await runCommandLine(storage, 'list', '--scope', 'project-only'), /harbor closes/u);
  });
});
