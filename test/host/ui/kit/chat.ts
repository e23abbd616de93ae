import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { installExtension } from '../../../../scripts/webHost.mjs';
import { until } from './until.js';
import { newStorage, openWindow, captureFailures, type Storage, type Window, type WindowOptions } from './window.js';
import { runCommand } from './workbench.js';

const modelName = 'Scripted';
/** A script for the page, so it is not bundled. */
const enableChatAgent = join('test', 'host', 'ui', 'kit', 'enableChatAgent.js');

/** One request to the scripted model, as test/fixtures/model-extension logs it. */
export interface ModelRequest {
  readonly last: { readonly text: string; readonly results: readonly string[] };
  readonly tools: readonly string[];
  /** Names of the skills that it may read. */
  readonly skills: readonly string[];
  /** All that stands in its messages. */
  readonly instructions: string;
  /** What of our memories stands in what people and hooks said. */
  readonly memories?: string;
  /** What all tools of the conversation have said, oldest first. */
  readonly results: readonly string[];
  readonly step: { readonly tool?: string; readonly input?: Readonly<Record<string, unknown>>; readonly text?: string };
}

/** Installs the scripted model into a storage and makes it known to the chat. */
export async function installTestModel(storage: Storage): Promise<void> {
  const vsix = process.env.RECOLLECT_TEST_MODEL_VSIX;
  if (vsix === undefined) throw new Error('RECOLLECT_TEST_MODEL_VSIX names no package: use `npm run test:ui`.');
  await installExtension(storage.folder, vsix);
  const models = join(storage.folder, 'user-data', 'User', 'chatLanguageModels.json');
  mkdirSync(dirname(models), { recursive: true });
  writeFileSync(models, JSON.stringify([{ name: modelName, vendor: 'recollect-test' }]));
}

/** Opens a window whose built-in chat agent works signed out and offline, with the scripted model selected. */
export async function openChatWindow(storage: Storage, options: WindowOptions = {}): Promise<Window> {
  const window = await openWindow(storage, {
    ...options,
    // Otherwise the chat shows a prompt for a second model above its input.
    settings: { 'chat.byokUtilityModelDefault': 'none', ...options.settings },
    environment: { ...options.environment, RECOLLECT_TEST_MODEL_LOG: modelLog(storage) },
    prepare: async page => {
      await page.addInitScript({ path: enableChatAgent });
    },
  });
  await runCommand(window, 'Chat: Open Chat');
  await until('the chat offers the scripted model', () =>
    chat(window).locator('.chat-input-toolbars', { hasText: modelName }).isVisible(),
  );
  return window;
}

/** The requests that the model has received, oldest first. */
export function modelRequests(storage: Storage): ModelRequest[] {
  const file = modelLog(storage);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map(it => JSON.parse(it) as ModelRequest);
}

/** Types a message into the chat and sends it. */
export async function sendMessage(window: Window, text: string): Promise<void> {
  const { page } = window;
  await chat(window).locator('.interactive-input-part .monaco-editor').click();
  await page.keyboard.type(text);
  // The completion list would handle the Enter.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
}

/** Waits until VS Code has read what the extension adds to the chat: files of agents and of commands. */
export async function waitForAgent(window: Window, name: string): Promise<void> {
  await until(`the chat has the agent ${name}`, async () => {
    await rowOfAgent(window, name);
    return true;
  });
  await window.page.keyboard.press('Escape');
}

/** Chooses the agent that the chat talks to. */
export async function pickAgent(window: Window, name: string): Promise<void> {
  await until(`the chat talks to the agent ${name}`, async () => {
    await (await rowOfAgent(window, name)).click({ timeout: 3_000 });
    return chat(window).locator('.chat-input-toolbars', { hasText: name }).isVisible();
  });
}

/** Opens the list of agents. @throws Error where it lacks the agent, and the list is closed */
async function rowOfAgent(window: Window, name: string): Promise<Locator> {
  const { page } = window;
  await chat(window).locator('.interactive-input-part .monaco-editor').click({ timeout: 2_000 });
  await page.keyboard.press('Control+.');
  const row = page.locator('.action-widget .monaco-list-row', { hasText: name }).first();
  try {
    await row.waitFor({ timeout: 3_000 });
    return row;
  } catch (error) {
    await page.keyboard.press('Escape');
    throw error;
  }
}

/** Sends a message to @recollect, whose name stays in the input after the first message. */
export async function sendToRecollect(window: Window, text: string): Promise<void> {
  const input = chat(window).locator('.interactive-input-part .monaco-editor .view-lines');
  const isThere = (await input.innerText()).includes('@recollect');
  await sendMessage(window, isThere ? text : `@recollect ${text}`);
}

/** Waits until the newest answer contains a text. @returns the whole answer */
export async function waitForAnswer(window: Window, text: string): Promise<string> {
  return until(`the chat answers with "${text}"`, async () => {
    const answer = await newestAnswer(window);
    return answer?.includes(text) === true ? answer : undefined;
  });
}

/** The chat's view. */
export function chat(window: Window): Locator {
  return window.page.locator('.interactive-session');
}

/**
 * Rows are virtualised and not in order: the newest is the one with the highest index. All in one look: rows come and
 * go.
 */
async function newestAnswer({ page }: Window): Promise<string | undefined> {
  const newest = await page.evaluate<string | null>(`
    [...document.querySelectorAll('.interactive-session .interactive-list .monaco-list-row')]
      .filter(it => it.querySelector('.interactive-response') !== null)
      .sort((a, b) => b.dataset.index - a.dataset.index)[0]?.innerText ?? null`);
  return newest ?? undefined;
}

function modelLog(storage: Storage): string {
  return join(storage.folder, 'model.log');
}

/**
 * Around tests that each open a chat window of their own: a storage with the test model.
 * @param opened the last window
 */
export function useChatWindows(begun: (storage: Storage) => void, opened: () => Window | undefined): void {
  let storage: Storage | undefined;
  before(async () => {
    storage = await newStorage();
    await installTestModel(storage);
    begun(storage);
  });
  after(() => {
    storage?.remove();
  });
  afterEach(captureFailures(() => [opened()]));
  afterEach(async () => {
    await opened()?.close();
  });
}
