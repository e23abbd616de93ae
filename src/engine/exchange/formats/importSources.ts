import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { ImportFormat, ImportRefusal } from '../../model/importReport.js';
import type { Kind, StoreKind } from '../../model/memory.js';
import { splitFacts } from '../../text/factSplitter.js';
import { lerimContentOf, parseLerimFile } from './lerimFile.js';
import { removeSection } from '../../base/markedSection.js';
import { readTextFile } from '../../base/atomicFile.js';

/** A fact as a file tells it. */
export interface ImportItem {
  readonly content: string;
  /** Where in the file, for the report. */
  readonly where: string;
  readonly kind?: Kind;
  readonly tags?: readonly string[];
  /** 0-100. */
  readonly confidence?: number;
  /** ISO-8601 UTC: when it was told. */
  readonly at?: string;
  readonly store?: StoreKind;
}

/** A file below the path, or the file itself. */
export interface ImportFile {
  readonly file: string;
  /** As the report names it; with slashes. */
  readonly name: string;
}

/** More are no memories but a folder picked by mistake. */
const maxFiles = 20_000;
/** Deeper than any of the layouts. */
const maxDepth = 8;
const lerimFolders = ['decisions', 'learnings', 'summaries'];

/** What kind of thing lies at a path. @throws EngineError unsupportedFile | invalidInput where nothing tells */
export async function detectFormat(inputPath: string): Promise<ImportFormat> {
  if (await isFolder(inputPath)) {
    const names = new Set(
      (await readdir(inputPath)).concat(await readdir(path.join(inputPath, 'memory')).catch(() => [])),
    );
    if (lerimFolders.some(it => names.has(it))) return 'lerim';
    if (path.basename(inputPath) === 'memories' || names.has('memories')) return 'copilot';
  } else if (/\.(?:md|markdown|mdc)$/iu.test(inputPath)) {
    return 'markdown';
  } else {
    for await (const line of readTextLines(inputPath)) {
      const first = line.trim();
      if (first === '') continue;
      if (/^\{\s*"recollect"\s*:\s*"export"/u.test(first)) return 'recollect';
      if (/"type"\s*:\s*"(?:entity|relation)"/u.test(first)) return 'mcp';
      break;
    }
  }
  throw new EngineError('invalidInput', message`Nothing at ${inputPath} says what it is. Name its format.`);
}

/** The files to be read; of a folder all Markdown and JSON below it, links not followed. */
export async function listImportFiles(inputPath: string): Promise<readonly ImportFile[]> {
  if (!(await isFolder(inputPath))) return [{ file: inputPath, name: path.basename(inputPath) }];
  const found: ImportFile[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const it of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(folder, it.name);
      if (it.isDirectory() && depth < maxDepth && it.name !== 'node_modules' && it.name !== '.git') {
        await visit(file, depth + 1);
      } else if (it.isFile() && /\.(?:md|json)$/iu.test(it.name)) {
        found.push({ file, name: path.relative(inputPath, file).replaceAll(path.sep, '/') });
      }
      if (found.length > maxFiles)
        throw new EngineError('invalidInput', message`${inputPath} holds more than ${maxFiles} files.`);
    }
  };
  await visit(inputPath, 0);
  return found;
}

async function isFolder(inputPath: string): Promise<boolean> {
  try {
    return (await stat(inputPath)).isDirectory();
  } catch (error) {
    const { code = '?' } = error as NodeJS.ErrnoException;
    throw new EngineError(
      'unsupportedFile',
      message`${inputPath} cannot be read (${code}). Look whether it is there.`,
      {
        cause: error,
      },
    );
  }
}

/** The lines of a file of any size. @param onBytes is told how far the reading is */
export async function* readTextLines(
  file: string,
  onBytes: (bytes: number) => void = () => undefined,
): AsyncGenerator<string> {
  const stream = createReadStream(file);
  const lines = createInterface({ input: stream.setEncoding('utf8'), crlfDelay: Infinity });
  let first = true;
  try {
    for await (const line of lines) {
      yield first ? line.replace(/^\uFEFF/u, '') : line;
      first = false;
      onBytes(stream.bytesRead);
    }
  } finally {
    lines.close();
    stream.destroy();
  }
}

/** A Markdown file with frontmatter, by the folder it lies in. */
export async function* readLerimItems({ file, name }: ImportFile): AsyncGenerator<ImportItem | ImportRefusal> {
  const folder = name.split('/').findLast(it => lerimFolders.includes(it) || it === 'archived');
  const inArchive = name.split('/').includes('archived');
  if (folder === undefined || !name.endsWith('.md')) return;
  if (inArchive) {
    yield { where: name, reason: 'It is archived there.' };
    return;
  }
  const read = parseLerimFile((await readTextFile(file)).text ?? '');
  if ('refused' in read) {
    yield { where: name, reason: read.refused };
    return;
  }
  const { created, kind, tags, confidence } = read;
  yield {
    content: lerimContentOf(read),
    where: name,
    kind: lerimKindOf(folder, kind),
    store: 'project',
    ...(tags === undefined ? {} : { tags }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(created === undefined ? {} : { at: created }),
  };
}

/** What a file's folder says about it; a folder that says nothing leaves it to the file. */
export function lerimKindOf(folder: string, kind: Kind | undefined): Kind {
  if (folder === 'decisions') return kind === 'architecture' ? kind : 'decision';
  return folder === 'summaries' ? 'summary' : (kind ?? 'insight');
}

/** The reference memory server's graph: entities with observations, and relations, a line each. */
export async function* readMcpItems(
  { file }: ImportFile,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportItem | ImportRefusal> {
  let lineNumber = 0;
  for await (const line of readTextLines(file, onBytes)) {
    lineNumber++;
    const where = `line ${lineNumber}`;
    if (line.trim() === '') continue;
    const entry = parseJsonObject(line);
    const toText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
    const name = toText(entry?.name);
    if (entry?.type === 'entity' && name !== '' && Array.isArray(entry.observations)) {
      const type = toText(entry.entityType).toLowerCase();
      for (const observation of entry.observations as readonly unknown[]) {
        const observationText = toText(observation);
        if (observationText === '') {
          yield { where, reason: 'An observation is no text.' };
          continue;
        }
        // On its own an observation does not say what it is about.
        const content = observationText.toLowerCase().includes(name.toLowerCase())
          ? observationText
          : `${name}: ${observationText}`;
        yield { content, where, ...(type === '' ? {} : { tags: [type.slice(0, 64)] }) };
      }
    } else if (entry?.type === 'relation' && toText(entry.from) !== '' && toText(entry.to) !== '') {
      const verb = toText(entry.relationType).replaceAll(/[_\s]+/gu, ' ') || 'relates to';
      yield { content: `${toText(entry.from)} ${verb} ${toText(entry.to)}.`, where };
    } else {
      yield { where, reason: 'It is neither an entity nor a relation.' };
    }
  }
}

/** Copilot's memory tool: Markdown or one JSON object a file; below `repo` the project's, beside it the person's. */
export async function* readCopilotItems({ file, name }: ImportFile): AsyncGenerator<ImportItem | ImportRefusal> {
  const parts = name.split('/');
  const pathBelowMemories = parts.slice(parts.lastIndexOf('memories') + 1);
  if (pathBelowMemories.length > 1 && pathBelowMemories[0] !== 'repo') {
    yield { where: name, reason: 'It belongs to one chat alone.' };
    return;
  }
  const { text = '' } = await readTextFile(file);
  const store: StoreKind | undefined = pathBelowMemories.length > 1 ? 'project' : undefined;
  const storeField = store === undefined ? {} : { store };
  if (!name.endsWith('.json')) {
    for (const content of splitFacts(stripCode(text))) yield { content, where: name, ...storeField };
    return;
  }
  const entry = parseJsonObject(text);
  if (typeof entry?.fact !== 'string' || entry.fact.trim() === '') yield { where: name, reason: 'It holds no fact.' };
  else {
    const subject = typeof entry.subject === 'string' ? entry.subject.trim().slice(0, 64) : '';
    yield { content: entry.fact, where: name, ...(subject === '' ? {} : { tags: [subject] }), ...storeField };
  }
}

/** The items of the lists of a file that people write for assistants, with their headings; not our own section. */
export async function* readMarkdownItems(
  { file, name }: ImportFile,
  isInProject: boolean,
): AsyncGenerator<ImportItem | ImportRefusal> {
  const text = removeSection((await readTextFile(file)).text ?? '', file);
  const prose = stripCode(text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n/u, ''));
  for (const content of splitFacts(extractLists(prose))) {
    yield { content, where: name, ...(isInProject ? { store: 'project' } : {}) };
  }
}

/** Without fenced code and HTML comments. */
function stripCode(text: string): string {
  return text
    .replace(/^\uFEFF/u, '')
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?^[ \t]*\1[`~]*[ \t]*$|[\s\S]*$)/gmu, '')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/gu, '');
}

/** Headings, lead-ins that end in a colon, items, and the lines that continue an item. */
function extractLists(text: string): string {
  let inItem = false;
  const kept = text.split('\n').filter(line => {
    if (/^\s*(?:[-*+]|\d{1,3}[.)])\s+\S/u.test(line)) return (inItem = true);
    if (inItem && /^\s+\S/u.test(line)) return true;
    inItem = false;
    return /^\s{0,3}#{1,6}\s/u.test(line) || line.trim() === '';
  });
  // A heading without a list says nothing.
  return kept.join('\n').replaceAll(/^#{1,6}\s[^\n]*\n\s*(?=#{1,6}\s|$(?![\s\S]))/gmu, '');
}

function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
