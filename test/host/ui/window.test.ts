import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './kit/until.js';
import { newStorage, openWindow, captureFailures, screenshot, type Storage, type Window } from './kit/window.js';
import {
  clickCodeLens,
  codeLenses,
  goToLine,
  notifications,
  openContainer,
  openFile,
  runCommand,
  setTheme,
  sideBarRows,
  webview,
} from './kit/workbench.js';

describe('the package in a clean profile', () => {
  let storage: Storage;
  let window: Window | undefined;

  before(async () => {
    storage = await newStorage();
    window = await openWindow(storage, { settings: { 'typescript.referencesCodeLens.enabled': true } });
  });
  after(async () => {
    await window?.close();
    storage.remove();
  });
  afterEach(captureFailures(() => [window]));

  it('is installed', async () => {
    await openContainer(window!, 'Extensions');
    const row = sideBarRows(window!).filter({ hasText: 'Memory for your coding assistants' });
    await row.waitFor();
    assert.match(await row.innerText(), /Recollect/u);
    await screenshot(window!, 'installed');
  });

  it('syncs nothing while nothing is remembered', async () => {
    await runCommand(window!, 'Recollect: Sync Markdown…');
    await notifications(window!)
      .filter({ hasText: 'Nothing to sync: no memories and no Markdown here yet.' })
      .waitFor();
    await screenshot(window!, 'nothing-to-sync');
    assert.equal(existsSync(join(storage.workspace, '.recollect')), false);
    await runCommand(window!, 'Notifications: Clear All Notifications');
  });

  // What follows is VS Code's own: it shows that the kit can see and do what later tests need.

  it('has symbols for the sample workspace', async () => {
    await openFile(window!, 'departures.ts');
    await goToLine(window!, 15);
    // Once ours is rendered too, none are redrawn under the pointer.
    await codeLenses(window!, 'Remember this').waitFor();
    await clickCodeLens(codeLenses(window!, '1 reference').first(), window!.page.locator('.peekview-widget'));
    await screenshot(window!, 'codelens');
  });

  it('shows webviews', async () => {
    await openFile(window!, 'README.md');
    await runCommand(window!, 'Markdown: Open Preview');
    await until('the preview is there', async () => (await webview(window!).innerText()).includes('ferry crew'));
  });

  it('changes its theme', async () => {
    await setTheme(window!, 'Dark 2026');
    await screenshot(window!, 'dark');
  });
});
