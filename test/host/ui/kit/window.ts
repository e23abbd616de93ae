import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, openPage } from '../../../../scripts/browser.mjs';
import { createSampleWorkspace } from '../../../../scripts/sampleWorkspace.mjs';
import { installExtension, startWebHost, windowAddress, type WebHost } from '../../../../scripts/webHost.mjs';
import { until } from './until.js';

/** The state that survives a window: user data, installed extensions and the sample workspace. */
export interface Storage {
  readonly folder: string;
  readonly workspace: string;
  /** The extension's global storage folder, which VS Code creates on first use. */
  readonly globalStorage: string;
  /** Those that are open on it. */
  readonly windows: Set<Window>;
  remove(): void;
}

/** A window with its own server process and browser profile. */
export interface Window {
  readonly page: Page;
  readonly storage: Storage;
  /** Ends the window, its browser profile and the server with its extension hosts. */
  close(): Promise<void>;
}

export interface WindowOptions {
  /** Overrides of the default settings of the tests. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A folder or file to open instead of the storage's sample workspace. */
  readonly folder?: string;
  /** For the server and its extension hosts. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Called before the workbench is loaded. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** A clean profile with the packaged extension installed. */
export async function newStorage(): Promise<Storage> {
  const vsix = process.env.RECOLLECT_TEST_VSIX;
  if (vsix === undefined)
    throw new Error('RECOLLECT_TEST_VSIX names no package: run these tests by `npm run test:ui`.');
  const folder = mkdtempSync(join(tmpdir(), 'recollect-ui-'));
  const workspace = join(folder, 'harbour');
  createSampleWorkspace(workspace);
  await installExtension(folder, vsix);
  return {
    folder,
    workspace,
    globalStorage: join(folder, 'user-data', 'User', 'globalStorage', 'recollect.recollect'),
    windows: new Set(),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Opens VS Code on a storage, which a previous window may have used. */
export async function openWindow(storage: Storage, options: WindowOptions = {}): Promise<Window> {
  const host = await startWebHost({
    storage: storage.folder,
    // Found alike on a busy machine, where the encoder may answer too late; the stage of the assistants has it.
    settings: { 'recollect.embeddings': 'static', ...options.settings },
    environment: { ...options.environment },
  });
  const browser = await openBrowser().catch(async (error: unknown) => {
    await host.stop();
    throw error;
  });
  const close = createCloser(host, browser);
  try {
    const page = await openPage(browser);
    await options.prepare?.(page);
    await page.goto(windowAddress(host, options.folder ?? storage.workspace));
    await until('the workbench is there', () => page.locator('.monaco-workbench .statusbar-item').first().isVisible());
    const window: Window = {
      page,
      storage,
      close: async () => {
        storage.windows.delete(window);
        await close();
      },
    };
    storage.windows.add(window);
    return window;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Saves what the window shows as out/screenshots/NAME.png. */
export async function screenshot(window: Window, name: string): Promise<void> {
  const folder = join('out', 'screenshots');
  mkdirSync(folder, { recursive: true });
  await window.page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

/**
 * Around the tests of a suite: a storage of its own and the window that `open` opens on it. Both are gone afterwards,
 * and a test that fails leaves a picture.
 */
export function useWindow(open: (storage: Storage) => Promise<Window>): void {
  let storage: Storage | undefined;
  let window: Window | undefined;
  before(async () => {
    storage = await newStorage();
    window = await open(storage);
  });
  after(async () => {
    for (const it of storage?.windows ?? []) await it.close();
    storage?.remove();
  });
  afterEach(captureFailures(() => [window]));
}

/** Saves a picture of every window of a failed test. Use as `afterEach(picturesOfFailure(() => [window]))`. */
export function captureFailures(windows: () => readonly (Window | undefined)[]) {
  return async function (this: Mocha.Context): Promise<void> {
    const test = this.currentTest;
    if (test?.state !== 'failed') return;
    const name = test.fullTitle().replace(/\W+/gu, '-').slice(0, 80);
    for (const [index, window] of windows().entries()) {
      if (window === undefined) continue;
      await screenshot(window, `failed-${name}-${index}`).catch(() => undefined);
      console.log(`      The window shows ${await describePage(window).catch(String)}`);
    }
  };
}

/** What a picture would show at first sight, for where only a log is kept. */
async function describePage({ page }: Window): Promise<string> {
  const texts = async (selector: string): Promise<string[]> =>
    (await page.locator(selector).allInnerTexts()).slice(0, 20);
  return JSON.stringify({
    tabs: await texts('.tab.active'),
    notifications: await texts('.notification-list-item'),
    quickInput: await texts('.quick-input-widget:visible'),
    lenses: await texts('.codelens-decoration'),
    focus: await page.evaluate('`${document.hasFocus()} ${document.activeElement?.className}`'),
  });
}

function createCloser(host: WebHost, browser: Browser): () => Promise<void> {
  return async () => {
    await browser.close();
    await host.stop();
  };
}
