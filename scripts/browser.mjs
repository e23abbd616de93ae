import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runOrThrow, programOnPath, logStep } from './commandLine.mjs';

const browserNames = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'msedge',
];

/** Nothing of a test leaves this machine: no other name resolves, and any other request is aborted. */
const loopback = /^(127\.0\.0\.1|localhost|\[::1\])$/;
const loopbackFlag = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost';

/** Quiet, and without a sandbox where we are root (it does not start there). */
const browserFlags = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', loopbackFlag],
];

/** @returns {Promise<import('playwright-core').Browser>} headless; the caller closes it */
export async function openBrowser() {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: await ensureBrowser(), args: browserFlags });
}

/**
 * VS Code keeps what a window shows in idle moments, and Chromium without a screen can go without one for minutes, though
 * it has nothing to do: an idle moment comes within a second.
 */
const idleCallbackScript = `{
  const { requestIdleCallback } = window;
  window.requestIdleCallback = (callback, options) => requestIdleCallback(callback, { timeout: 1_000, ...options });
}`;

/** Ends a wait for an element that never comes; below the limit of a test, so that the error names the element. */
const waitTimeoutMs = 120_000;

/**
 * A page in a profile of its own, as wide as a person's window.
 * @param {import('playwright-core').Browser} browser
 */
export async function openPage(browser) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  await context.route(
    address => address.protocol.startsWith('http') && !loopback.test(address.hostname),
    route => route.abort(),
  );
  await context.addInitScript(idleCallbackScript);
  context.setDefaultTimeout(waitTimeoutMs);
  return context.newPage();
}

/**
 * A Chromium of this machine; on Debian as root one is installed when there is none.
 * @returns {Promise<string>} its path
 */
export async function ensureBrowser() {
  const found = findBrowser();
  if (found !== undefined) return found;
  const apt = programOnPath(['apt-get']);
  if (apt !== undefined && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    logStep('Installing Chromium (no browser was found)');
    const environment = { DEBIAN_FRONTEND: 'noninteractive' };
    await runOrThrow(apt, ['-q', 'update'], { environment });
    await runOrThrow(apt, ['-q', '-y', '--no-install-recommends', 'install', 'chromium'], { environment });
    const installed = findBrowser();
    if (installed !== undefined) return installed;
  }
  throw new Error('No browser was found: install Chromium, Chrome or Edge, or set BROWSER_PATH to the one to use.');
}

function findBrowser() {
  const chosen = process.env.BROWSER_PATH;
  if (chosen !== undefined) {
    if (existsSync(chosen)) return chosen;
    throw new Error(`BROWSER_PATH names ${chosen}, which does not exist.`);
  }
  return wellKnownPaths().find(it => existsSync(it)) ?? programOnPath(browserNames);
}

function wellKnownPaths() {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(it => `/Applications/${it}.app/Contents/MacOS/${it}`);
  }
  if (process.platform !== 'win32') return [];
  const folders = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA];
  return folders
    .filter(it => it !== undefined)
    .flatMap(it => [
      join(it, 'Google/Chrome/Application/chrome.exe'),
      join(it, 'Microsoft/Edge/Application/msedge.exe'),
    ]);
}
