// `@path` on a line of its own: the other file is part of the instructions.
import { lstat, realpath, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isInside } from '../../base/paths.js';

/** A line that stands for another file. */
export interface Include {
  /** From 1. */
  readonly line: number;
  /** As it is written. */
  readonly path: string;
}

/** As deep as Claude Code follows them. */
export const maxIncludeDepth = 5;

const includePattern = /^[ \t]*(?:[-*+][ \t]+)?@(?<path>(?:~\/|\.{0,2}\/)?[\w.-](?:[\w./ -]*[\w./-])?)[ \t]*$/u;
/** The whole text of a link that was checked out as text. */
const linkPattern = /^\s*(?<path>(?:\.{1,2}\/)*[\w./-]+\.mdc?)\s*$/u;

/**
 * The includes of a text outside of code, and the text with their lines blank. A name of a package or a person (`@scope/x`)
 * is none.
 * @param folder of the file
 */
export function takeIncludes(
  text: string,
  folder: string,
): { readonly text: string; readonly includes: readonly Include[] } {
  const link = linkPattern.exec(text)?.groups?.path;
  if (link !== undefined)
    return { text: '', includes: [{ line: text.slice(0, text.indexOf(link)).split('\n').length, path: link }] };
  const includes: Include[] = [];
  let fence: string | undefined;
  const lines = text.split('\n').map((line, i) => {
    const mark = /^[ \t]*(`{3,}|~{3,})/u.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence;
    const found = fence === undefined ? includePattern.exec(line)?.groups?.path : undefined;
    if (found === undefined || !(/\.(?:mdc?|txt|markdown)$/iu.test(found) || isThere(found, folder))) return line;
    includes.push({ line: i + 1, path: found });
    return '';
  });
  return { text: lines.join('\n'), includes };
}

function isThere(name: string, folder: string): boolean {
  return existsSync(resolveInclude(name, folder));
}

function resolveInclude(name: string, folder: string): string {
  return name.startsWith('~/') ? path.join(os.homedir(), name.slice(2)) : path.resolve(folder, name);
}

/** The file of an include, links followed, or why it is not read, as a sentence. @param root holds all that may be read */
export async function findInclude(
  name: string,
  folder: string,
  root: string,
): Promise<{ readonly file: string } | { readonly reason: string }> {
  const file = await realpath(resolveInclude(name, folder)).catch(() => undefined);
  if (!isInside(root, file ?? resolveInclude(name, folder)))
    return { reason: `It stands for ${name}, which is outside of the project and is not read.` };
  if (file === undefined || !(await stat(file)).isFile())
    return { reason: `It stands for ${name}, which is not there.` };
  return { file };
}

/** The path; where it is a link to something in the same project, that. */
export async function followProjectLink(linkOrFile: string): Promise<string> {
  const isLink = (await lstat(linkOrFile).catch(() => undefined))?.isSymbolicLink() === true;
  const real = isLink ? await realpath(linkOrFile).catch(() => undefined) : undefined;
  if (real === undefined) return linkOrFile;
  const folder = await realpath(path.dirname(linkOrFile));
  return isInside(await includeRoot(path.join(folder, 'file')), real) ? real : linkOrFile;
}

/** The folder of the repository that a file lies in, links followed; its own folder where it lies in none. */
export async function includeRoot(file: string): Promise<string> {
  const folder = path.dirname(await realpath(file).catch(() => path.resolve(file)));
  const home = await realpath(os.homedir()).catch(() => os.homedir());
  for (let at = folder; ; at = path.dirname(at)) {
    if (at !== home && existsSync(path.join(at, '.git'))) return at;
    if (at === path.dirname(at) || at === home) return folder;
  }
}
