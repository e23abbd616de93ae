import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { programOnPath, run } from '../../../../scripts/commandLine.mjs';
import type { Window } from './window.js';

/** The color themes of the pictures. */
export const themes = { light: 'Light 2026', dark: 'Dark 2026', contrast: 'High Contrast' } as const;
export type Theme = keyof typeof themes;

interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Saves a picture that belongs to the repository. @param clip a part of the window; default all of it */
export async function publishPicture(window: Window, path: string, clip?: Clip): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  await window.page.screenshot({ path, animations: 'disabled', ...(clip === undefined ? {} : { clip }) });
  // A third of the bytes for the same picture, where Debian's pngquant is installed.
  const smaller = programOnPath(['pngquant']);
  if (smaller !== undefined) await run(smaller, ['--force', '--ext', '.png', '--skip-if-larger', path]);
}
