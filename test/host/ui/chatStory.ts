// The animated picture of README.md: a fact is said in one chat, and known in the next.
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { chat, installTestModel, openChatWindow, waitForAnswer } from './kit/chat.js';
import { until } from './kit/until.js';
import { newStorage, type Storage } from './kit/window.js';
import { openFile, runCommand, setTheme } from './kit/workbench.js';

interface Frame {
  readonly png: Buffer;
  /** For which it shows. */
  readonly ms: number;
}

const themes = { light: 'Light 2026', dark: 'Dark 2026' } as const;
const size = { width: 1000, height: 600 };
/** Characters that are typed from one frame to the next. */
const charactersPerFrame = 5;
const typingMs = 140;
const readingMs = 2_600;
/** Two chats, each in a new process and a new browser profile. */
const chats = [
  { says: 'remember that we deploy on Tuesdays, never on Fridays', answer: 'I will remember that', file: 'tides.ts' },
  { says: 'can I deploy this on Friday?', answer: 'never on Fridays', file: 'departures.ts' },
] as const;

/** Writes media/readme/chat-THEME.webp. */
export async function animateChats(theme: keyof typeof themes): Promise<string> {
  const storage = await newStorage();
  try {
    await installTestModel(storage);
    const frames: Frame[] = [];
    for (const it of chats) frames.push(...(await filmChat(storage, themes[theme], it)));
    const file = join('media', 'readme', `chat-${theme}.webp`);
    await sharp(
      frames.map(it => it.png),
      { join: { animated: true } },
    )
      .webp({ delay: frames.map(it => it.ms), loop: 0, effort: 6, quality: 80, smartSubsample: true })
      .toFile(file);
    return file;
  } finally {
    storage.remove();
  }
}

async function filmChat(
  storage: Storage,
  theme: (typeof themes)[keyof typeof themes],
  { says, answer, file }: (typeof chats)[number],
): Promise<readonly Frame[]> {
  const window = await openChatWindow(storage, {
    // Otherwise VS Code offers other models above the input.
    settings: { 'chat.byokUtilityModelDefault': 'mainAgent' },
    environment: { RECOLLECT_TEST_MODEL_PROSE: '1' },
  });
  const { page } = window;
  const frames: Frame[] = [];
  const film = async (ms: number): Promise<void> => {
    frames.push({ png: await page.screenshot({ animations: 'disabled', caret: 'hide' }), ms });
  };
  try {
    await page.setViewportSize(size);
    await setTheme(window, theme);
    await openFile(window, file);
    await until('the side bar is closed', async () => {
      if (!(await page.locator('.part.sidebar').isVisible())) return true;
      await page.keyboard.press('Control+B');
      return false;
    });
    await runCommand(window, 'Notifications: Clear All Notifications');
    await runCommand(window, 'Chat: Open Chat');
    await chat(window).locator('.interactive-input-part .monaco-editor').click();
    await film(900);
    for (let typed = 0; typed < says.length; typed += charactersPerFrame) {
      await page.keyboard.type(says.slice(typed, typed + charactersPerFrame));
      await film(typingMs);
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await waitForAnswer(window, answer);
    await pause(1_500);
    await film(readingMs);
    return frames;
  } finally {
    await window.close();
  }
}
