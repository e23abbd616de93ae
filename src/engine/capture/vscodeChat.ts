import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'jsonc-parser';
import type { LeftOut } from '../model/capture.js';
import { readChatLog, type ChatLog, type ChatRequest } from './chatLog.js';
import type { Envelope, SessionLine } from './claudeCode.js';
import type { Cursor, Position } from './cursor.js';
import { ownWords } from './ownWords.js';
import { isWithin, realFolders } from './sources.js';
import type { PlacedLine } from './turns.js';

/** What is said to us is kept already, or was a question. */
const ourselves = 'recollect.recollect';
/** Each request is two lines: what was asked, and what came of it. */
const linesPerRequest = 2;

/**
 * What was said in a chat session of VS Code, from an offset on. A request is two lines, the words and the outcome, and
 * an offset counts those: the file itself is a log that VS Code rewrites. An answer that is being written is left for the
 * next time.
 */
export async function* chatLines(file: string, from: number): AsyncGenerator<PlacedLine> {
  const log = await readChatLog(file);
  const folder = await chatFolder(file);
  const placed: PlacedLine[] = [];
  for (const [i, request] of log.requests.entries()) {
    const envelope = (at: number | undefined): Envelope => ({
      uuid: request.id,
      session: log.session,
      at: at === undefined ? undefined : new Date(at).toISOString(),
      folder,
      branch: undefined,
    });
    placed.push({ line: asked(request, envelope(request.at)), end: linesPerRequest * i + 1 });
    // The next request says that nothing more comes of this one.
    if (request.isOpen && i === log.requests.length - 1) break;
    placed.push({
      line: answered(request, envelope(latest(request.at, request.answeredAt))),
      end: linesPerRequest * (i + 1),
    });
  }
  const unread = placed.filter(it => it.end > from);
  // Told with what is new, or once where there is nothing else.
  if (unread.length > 0 || (placed.length === 0 && from === 0)) {
    for (let i = 0; i < log.broken; i++)
      yield { line: { kind: 'broken' }, end: Math.max(from, placed.length > 0 ? 0 : 1) };
  }
  yield* unread;
}

/** Where to go on. A session from which requests were taken back is gone on with behind the last time that is known. */
export async function chatPosition(file: string, cursor: Cursor | undefined): Promise<Position> {
  if (cursor === undefined) return { offset: 0 };
  const log = await readChatLog(file);
  if (fingerprint(log, cursor.offset) === cursor.tail) return { offset: cursor.offset };
  const { lastAt } = cursor.story;
  return lastAt === undefined ? { offset: 0 } : { offset: 0, after: lastAt };
}

export async function chatTail(file: string, offset: number): Promise<string> {
  return fingerprint(await readChatLog(file), offset);
}

/** The folder whose window the session was held in; of several folders nobody can say which one a session was about. */
export async function chatFolder(file: string): Promise<string | undefined> {
  const [folder, ...more] = await windowFolders(path.join(path.dirname(file), '..'));
  return more.length === 0 ? folder : undefined;
}

/**
 * The session files of the open folders, oldest first. Of a session that was written in both formats the log counts, as
 * it does for VS Code.
 * @param folder that of the sessions of one window, or `workspaceStorage` with those of every workspace
 */
export async function chatFiles(folder: string, workspaceFolders: readonly string[]): Promise<string[]> {
  if (path.basename(folder) !== 'workspaceStorage') return filesIn(folder);
  const roots = await realFolders(workspaceFolders);
  const found: string[] = [];
  for (const it of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (!it.isDirectory()) continue;
    const held = await Promise.all((await windowFolders(path.join(folder, it.name))).map(one => isWithin(one, roots)));
    if (!held.includes(true)) continue;
    found.push(...(await filesIn(path.join(folder, it.name, 'chatSessions'))));
  }
  return found;
}

async function filesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter(it => /\.jsonl?$/iu.test(it));
  const kept = names.filter(it => !names.includes(`${it}l`));
  const found = await Promise.all(
    kept.map(async name => {
      const file = path.join(folder, name);
      return { file, time: (await stat(file)).mtimeMs };
    }),
  );
  return found.sort((a, b) => a.time - b.time || (a.file < b.file ? -1 : 1)).map(it => it.file);
}

/**
 * The folders of a window on this machine, by what VS Code notes in its storage: the one that was opened, or a workspace
 * file that names several. None of other machines, nor of a workspace file that is gone.
 */
async function windowFolders(storage: string): Promise<string[]> {
  const { folder, workspace } = await readJson(path.join(storage, 'workspace.json'));
  const only = localPath(folder);
  if (only !== undefined) return [only];
  const file = localPath(workspace);
  if (file === undefined) return [];
  const { folders } = await readJson(file);
  return (Array.isArray(folders) ? (folders as unknown[]) : []).flatMap(it => {
    const named = (it ?? {}) as { readonly path?: unknown; readonly uri?: unknown };
    const at = typeof named.path === 'string' ? path.resolve(path.dirname(file), named.path) : localPath(named.uri);
    return at === undefined ? [] : [at];
  });
}

function localPath(uri: unknown): string | undefined {
  try {
    return typeof uri === 'string' && uri.startsWith('file:///') ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

/** An object, which may have comments; empty where there is none. */
async function readJson(file: string): Promise<Readonly<Record<string, unknown>>> {
  const value = parse(await readFile(file, 'utf8').catch(() => ''), undefined, { allowTrailingComma: true }) as unknown;
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function asked(request: ChatRequest, envelope: Envelope): SessionLine {
  if (request.isHidden || request.extension?.toLowerCase() === ourselves) return leftOut('meta', envelope);
  const words = ownWords(request.text);
  return words === '' ? leftOut('nothingSaid', envelope) : { kind: 'person', text: words, ...envelope };
}

/** What the assistant says last, once its tools are done. */
function answered(request: ChatRequest, envelope: Envelope): SessionLine {
  if (request.isHidden || request.extension?.toLowerCase() === ourselves) return leftOut('meta', envelope);
  const { answer } = request;
  const lastTool = answer.findLastIndex(it => 'kind' in it && it.kind.startsWith('toolInvocation'));
  const said = answer
    .slice(lastTool + 1)
    .map(it => ('text' in it ? it.text : ''))
    .join('');
  const words = ownWords(said);
  if (request.hasFailed) return leftOut('apiError', envelope);
  if (words === '') return leftOut(lastTool >= 0 ? 'toolUse' : 'nothingSaid', envelope);
  return { kind: 'outcome', text: words, ...envelope };
}

/** No answer is older than its request, whatever clock it was written by. */
function latest(asked: number | undefined, answered: number | undefined): number | undefined {
  if (asked === undefined || answered === undefined) return answered ?? asked;
  return Math.max(asked, answered);
}

function leftOut(why: LeftOut, envelope: Envelope): SessionLine {
  return { kind: 'leftOut', why, ...envelope };
}

/** Tells whether the same requests stand before an offset. */
function fingerprint({ requests }: ChatLog, offset: number): string {
  const before = requests
    .slice(0, Math.ceil(offset / linesPerRequest))
    .map(({ id, at, text }) => id ?? `${at ?? ''} ${text}`);
  return createHash('sha256')
    .update(JSON.stringify([offset, before]))
    .digest('base64url');
}
