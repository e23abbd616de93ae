import { lstat, mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile, resolveRealPath } from '../base/atomicFile.js';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { isInside } from '../base/paths.js';
import { lerimFolders, parseLerimFile, type LerimFile } from '../exchange/formats/lerim.js';
import { shortId, type Kind, type Memory } from '../model/memory.js';
import { findSecret } from '../secrets/secretScanner.js';
import { toSingleLineSummary } from '../text/singleLine.js';

/** A folder with more files was picked by mistake. */
const maxFiles = 20_000;
/** `archived/summaries/YYYYMMDD/HHMMSS/name.md` and one more level. */
const maxDepth = 6;
const maxSlugLength = 60;
/** Device names of Windows. */
const windowsReservedName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u;

/** A Markdown file of the mirror. */
export interface MirrorFile {
  /** Path below the mirror, with slashes. */
  readonly name: string;
  readonly text: string;
  /** `refused` is the reason why the file cannot be parsed. */
  readonly parsed: LerimFile | { readonly refused: string };
}

export interface ParsedMirrorFile extends MirrorFile {
  readonly parsed: LerimFile;
}

export function isParsed(file: MirrorFile): file is ParsedMirrorFile {
  return !('refused' in file.parsed);
}

export function refusalReasonOf({ parsed }: MirrorFile): string {
  return 'refused' in parsed ? parsed.refused : '';
}

/**
 * All Markdown files of the mirror, at the top and in the folders of the layout, without following links. What is a link, a
 * pipe or a device in the place of a file is refused, and not taken for a file that a person deleted.
 */
export async function listMirrorFiles(root: string): Promise<readonly MirrorFile[]> {
  const found: MirrorFile[] = [];
  const top = await readdir(root, { withFileTypes: true }).catch(() => []);
  for (const entry of top) {
    if (!entry.isDirectory() && /\.md$/iu.test(entry.name) && !/^(?:\.|readme\.md$)/iu.test(entry.name))
      found.push(await readMirrorFile(root, entry.name));
  }
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return [];
      if (code === 'ENOTDIR')
        throw new EngineError(
          'unsupportedFile',
          message`${path.join(root, folder)} is no folder: it, or one above it, is a file, a pipe or a device. Move it away, or name another folder.`,
          { cause: error },
        );
      throw error;
    });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory() && depth < maxDepth) await visit(name, depth + 1);
      else if (!entry.isDirectory() && /\.md$/iu.test(entry.name) && !entry.name.startsWith('.')) {
        found.push(await readMirrorFile(root, name));
        if (found.length > maxFiles)
          throw new EngineError('invalidInput', message`${root} holds more than ${maxFiles} files.`);
      }
    }
  };
  for (const folder of [...lerimFolders, 'archived']) await visit(folder, 1);
  return found;
}

async function readMirrorFile(root: string, name: string): Promise<MirrorFile> {
  const secret = findSecret(name);
  if (secret !== undefined)
    return { name, text: '', parsed: { refused: `Its name holds a secret (${secret.label}). Rename it.` } };
  try {
    const { text = '' } = await readTextFile(path.join(root, name), { followLinks: false });
    return { name, text, parsed: findDamage(text) ?? refuseSecretId(parseLerimFile(text)) };
  } catch (error) {
    if (EngineError.is(error, 'unsupportedFile')) return { name, text: '', parsed: { refused: error.message } };
    throw error;
  }
}

/** The id goes to the store with the rest. */
function refuseSecretId(parsed: MirrorFile['parsed']): MirrorFile['parsed'] {
  const secret = 'refused' in parsed || parsed.id === undefined ? undefined : findSecret(parsed.id);
  return secret === undefined ? parsed : { refused: `Its id holds a secret (${secret.label}). Take it out.` };
}

/** Marks that a merge or another program left in a file, so that its text is not what a person wrote. */
function findDamage(text: string): { readonly refused: string } | undefined {
  if (/^(?:<{7}|>{7})(?: |$)/mu.test(text))
    return { refused: 'It holds conflict markers of a merge. Resolve them first.' };
  const second =
    /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*\r?\n\s*---[ \t]*\r?\n(?:[\w-]+:.*\r?\n)+---[ \t]*(?:\r?\n|$)/u;
  return second.test(text) ? { refused: 'It has two blocks of frontmatter. Leave one.' } : undefined;
}

/** Why a folder cannot be taken for what a person did to its files; undefined where it can. */
export async function findMissingReason(root: string, files: number): Promise<'gone' | 'link' | 'empty' | undefined> {
  const entry = await lstat(root).catch(() => undefined);
  if (entry === undefined) return 'gone';
  if (entry.isSymbolicLink()) return 'link';
  return files === 0 ? 'empty' : undefined;
}

/** The real path of a file in the mirror, which may not exist yet. @throws EngineError unsupportedFile where a link leads out of the mirror */
export async function resolveInMirror(root: string, name: string): Promise<string> {
  const [realRoot, file] = [await resolveRealPath(root), await resolveRealPath(path.join(root, name))];
  if (isInside(realRoot, file)) return file;
  throw new EngineError('unsupportedFile', message`${name} leads out of ${root} by a link. Remove the link.`);
}

export async function moveMirrorFile(root: string, from: string, to: string): Promise<void> {
  const [source, target] = [await resolveInMirror(root, from), await resolveInMirror(root, to)];
  await mkdir(path.dirname(target), { recursive: true });
  await rename(source, target);
}

/**
 * A file name for a memory that is valid on every file system and not taken.
 * @param takenNames in lower case
 */
export function chooseFileName(memory: Memory, takenNames: ReadonlySet<string>): string {
  const words = toSingleLineSummary(memory.content)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, maxSlugLength)
    .replaceAll(/^-+|(?<!-)-+$/gu, '');
  const slug = words === '' || windowsReservedName.test(words) ? `memory-${shortId(memory)}` : words;
  const [date, time] = [memory.createdAt.slice(0, 10), memory.createdAt.slice(11, 19)];
  const timeFolders = memory.kind === 'summary' ? `/${date.replaceAll('-', '')}/${time.replaceAll(':', '')}` : '';
  const folder = `${memory.status === 'active' ? '' : 'archived/'}${folderForKind(memory.kind)}${timeFolders}`;
  const simpleName = `${folder}/${slug}.md`;
  return takenNames.has(simpleName) ? `${folder}/${slug}-${shortId(memory)}.md` : simpleName;
}

export function folderForKind(kind: Kind): string {
  if (kind === 'decision' || kind === 'architecture') return 'decisions';
  return kind === 'summary' ? 'summaries' : 'learnings';
}

export function isArchivedPath(name: string): boolean {
  return name.startsWith('archived/');
}
