import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { isInside } from '../../base/paths.js';
import { openRegularFile } from '../../base/regularFile.js';
import type { Gate, Kind, StoreKind } from '../../model/memory.js';

/** A fact read from a file. */
export interface ImportItem {
  readonly content: string;
  /** Location within the source, for the report. */
  readonly where: string;
  readonly gate?: Gate;
  readonly kind?: Kind;
  readonly tags?: readonly string[];
  /** 0-100. */
  readonly confidence?: number;
  /** ISO-8601 UTC, when the fact was recorded. */
  readonly at?: string;
  readonly store?: StoreKind;
}

export interface ImportFile {
  /** Absolute path. */
  readonly file: string;
  /** Path below the imported folder, with slashes; the base name for a single file. */
  readonly name: string;
}

/** A folder with more files was picked by mistake. */
const maxFiles = 20_000;
/** Deeper than any of the layouts. */
const maxDepth = 8;

/** Instructions files and folders of a project, by path below it. */
const instructionPaths =
  /^(?:(?:CLAUDE(?:\.local)?|AGENTS(?:\.override)?|GEMINI)\.md|\.(?:cursor|windsurf|cline)rules|\.claude\/CLAUDE\.md|\.(?:claude|cursor|windsurf)\/rules\/.*|\.clinerules\/.*|memory-bank\/.*|\.github\/(?:copilot-instructions\.md|instructions\/.*))$/iu;
/** Whether a file is an assistant's instructions for a project. @param name path below the project, with slashes */
export function isInstructionsFile(name: string): boolean {
  return instructionPaths.test(name);
}

/** Folders of which every Markdown file is meant. */
const instructionFolders = /^(?:memory-bank|rules|memory|memories|instructions|\.clinerules)$/iu;

/** Instructions of a folder within a project, which hold there alone. */
const folderInstructions = /\/(?:CLAUDE|AGENTS|GEMINI)\.md$/iu;

/** Files of assistants in a folder. */
export interface InstructionFiles {
  /** Instructions and memories: all of a folder made for them, the known ones of a project. */
  readonly files: readonly ImportFile[];
  /** Paths of instructions that are of a folder further down, and are not read with the project's. */
  readonly ofFolders: readonly string[];
}

export async function listInstructionFiles(folder: string): Promise<InstructionFiles> {
  const files = (await listImportFiles(folder)).filter(it => !it.name.endsWith('.json'));
  const isMadeForThem =
    instructionFolders.test(path.basename(folder)) || files.some(it => /^MEMORY\.md$/u.test(it.name));
  if (isMadeForThem) return { files, ofFolders: [] };
  // `.cursor` or `.github` itself.
  const prefix = path.basename(folder).startsWith('.') ? `${path.basename(folder)}/` : '';
  const isOfProject = (it: ImportFile): boolean => isInstructionsFile(prefix + it.name);
  return {
    files: files.filter(isOfProject),
    ofFolders: files.filter(it => !isOfProject(it) && folderInstructions.test(it.name)).map(it => it.name),
  };
}

/**
 * Lists the files to import: the path itself, or all Markdown and JSON files below a folder. A link counts as the file that it
 * leads to where that is in the folder too, as CLAUDE.md and AGENTS.md often are one. Another link, a pipe or a device is
 * listed to be refused by name.
 * @throws EngineError unsupportedFile | invalidInput (too many files)
 */
export async function listImportFiles(inputPath: string): Promise<readonly ImportFile[]> {
  if (!(await isFolder(inputPath))) return [{ file: inputPath, name: path.basename(inputPath) }];
  const found: ImportFile[] = [];
  const root = await realpath(inputPath);
  const resolveInside = async (link: string): Promise<string> => {
    const real = await realpath(link).catch(() => link);
    return isInside(root, real) ? real : link;
  };
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && depth < maxDepth && entry.name !== 'node_modules' && entry.name !== '.git') {
        await visit(file, depth + 1);
      } else if (
        !entry.isDirectory() &&
        /(?:\.(?:md|mdc|json)|^\.(?:cursor|windsurf|cline)rules)$/iu.test(entry.name)
      ) {
        found.push({
          file: entry.isSymbolicLink() ? await resolveInside(file) : file,
          name: path.relative(inputPath, file).replaceAll(path.sep, '/'),
        });
      }
      if (found.length > maxFiles)
        throw new EngineError('invalidInput', message`${inputPath} holds more than ${maxFiles} files.`);
    }
  };
  await visit(inputPath, 0);
  return found;
}

/** Characters of a line that are read; what is longer is no memory, and is cut, so that no file fills the memory. */
const maxLineCharacters = 4_000_000;

/**
 * Streams the lines of a file.
 * @param onBytes receives the number of bytes read so far
 * @param maxBytes of the file; by default those of any file, and Infinity for a person's own export
 * @throws EngineError unsupportedFile where it is larger, or no regular file
 */
export async function* readTextLines(
  file: string,
  onBytes: (bytes: number) => void = () => undefined,
  maxBytes?: number,
): AsyncGenerator<string> {
  const handle = await openRegularFile(file, maxBytes === undefined ? {} : { maxBytes });
  const stream = handle.createReadStream({ encoding: 'utf8' });
  // Not by node:readline, which also splits inside a string of JSON (U+2028), and keeps a line of any length.
  let rest = '';
  let isFirst = true;
  const add = (part: string): void => {
    if (rest.length < maxLineCharacters) rest += part;
  };
  const take = (): string => {
    const line = rest.slice(0, maxLineCharacters).replace(/\r$/u, '');
    rest = '';
    if (!isFirst) return line;
    isFirst = false;
    return line.replace(/^\uFEFF/u, '');
  };
  try {
    for await (const chunk of stream as AsyncIterable<string>) {
      let start = 0;
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
        add(chunk.slice(start, end));
        start = end + 1;
        yield take();
        onBytes(stream.bytesRead);
      }
      add(chunk.slice(start));
    }
    if (rest !== '') yield take();
    onBytes(stream.bytesRead);
  } finally {
    stream.destroy();
  }
}

/** @throws EngineError notFound, and unsupportedFile where the path is neither a folder nor a file that can be read */
export async function isFolder(inputPath: string): Promise<boolean> {
  try {
    if ((await stat(inputPath)).isDirectory()) return true;
    await (await openRegularFile(inputPath, { maxBytes: Infinity })).close();
    return false;
  } catch (error) {
    if (EngineError.is(error)) throw error;
    const { code = '?' } = error as NodeJS.ErrnoException;
    throw new EngineError(
      code === 'ENOENT' ? 'notFound' : 'unsupportedFile',
      message`${inputPath} cannot be read (${code}). Look whether it is there.`,
      { cause: error },
    );
  }
}
