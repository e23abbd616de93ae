import assert from 'node:assert/strict';
import { newStorage, openWindow, picturesOfFailure, screenshot, type Storage, type Window } from './kit/window.js';
import { openContainer, openFile, sideBarRows } from './kit/workbench.js';

describe('the package in a clean profile', () => {
  let storage: Storage;
  let window: Window | undefined;

  before(async () => {
    storage = await newStorage();
    window = await openWindow(storage);
  });
  after(async () => {
    await window?.close();
    storage.remove();
  });
  afterEach(picturesOfFailure(() => [window]));

  it('is installed', async () => {
    await openContainer(window!, 'Extensions');
    const row = sideBarRows(window!).filter({ hasText: 'Memory for your coding assistants' });
    await row.waitFor();
    assert.match(await row.innerText(), /Recollect/u);
    await screenshot(window!, 'installed');
  });

  it('shows the sample workspace', async () => {
    await openFile(window!, 'departures.ts');
    await screenshot(window!, 'workspace');
  });
});
