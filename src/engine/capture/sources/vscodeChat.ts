import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'jsonc-parser';
import { asJsonObject, type JsonObject } from '../../base/json.js';
import { readRegularText } from '../../base/regularFile.js';
import type { SkippedLineReason } from '../../model/capture.js';
import type { CaptureCursor, ResumePosition } from '../captureCursor.js';
import { isInsideAnyRoot, resolveRealFolders, sortByModificationTime } from './sessionFiles.js';
import type { LineMetadata, LineWithOffset, SessionLine } from './sessionLine.js';
import { stripInjectedText } from './stripInjectedText.js';
import { readChatLog, type ChatLog, type ChatLogRequest } from './vscodeChatLog.js';

/** Turns to Recollect's own participant are remembered already, or were questions. */
const ownExtensionId = 'recollect.recollect';
/** A request is one line, its outcome another. */
const linesPerRequest = 2;

/**
 * Reads a chat session of VS Code from an offset on. Offsets count requests and outcomes, {@link linesPerRequest} per
 * request, because VS Code rewrites the file. An answer that is still being written is left for the next read.
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
    // A request followed by another one is complete, whatever its state.
    if (request.isUnanswered && i === log.requests.length - 1) break;
    lines.push({
      line: toOutcomeLine(request, metadataAt(answerTime(request.requestedAtMs, request.answeredAtMs))),
      endOffset: linesPerRequest * (i + 1),
    });
  }
  const unread = lines.filter(it => it.endOffset > fromOffset);
  // Malformed lines are counted with new lines, or once for a file without any.
  if (unread.length > 0 || (lines.length === 0 && fromOffset === 0)) {
    for (let i = 0; i < log.brokenLines; i++)
      yield { line: { kind: 'malformed' }, endOffset: Math.max(fromOffset, lines.length > 0 ? 0 : 1) };
  }
  yield* unread;
}

/** The position to resume a session at. A session with undone requests is resumed behind the last captured time. */
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

/** The folder of the session's window; undefined for a window with several folders. */
export async function findChatFolder(file: string): Promise<string | undefined> {
  const [folder, ...more] = await readWindowFolders(path.join(path.dirname(file), '..'));
  return more.length === 0 ? folder : undefined;
}

/**
 * Lists the session files of the open folders, oldest first. A session in both formats is read from its log, as VS Code
 * does.
 * @param folder the session folder of one window, or `workspaceStorage` with those of all workspaces
 */
export async function listChatSessions(folder: string, workspaceFolders: readonly string[]): Promise<string[]> {
  if (path.basename(folder) !== 'workspaceStorage') return listSessionFiles(folder);
  const roots = await resolveRealFolders(workspaceFolders);
  const found: string[] = [];
  for (const storage of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (!storage.isDirectory()) continue;
    const areInside = await Promise.all(
      (await readWindowFolders(path.join(folder, storage.name))).map(it => isInsideAnyRoot(it, roots)),
    );
    if (!areInside.includes(true)) continue;
    found.push(...(await listSessionFiles(path.join(folder, storage.name, 'chatSessions'))));
  }
  return found;
}

async function listSessionFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter(it => /\.jsonl?$/iu.test(it));
  const currentNames = names.filter(it => !names.includes(`${it}l`));
  return sortByModificationTime(currentNames.map(it => path.join(folder, it)));
}

/**
 * The folders of a window, from VS Code's workspace storage: the opened folder, or those of a workspace file. Empty for
 * folders of other machines and for a missing workspace file.
 */
export async function readWindowFolders(storage: string): Promise<string[]> {
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

/** The JSON object in a file, which may have comments; empty where there is none. */
async function readJson(file: string): Promise<JsonObject> {
  const value = parse(await readRegularText(file).catch(() => ''), undefined, { allowTrailingComma: true }) as unknown;
  return asJsonObject(value) ?? {};
}

function toRequestLine(request: ChatLogRequest, metadata: LineMetadata): SessionLine {
  if (request.isHidden || request.extension?.toLowerCase() === ownExtensionId) return skippedLine('meta', metadata);
  const speakerText = stripInjectedText(request.text);
  return speakerText === '' ? skippedLine('nothingSaid', metadata) : { kind: 'person', text: speakerText, ...metadata };
}

/** The outcome is the assistant's text after its last tool call. */
function toOutcomeLine(request: ChatLogRequest, metadata: LineMetadata): SessionLine {
  if (request.isHidden || request.extension?.toLowerCase() === ownExtensionId) return skippedLine('meta', metadata);
  const { answer } = request;
  const lastTool = answer.findLastIndex(it => 'kind' in it && it.kind.startsWith('toolInvocation'));
  const answerText = answer
    .slice(lastTool + 1)
    .map(it => ('text' in it ? it.text : ''))
    .join('');
  const speakerText = stripInjectedText(answerText);
  if (request.hasFailed) return skippedLine('apiError', metadata);
  if (speakerText === '') return skippedLine(lastTool >= 0 ? 'toolUse' : 'nothingSaid', metadata);
  return { kind: 'outcome', text: speakerText, ...metadata };
}

/** The time of an answer, never before its request. Milliseconds since 1970. */
function answerTime(requestedAt: number | undefined, answeredAt: number | undefined): number | undefined {
  if (requestedAt === undefined || answeredAt === undefined) return answeredAt ?? requestedAt;
  return Math.max(requestedAt, answeredAt);
}

function skippedLine(reason: SkippedLineReason, metadata: LineMetadata): SessionLine {
  return { kind: 'skipped', reason, ...metadata };
}

/** Equal for logs with the same requests before an offset. */
function fingerprintRequests({ requests }: ChatLog, offset: number): string {
  const before = requests
    .slice(0, Math.ceil(offset / linesPerRequest))
    .map(({ id, requestedAtMs, text }) => id ?? `${requestedAtMs ?? ''} ${text}`);
  return createHash('sha256')
    .update(JSON.stringify([offset, before]))
    .digest('base64url');
}
