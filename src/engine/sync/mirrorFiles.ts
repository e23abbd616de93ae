import { createHash } from 'node:crypto';
import { readdir, rename, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { shortId, type Kind, type Lane, type Memory } from '../model/memory.js';
import { toSingleLineSummary } from '../text/normalizeText.js';
import { lerimKindOf } from '../exchange/formats/importSources.js';
import { lerimContentOf, parseLerimFile, serializeLerimFile, type LerimFile } from '../exchange/formats/lerimFile.js';
import { resolveRealPath, readTextFile } from '../base/atomicFile.js';

/** More are no memories but a folder picked by mistake. */
const maxFiles = 20_000;
/** `archived/summaries/YYYYMMDD/HHMMSS/name.md`, and one more. */
const maxDepth = 6;
const maxSlugLength = 60;
/** Names that Windows keeps for devices. */
const windowsReservedName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u;

/** What both sides have in common: what a sync carries from one to the other. */
export interface SyncedFields {
  readonly content: string;
  readonly tags: readonly string[];
  readonly kind: Kind;
  readonly lane: Lane;
  readonly archived: boolean;
}

/** What was synced last of one memory and its file. */
export interface SyncState {
  readonly memory: string;
  /** Below the mirror, with slashes. */
  readonly name: string;
  /** The file's own id: the memory's, or that of another program. */
  readonly fileId: string;
  /** Of {@link SyncedFields}. */
  readonly print: string;
  /** Absent where it is not known what was synced last. */
  readonly lane?: Lane;
  readonly title: string;
  /** The title is part of what is remembered, and not just its summary. */
  readonly titled: boolean;
  /** The person deleted the file. */
  readonly gone: boolean;
}

/** A file of the mirror as it is. */
export interface MirrorFile {
  readonly name: string;
  readonly text: string;
  readonly parsed: LerimFile | { readonly refused: string };
}

/** Equal prints = nothing to carry over. */
export function fingerprintFields({ content, tags, kind, lane, archived }: SyncedFields): string {
  return createHash('sha256')
    .update(JSON.stringify([content, [...tags].sort(), kind, lane, archived]))
    .digest('base64url');
}

/**
 * What holds where a person keeps the file though the memory has changed as well. They chose its text; a confirmation
 * that was given meanwhile is taken back only by a file whose lane somebody changed.
 */
export function mergeFileOverMemory(file: SyncedFields, memory: Memory, { lane: before }: SyncState): SyncedFields {
  if (before !== undefined) return { ...file, lane: file.lane === before ? memory.lane : file.lane };
  return { ...file, lane: memory.lane === 'confirmed' ? memory.lane : file.lane };
}

export function fieldsFromMemory({ content, tags, kind, lane, status }: Memory): SyncedFields {
  return { content, tags, kind, lane, archived: status !== 'active' };
}

/** What a file says; what it leaves out is as before, or what its folder and `lane` say. */
export function fieldsFromFile(
  name: string,
  read: LerimFile,
  before: { readonly synced?: SyncState; readonly memory?: Memory; readonly lane: Lane },
): SyncedFields {
  const { synced, memory, lane } = before;
  const isSummary = synced !== undefined && !synced.titled && read.title === synced.title && read.body !== '';
  const folder = name.split('/').findLast(it => ['decisions', 'learnings', 'summaries'].includes(it)) ?? '';
  const folderKind =
    memory !== undefined && folderForKind(memory.kind) === folder ? memory.kind : lerimKindOf(folder, undefined);
  const tags = read.tags?.map(it => it.toLowerCase().slice(0, 64)).slice(0, 20);
  return {
    content: isSummary ? read.body : lerimContentOf(read),
    tags: tags === undefined ? (memory?.tags ?? []) : [...new Set(tags)],
    kind: read.kind ?? folderKind,
    lane: memory === undefined ? lane : (read.lane ?? memory.lane),
    archived: isArchivedPath(name),
  };
}

export function isArchivedPath(name: string): boolean {
  return name.startsWith('archived/');
}

/** The text of a memory's file. @param existing the file as it is, whose other keys stay */
export function renderMirrorFile(
  memory: Memory,
  existing: { readonly text: string; readonly synced: SyncState } | undefined,
): { readonly text: string; readonly title: string; readonly titled: boolean } {
  const { content, createdAt, updatedAt, confidence, tags, kind, lane, provenance, id } = memory;
  const keptTitle = existing?.synced.titled === true ? existing.synced.title : '';
  const titled = keptTitle !== '' && content.startsWith(`${keptTitle}\n\n`);
  const title = titled ? keptTitle : toSingleLineSummary(content);
  const values = {
    id: existing?.synced.fileId ?? id,
    title,
    created: createdAt,
    updated: updatedAt,
    source: provenance.source,
    confidence: Math.round(confidence) / 100,
    tags,
    kind,
    lane,
  };
  const body = titled ? content.slice(keptTitle.length + 2) : content;
  return { text: serializeLerimFile(values, body, existing?.text), title, titled };
}

/** A name that no other file has, on any file system, whatever the text. @param taken lower case */
export function chooseFileName(memory: Memory, taken: ReadonlySet<string>): string {
  const words = toSingleLineSummary(memory.content)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, maxSlugLength)
    .replaceAll(/^-+|-+$/gu, '');
  const slug = words === '' || windowsReservedName.test(words) ? `memory-${shortId(memory)}` : words;
  const [date, time] = [memory.createdAt.slice(0, 10), memory.createdAt.slice(11, 19)];
  const at = memory.kind === 'summary' ? `/${date.replaceAll('-', '')}/${time.replaceAll(':', '')}` : '';
  const folder = `${memory.status === 'active' ? '' : 'archived/'}${folderForKind(memory.kind)}${at}`;
  const simpleName = `${folder}/${slug}.md`;
  return taken.has(simpleName) ? `${folder}/${slug}-${shortId(memory)}.md` : simpleName;
}

function folderForKind(kind: Kind): string {
  if (kind === 'decision' || kind === 'architecture') return 'decisions';
  return kind === 'summary' ? 'summaries' : 'learnings';
}

/** Every Markdown file in the folders of the layout; links are not followed. */
export async function listMirrorFiles(root: string): Promise<readonly MirrorFile[]> {
  const found: MirrorFile[] = [];
  const visit = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(path.join(root, below), { withFileTypes: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    });
    for (const it of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = `${below}/${it.name}`;
      if (it.isDirectory() && depth < maxDepth) await visit(name, depth + 1);
      else if (it.isFile() && /\.md$/iu.test(it.name) && !it.name.startsWith('.')) {
        found.push(await readMirrorFile(root, name));
        if (found.length > maxFiles)
          throw new EngineError('invalidInput', message`${root} holds more than ${maxFiles} files.`);
      }
    }
  };
  for (const folder of ['decisions', 'learnings', 'summaries', 'archived']) await visit(folder, 1);
  return found;
}

async function readMirrorFile(root: string, name: string): Promise<MirrorFile> {
  try {
    const { text = '' } = await readTextFile(path.join(root, name));
    return { name, text, parsed: parseLerimFile(text) };
  } catch (error) {
    if (EngineError.is(error, 'unsupportedFile')) return { name, text: '', parsed: { refused: error.message } };
    throw error;
  }
}

/** Where a file of the mirror lies, or is to lie. @throws EngineError unsupportedFile where a link leads out of the mirror */
export async function resolveInMirror(root: string, name: string): Promise<string> {
  const [real, file] = [await resolveRealPath(root), await resolveRealPath(path.join(root, name))];
  const relative = path.relative(real, file);
  if (relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative)) return file;
  throw new EngineError('unsupportedFile', message`${name} leads out of ${root} by a link. Remove the link.`);
}

export async function moveMirrorFile(root: string, from: string, to: string): Promise<void> {
  const [old, next] = [await resolveInMirror(root, from), await resolveInMirror(root, to)];
  await mkdir(path.dirname(next), { recursive: true });
  await rename(old, next);
}
