import { asJsonObject, parseJsonObject, type JsonObject } from '../../base/json.js';
import { readRegularText } from '../../base/regularFile.js';
import { readLinesWithOffsets } from './jsonLines.js';

/** A request of a chat session with its answer, reduced to text and states. */
export interface ChatLogRequest {
  readonly id: string | undefined;
  /** Milliseconds since 1970. */
  readonly requestedAtMs: number | undefined;
  readonly answeredAtMs: number | undefined;
  /** The typed text, without the addressed participant and command. */
  readonly text: string;
  /** The extension that answered. */
  readonly extension: string | undefined;
  /** Text parts, and the kinds of all other parts: tool calls, thoughts, edits. */
  readonly answer: readonly ({ readonly text: string } | { readonly kind: string })[];
  readonly isHidden: boolean;
  readonly hasFailed: boolean;
  /** The answer is missing or incomplete. */
  readonly isUnanswered: boolean;
}

export interface ChatLog {
  readonly session: string | undefined;
  readonly requests: readonly ChatLogRequest[];
  /** Number of lines that are not valid JSON or not entries of the log. */
  readonly brokenLines: number;
}

/** The fields of a request that are kept while the log is replayed; tool results and attachments are not. */
type ProjectedRequest = Record<string, unknown>;

const initial = 0;
const set = 1;
const push = 2;
const remove = 3;
/** VS Code's states of an incomplete answer: pending, or waiting for confirmation. */
const openStates: readonly unknown[] = [0, 4];
const failedState = 3;
/** Parts of a request that are an address, not text. */
const addressPartKinds: readonly unknown[] = ['agent', 'subcommand', 'slash', 'prompt'];

/**
 * Reads a chat session of VS Code: a `.jsonl` log of changes to one object (set, push, delete at a path, since 1.109),
 * which is replayed, or that object as `.json`. Malformed lines are skipped and counted; an incomplete last line is left
 * for the next read.
 * @throws EngineError unsupportedFile where it is no regular file, or a `.json` that is too large, as that is parsed whole;
 * the file system's error where it cannot be read
 */
export async function readChatLog(file: string): Promise<ChatLog> {
  const replayer = new ChatLogReplayer();
  if (file.toLowerCase().endsWith('.jsonl')) {
    for await (const { text, isUnterminated } of readLinesWithOffsets(file, 0)) {
      if (text?.trim() === '') continue;
      const entry = text === undefined ? undefined : parseJsonObject(text);
      if (entry === undefined && isUnterminated) break;
      replayer.applyEntry(entry);
    }
  } else {
    const whole = parseJsonObject(await readRegularText(file));
    replayer.applyEntry(whole && { kind: initial, v: whole });
  }
  return replayer.log;
}

class ChatLogReplayer {
  private requests: ProjectedRequest[] = [];
  private session: string | undefined;
  private brokenLines = 0;

  get log(): ChatLog {
    return { session: this.session, requests: this.requests.map(toChatLogRequest), brokenLines: this.brokenLines };
  }

  applyEntry(entry: JsonObject | undefined): void {
    if (entry === undefined || !this.tryApplyEntry(entry)) this.brokenLines++;
  }

  private tryApplyEntry({ kind, k, v, i }: JsonObject): boolean {
    if (kind === initial) {
      const state = asJsonObject(v);
      if (state === undefined) return false;
      this.session = typeof state.sessionId === 'string' ? state.sessionId : this.session;
      this.requests = projectRequests(state.requests);
      return true;
    }
    if ((kind !== set && kind !== push && kind !== remove) || !Array.isArray(k)) return false;
    const [root, at, field, part] = k as readonly unknown[];
    if (root !== 'requests') return true;
    if (at === undefined) {
      this.requests = kind === push ? applyPush(this.requests, projectRequests(v), i) : projectRequests(v);
      return true;
    }
    if (typeof at !== 'number' || !Number.isInteger(at) || at < 0) return false;
    if (field === undefined) {
      if (at <= this.requests.length) this.requests[at] = projectRequests([v])[0] ?? {};
      return true;
    }
    // Without a request, the entry that created it was malformed.
    const request = this.requests[at];
    if (request !== undefined && typeof field === 'string') applyField(request, { kind, field, part, v, i }, k.length);
    return true;
  }
}

/** Applies a change of one field of a request, or of one part of its answer. */
function applyField(
  request: ProjectedRequest,
  { kind, field, part, v, i }: JsonObject & { readonly field: string },
  depth: number,
): void {
  if (field !== 'response') {
    if (depth === 3) Object.assign(request, projectFields({ [field]: kind === remove ? undefined : v }));
    return;
  }
  const answer = request.response as JsonObject[];
  if (part === undefined) request.response = kind === push ? applyPush(answer, projectAnswer(v), i) : projectAnswer(v);
  else if (typeof part === 'number' && depth === 4 && part <= answer.length) answer[part] = projectAnswer([v])[0]!;
}

/** VS Code's push operation: truncates the list at an optional index, then appends. */
function applyPush<T>(list: readonly T[], values: readonly T[], from: unknown): T[] {
  return [...(typeof from === 'number' ? list.slice(0, from) : list), ...values];
}

function projectRequests(requests: unknown): ProjectedRequest[] {
  const all: readonly unknown[] = Array.isArray(requests) ? requests : [];
  return all.map(it => ({ response: [], ...projectFields(asJsonObject(it) ?? {}) }));
}

function projectFields(request: JsonObject): ProjectedRequest {
  const fields: ProjectedRequest = {};
  for (const [name, value] of Object.entries(request)) {
    if (name === 'response') fields.response = projectAnswer(value);
    else if (name === 'result') fields.failed = asJsonObject(value)?.errorDetails !== undefined;
    else if (name === 'agent') fields.extension = asJsonObject(asJsonObject(value)?.extensionId)?.value;
    else if (name === 'message') fields.text = extractTypedText(value);
    else if (scalarFields.includes(name)) fields[name] = value;
  }
  return fields;
}

const scalarFields: readonly string[] = [
  'requestId',
  'timestamp',
  'responseTimestamp',
  'modelState',
  'hiddenFromTranscript',
  'isHidden',
  'shouldBeRemovedOnSend',
];

/** Keeps text parts, and the kind of every other part. */
function projectAnswer(answer: unknown): JsonObject[] {
  const parts: readonly unknown[] = Array.isArray(answer) ? answer : [];
  return parts.map(it => {
    const { kind, value, content } = asJsonObject(it) ?? {};
    const text = kind === undefined ? value : kind === 'markdownContent' ? asJsonObject(content)?.value : undefined;
    return typeof text === 'string' ? { text } : { kind: typeof kind === 'string' ? kind : 'unknown' };
  });
}

function extractTypedText(message: unknown): string {
  if (typeof message === 'string') return message;
  const { text, parts } = asJsonObject(message) ?? {};
  const typed: readonly unknown[] = Array.isArray(parts) ? parts : [];
  if (typed.length === 0) return typeof text === 'string' ? text : '';
  return typed
    .map(asJsonObject)
    .filter(it => !addressPartKinds.includes(it?.kind))
    .map(it => (typeof it?.text === 'string' ? it.text : ''))
    .join('')
    .trim();
}

function toChatLogRequest(projected: ProjectedRequest): ChatLogRequest {
  const state = asJsonObject(projected.modelState)?.value;
  return {
    id: typeof projected.requestId === 'string' ? projected.requestId : undefined,
    requestedAtMs: asTime(projected.timestamp),
    answeredAtMs: asTime(asJsonObject(projected.modelState)?.completedAt) ?? asTime(projected.responseTimestamp),
    text: typeof projected.text === 'string' ? projected.text : '',
    extension: typeof projected.extension === 'string' ? projected.extension : undefined,
    answer: projected.response as ChatLogRequest['answer'],
    isHidden:
      [projected.hiddenFromTranscript, projected.isHidden].includes(true) || Boolean(projected.shouldBeRemovedOnSend),
    hasFailed: projected.failed === true || state === failedState,
    isUnanswered: openStates.includes(state),
  };
}

function asTime(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 8.64e15 ? value : undefined;
}
