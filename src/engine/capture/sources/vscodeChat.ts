import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'jsonc-parser';
import type { SkippedLineReason } from '../../model/capture.js';
import { readChatLog, type ChatLog, type ChatLogRequest } from './vscodeChatLog.js';
import type { LineMetadata, SessionLine } from './claudeCode.js';
import type { CaptureCursor, ResumePosition } from '../captureCursor.js';
import { stripInjectedText } from './stripInjectedText.js';
import { isInsideAnyRoot, resolveRealFolders } from './claudeSessions.js';
import type { LineWithOffset } from './claudeTranscript.js';

/** What is said to us is kept already, or was a question. */
const ownExtensionId = 'recollect.recollect';
/** Each request is two lines: what was asked, and what came of it. */
const linesPerRequest = 2;

/**
 * What was said in a chat session of VS Code, from an offset on. A request is two lines, the words and the outcome, and
 * an offset counts those: the file itself is a log that VS Code rewrites. An answer that is being written is left for the
 * next time.
 */
export async function* readChatTranscript(file: string, fromOffset: number): AsyncGenerator<LineWithOffset> {
  const log = await readChatLog(file);
  const folder = await findChatFolder(file);
  const lines: LineWithOffset[] = [];
  for (const [i, request] of log.requests.entries()) {
    const metadataAt = (at: number | undefined): LineMetadata => ({
      uuid: request.id,
      session: log.session,
      at: at === undefined ? undefined : new Date(at).toISOString(),
      folder,
      branch: undefined,
    });
    lines.push({ line: toRequestLine(request, metadataAt(request.requestedAtMs)), endOffset: linesPerRequest * i + 1 });
    // The next request says that nothing more comes of this one.
    if (request.isUnanswered && i === log.requests.length - 1) break;
    lines.push({
      line: toOutcomeLine(request, metadataAt(answerTime(request.requestedAtMs, request.answeredAtMs))),
      endOffset: linesPerRequest * (i + 1),
    });
  }
  const unread = lines.filter(it => it.endOffset > fromOffset);
  // Told with what is new, or once where there is nothing else.
  if (unread.length > 0 || (lines.length === 0 && fromOffset === 0)) {
    for (let i = 0; i < log.brokenLines; i++)
      yield { line: { kind: 'broken' }, endOffset: Math.max(fromOffset, lines.length > 0 ? 0 : 1) };
  }
  yield* unread;
}

/** Where to go on. A session from which requests were taken back is gone on with behind the last time that is known. */
export async function resumeChatPosition(file: string, cursor: CaptureCursor | undefined): Promise<ResumePosition> {
  if (cursor === undefined) return { offset: 0 };
  const log = await readChatLog(file);
  if (fingerprintRequests(log, cursor.offset) === cursor.tail) return { offset: cursor.offset };
  const { lastAt } = cursor.story;
  return lastAt === undefined ? { offset: 0 } : { offset: 0, capturedUntil: lastAt };
}

export async function hashChatTail(file: string, offset: number): Promise<string> {
  return fingerprintRequests(await readChatLog(file), offset);
}

/** The folder whose window the session was held in; of several folders nobody can say which one a session was about. */
export async function findChatFolder(file: string): Promise<string | undefined> {
  const [folder, ...more] = await readWindowFolders(path.join(path.dirname(file), '..'));
  return more.length === 0 ? folder : undefined;
}

/**
 * The session files of the open folders, oldest first. Of a session that was written in both formats the log counts, as
 * it does for VS Code.
 * @param folder that of the sessions of one window, or `workspaceStorage` with those of every workspace
 */
export async function listChatSessions(folder: string, workspaceFolders: readonly string[]): Promise<string[]> {
  if (path.basename(folder) !== 'workspaceStorage') return listSessionFiles(folder);
  const roots = await resolveRealFolders(workspaceFolders);
  const found: string[] = [];
  for (const it of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (!it.isDirectory()) continue;
    const areInside = await Promise.all(
      (await readWindowFolders(path.join(folder, it.name))).map(one => isInsideAnyRoot(one, roots)),
    );
    if (!areInside.includes(true)) continue;
    found.push(...(await listSessionFiles(path.join(folder, it.name, 'chatSessions'))));
  }
  return found;
}

async function listSessionFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter(it => /\.jsonl?$/iu.test(it));
  const currentNames = names.filter(it => !names.includes(`${it}l`));
  const found = await Promise.all(
    currentNames.map(async name => {
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
async function readWindowFolders(storage: string): Promise<string[]> {
  const { folder, workspace } = await readJson(path.join(storage, 'workspace.json'));
  const singleFolder = toLocalPath(folder);
  if (singleFolder !== undefined) return [singleFolder];
  const file = toLocalPath(workspace);
  if (file === undefined) return [];
  const { folders } = await readJson(file);
  return (Array.isArray(folders) ? (folders as unknown[]) : []).flatMap(it => {
    const named = (it ?? {}) as { readonly path?: unknown; readonly uri?: unknown };
    const at = typeof named.path === 'string' ? path.resolve(path.dirname(file), named.path) : toLocalPath(named.uri);
    return at === undefined ? [] : [at];
  });
}

function toLocalPath(uri: unknown): string | undefined {
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

function toRequestLine(request: ChatLogRequest, metadata: LineMetadata): SessionLine {
  if (request.isHidden || request.extension?.toLowerCase() === ownExtensionId) return skippedLine('meta', metadata);
  const ownText = stripInjectedText(request.text);
  return ownText === '' ? skippedLine('nothingSaid', metadata) : { kind: 'person', text: ownText, ...metadata };
}

/** What the assistant says last, once its tools are done. */
function toOutcomeLine(request: ChatLogRequest, metadata: LineMetadata): SessionLine {
  if (request.isHidden || request.extension?.toLowerCase() === ownExtensionId) return skippedLine('meta', metadata);
  const { answer } = request;
  const lastTool = answer.findLastIndex(it => 'kind' in it && it.kind.startsWith('toolInvocation'));
  const spokenText = answer
    .slice(lastTool + 1)
    .map(it => ('text' in it ? it.text : ''))
    .join('');
  const ownText = stripInjectedText(spokenText);
  if (request.hasFailed) return skippedLine('apiError', metadata);
  if (ownText === '') return skippedLine(lastTool >= 0 ? 'toolUse' : 'nothingSaid', metadata);
  return { kind: 'outcome', text: ownText, ...metadata };
}

/** No answer is older than its request, whatever clock it was written by. */
function answerTime(requestedAt: number | undefined, answeredAt: number | undefined): number | undefined {
  if (requestedAt === undefined || answeredAt === undefined) return answeredAt ?? requestedAt;
  return Math.max(requestedAt, answeredAt);
}

function skippedLine(reason: SkippedLineReason, metadata: LineMetadata): SessionLine {
  return { kind: 'leftOut', reason, ...metadata };
}

/** Tells whether the same requests stand before an offset. */
function fingerprintRequests({ requests }: ChatLog, offset: number): string {
  const before = requests
    .slice(0, Math.ceil(offset / linesPerRequest))
    .map(({ id, requestedAtMs, text }) => id ?? `${requestedAtMs ?? ''} ${text}`);
  return createHash('sha256')
    .update(JSON.stringify([offset, before]))
    .digest('base64url');
}
