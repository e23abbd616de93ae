import { access, constants, lstat, mkdir, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile, resolveRealPath } from '../base/atomicFile.js';
import { EngineError } from '../base/errors.js';
import { runGit } from '../base/git.js';
import { message } from '../base/localizableMessage.js';
import { isInside } from '../base/paths.js';
import { TimeSlicer } from '../base/timeSlicer.js';
import {
  appendToRegularFile,
  describeFileError,
  fileError,
  isFileError,
  openRegularFile,
  toFileError,
} from '../base/regularFile.js';
import { requireWorkspaceFolder, storeOfFolder, type Context } from '../context.js';
import { readTextLines } from '../exchange/formats/importFiles.js';
import type { ImportRefusal } from '../model/importReport.js';
import type { TeamFileChange, TeamInit } from '../model/team.js';
import { isStorableField } from '../secrets/storableText.js';
import type { Store } from '../store/store.js';
import { defaultTeamFolder, folderRecordId } from './folderState.js';
import { hashTeamLine, parseTeamLine, type PlacedLine } from './teamLine.js';

/** Bytes of one file: some thousand memories that one member shared in one month. */
const maxFileBytes = 4 * 1024 * 1024;
/** Bytes of all files. */
const maxTotalBytes = 64 * 1024 * 1024;
const maxFiles = 2_000;
/** Of all files, good and bad: each new one is compared with what is remembered. */
const maxLines = 50_000;
/** Lines of one file that are left out and named one by one. */
const maxNamed = 20;
/** Of what Recollect writes; others are named and left. */
const fileNamePattern = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,100}\.jsonl$/u;

const attributesName = '.gitattributes';
const attributesLine = '*.jsonl text eol=lf merge=union\n';
const readmeText = `# Shared memories

Memories that members of this project share through git: one JSON line each, written by \`recollect team share\`. Lines are only
added. A line that withdraws another one is added too, and git keeps both. \`recollect team sync\` takes in what others shared.
`;

/** The folder of a project in which its team shares memories. */
export interface TeamFolder {
  readonly store: Store;
  /** The top of the working copy, whichever folder of it is open; the open folder where it is in none. Absolute. */
  readonly project: string;
  /** Absolute. */
  readonly root: string;
  /** Path below `project`, with slashes. */
  readonly name: string;
}

export interface TeamLines {
  readonly lines: readonly PlacedLine[];
  /** Lines that are dated ahead, and left until then; none of a server, which caps times by its own. */
  readonly early: readonly EarlyLine[];
  readonly refused: readonly ImportRefusal[];
}

/** A line that is dated ahead of this machine's clock. */
export interface EarlyLine extends Pick<PlacedLine, 'id' | 'at' | 'hash' | 'file'> {
  readonly where: string;
  readonly reason: string;
}

/**
 * The folder that was chosen for the project, or the usual one. It need not exist.
 * @param given another one, absolute or from the top of the working copy
 * @throws EngineError invalidInput (no project is open; the folder is not in it) | unsupportedFile
 */
export async function locateTeamFolder(ctx: Context, given?: string): Promise<TeamFolder> {
  const opened = requireWorkspaceFolder(ctx, undefined);
  const store = storeOfFolder(ctx, opened);
  if (given?.trim() === '') throw new EngineError('invalidInput', 'The folder has no name. Name one in the project.');
  if (given !== undefined && /[\p{C}\p{Zl}\p{Zp}]/u.test(given)) {
    throw new EngineError(
      'invalidInput',
      'The name of the folder holds a control character or one that is not seen. Name another one.',
    );
  }
  const project = await findTop(opened);
  const kept = await store.record<{ readonly folder: string }>('state', folderRecordId);
  const root = path.resolve(project, given ?? kept?.body.folder ?? defaultTeamFolder);
  const [realProject, realRoot] = [await realpath(project), await resolveRealPath(root)];
  if (realRoot === realProject) {
    throw new EngineError(
      'invalidInput',
      message`${root} is the project itself, whose files would be taken for lines. Name a folder in it.`,
    );
  }
  const isGits = /(?:^|[\\/])\.git(?:[\\/]|$)/iu.test(path.relative(realProject, realRoot));
  if (isGits || !isInside(project, root) || !isInside(realProject, realRoot)) {
    throw new EngineError(
      'invalidInput',
      message`${root} is not below ${project}, or is git's own, or a link leads out of it. Name a folder in the project, which git carries to the others.`,
    );
  }
  return { store, project, root, name: path.relative(project, root).replaceAll(path.sep, '/') };
}

/** The top of a folder's working copy: members open it, or a part of it, and share one folder. */
async function findTop(folder: string): Promise<string> {
  // As the folder is named, and not where a link leads, as long as that is one place.
  const [way, real] = (await runGit(folder, 'rev-parse', '--show-cdup', '--show-toplevel')).split('\n');
  if (way === undefined || real === undefined || real === '') return folder;
  const top = path.resolve(folder, way);
  const isOne = (await realpath(top).catch(() => '')) === (await realpath(real).catch(() => real));
  return isOne ? top : path.resolve(real);
}

/** Whether the folder is there. @throws EngineError unsupportedFile where something else is */
export async function teamFolderExists({ root }: TeamFolder): Promise<boolean> {
  const entry = await lstat(root).catch(() => undefined);
  if (entry === undefined || entry.isDirectory()) return entry !== undefined;
  throw new EngineError(
    'unsupportedFile',
    message`${root} is no folder: a file, a link or a device is there. Move it away, or name another folder.`,
  );
}

/** What making the folder would write. @throws EngineError invalidInput where it is in no git repository | unsupportedFile */
export async function previewTeamFolder(folder: TeamFolder): Promise<TeamInit> {
  await teamFolderExists(folder);
  if ((await runGit(folder.project, 'rev-parse', '--is-inside-work-tree')).trim() !== 'true') {
    throw new EngineError(
      'invalidInput',
      message`${folder.project} is in no git repository that git can read. Run git init there, or clone the team's repository.`,
    );
  }
  const changes: TeamFileChange[] = [];
  const { text: attributes = '' } = await readTextFile(path.join(folder.root, attributesName), { followLinks: false });
  if (!/^\*\.jsonl\s(?:.*\s)?merge=union(?:\s|$)/mu.test(attributes))
    changes.push({ file: `${folder.name}/${attributesName}`, text: startLine(attributes) + attributesLine });
  const readme = await readTextFile(path.join(folder.root, 'README.md'), { followLinks: false });
  if (readme.text === undefined) changes.push({ file: `${folder.name}/README.md`, text: readmeText });
  const ignored = await runGit(folder.project, 'check-ignore', '--', path.join(folder.root, 'a.jsonl'));
  return { folder: folder.name, changes, isIgnored: ignored.trim() !== '' };
}

/** Makes the folder and its files, and keeps it as the project's where it is not the usual one. */
export async function makeTeamFolder(ctx: Context, folder: TeamFolder, { changes }: TeamInit): Promise<void> {
  await mkdir(folder.root, { recursive: true });
  for (const { file, text } of changes) await appendToRegularFile(path.join(folder.project, file), text);
  await folder.store.write(ctx.host.client, tx =>
    folder.name === defaultTeamFolder
      ? tx.deleteRecord('state', folderRecordId)
      : tx.putRecord('state', folderRecordId, { folder: folder.name }),
  );
}

/**
 * The first of a member's files of a month that takes lines more: `ada-3f9a01-2026-03.jsonl`, then `…-2026-03-2.jsonl`. What is
 * no regular file is passed over.
 * @throws EngineError invalidInput where the lines are more than any file takes
 */
export async function chooseTeamFile(
  { root }: TeamFolder,
  { prefix, month, text }: { readonly prefix: string; readonly month: string; readonly text: string },
): Promise<string> {
  const bytes = Buffer.byteLength(text) + 1;
  if (bytes > maxFileBytes)
    throw new EngineError(
      'invalidInput',
      'The lines are longer than the 4 MB of a file. Share fewer memories at once.',
    );
  for (let i = 1; ; i++) {
    const file = `${prefix}-${month}${i === 1 ? '' : `-${i}`}.jsonl`;
    const entry = await lstat(path.join(root, file)).catch(() => undefined);
    if (entry === undefined || (entry.isFile() && entry.size + bytes <= maxFileBytes)) return file;
  }
}

/** What a member's files begin with, from the name of one. */
export function prefixOfTeamFile(file: string): string {
  return file.replace(/-\d{4}-\d\d(?:-\d+)?\.jsonl$/u, '');
}

/**
 * Adds lines to a file of the folder. What can be wrong with it is looked at first.
 * @param beforeWrite runs once the file is known to take the lines
 * @throws EngineError unsupportedFile
 */
export async function appendTeamLines(
  folder: TeamFolder,
  { file, text }: { readonly file: string; readonly text: string },
  beforeWrite: () => Promise<void>,
): Promise<void> {
  const target = path.join(folder.root, file);
  try {
    const { size, end } = await readEnd(target);
    if (size + Buffer.byteLength(text) + 1 > maxFileBytes)
      throw fileError(target, message`has no room for the lines. Share again: they go into another file`);
    await access(size === 0 ? folder.root : target, constants.W_OK);
    await beforeWrite();
    // A line that was cut off, or an editor that leaves no end of line, costs that line alone.
    await appendToRegularFile(target, (end === '\n' || end === '' ? '' : '\n') + text);
  } catch (error) {
    throw isFileError(error) ? toFileError(target, error) : error;
  }
}

/**
 * Every line of every file, and what was left out. A bad line or file costs no other one.
 * @param known hashes of lines that were checked before
 */
export async function readTeamLines(
  ctx: Context,
  { root }: TeamFolder,
  known: ReadonlySet<string>,
): Promise<TeamLines> {
  const reader = new LineReader(ctx, root, known);
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries.filter(it => /\.jsonl$/iu.test(it.name)).map(it => it.name);
  for (const [i, file] of names.sort().entries()) {
    if (i < maxFiles) await reader.read(file);
    else reader.refuseRest(names.length - i);
    if (i >= maxFiles) break;
  }
  return reader;
}

class LineReader implements TeamLines {
  readonly lines: PlacedLine[] = [];
  readonly early: EarlyLine[] = [];
  readonly refused: ImportRefusal[] = [];
  /** Of all files, good and bad. */
  private linesLeft = maxLines;
  private bytesLeft = maxTotalBytes;
  private readonly slicer = new TimeSlicer();
  private readonly limits;

  constructor(
    ctx: Context,
    private readonly root: string,
    private readonly known: ReadonlySet<string>,
  ) {
    this.limits = { now: ctx.host.now(), ...ctx.host.config().remember };
  }

  refuseRest(files: number): void {
    const where = `${files} more files`;
    this.refused.push({ where, reason: `The folder holds more than ${maxFiles} files. Remove old ones.` });
  }

  async read(file: string): Promise<void> {
    const where = file.replaceAll(/\p{C}/gu, '?').slice(0, 120);
    if (!fileNamePattern.test(file) || !isStorableField(file)) {
      this.refused.push({ where, reason: 'Its name is none that Recollect gives. Rename it.' });
      return;
    }
    if (this.bytesLeft <= 0 || this.linesLeft <= 0) {
      this.refused.push({ where, reason: `The folder holds more than ${maxLines} lines or 64 MB. Remove old ones.` });
      return;
    }
    try {
      await this.readLines(file, where);
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.refused.push({ where, reason: describeFileError(path.join(this.root, file), error) });
    }
  }

  private async readLines(file: string, where: string): Promise<void> {
    let number = 0;
    let bytes = 0;
    let bad = 0;
    const countBytes = (read: number): void => {
      bytes = read;
    };
    for await (const text of readTextLines(path.join(this.root, file), countBytes, maxFileBytes)) {
      number++;
      if (this.slicer.shouldYield()) await this.slicer.yield();
      const hash = hashTeamLine(text);
      const line = parseTeamLine(text, { ...this.limits, isChecked: this.known.has(hash) });
      if (line === undefined) continue;
      if (this.linesLeft <= 0) {
        this.refused.push({ where, reason: `The folder holds more than ${maxLines} lines. Remove old ones.` });
        break;
      }
      this.linesLeft--;
      const place = `${where}, line ${number}`;
      if (!('refused' in line)) this.lines.push({ ...line, text, hash, file, number });
      else if (line.early !== undefined)
        this.early.push({ ...line.early, hash, file, where: place, reason: line.refused });
      else if (++bad <= maxNamed) this.refused.push({ where: place, reason: line.refused });
    }
    this.bytesLeft -= bytes;
    if (bad > maxNamed) this.refused.push({ where, reason: `${bad - maxNamed} more lines cannot be read.` });
  }
}

/** The size of a file in bytes and its last character, '' for none. @throws EngineError unsupportedFile where it is full */
async function readEnd(file: string): Promise<{ readonly size: number; readonly end: string }> {
  if ((await lstat(file).catch(() => undefined)) === undefined) return { size: 0, end: '' };
  const handle = await openRegularFile(file, { maxBytes: maxFileBytes });
  try {
    const { size } = await handle.stat();
    if (size === 0) return { size, end: '' };
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    return { size, end: buffer.toString('latin1') };
  } finally {
    await handle.close();
  }
}

function startLine(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n';
}
