import { readFile, stat } from 'node:fs/promises';
import { readLinesWithOffsets } from './jsonLines.js';

/** A session that an older VS Code wrote is one JSON object; a larger one would take the memory of the whole window. Bytes. */
const maxDocumentBytes = 32 * 1024 * 1024;

/** One request of a chat session with its answer, as far as anybody's words are in it. */
export interface ChatLogRequest {
  readonly id: string | undefined;
  /** Milliseconds since 1970. */
  readonly requestedAtMs: number | undefined;
  readonly answeredAtMs: number | undefined;
  /** What the person typed, without the participant and the command that it is addressed to. */
  readonly text: string;
  /** The extension that answered. */
  readonly extension: string | undefined;
  /** Text of the answer, or what else a part of it is: a tool's call, a thought, an edit. */
  readonly answer: readonly ({ readonly text: string } | { readonly kind: string })[];
  readonly isHidden: boolean;
  readonly hasFailed: boolean;
  /** It waits for an answer, as far as is written. */
  readonly isUnanswered: boolean;
}

export interface ChatLog {
  readonly session: string | undefined;
  readonly requests: readonly ChatLogRequest[];
  /** Lines that are no JSON, or none of the log's. */
  readonly brokenLines: number;
}

type Json = Readonly<Record<string, unknown>>;

/** What is kept of a request while the log is read: never what tools returned, nor what was attached. */
type ProjectedRequest = Record<string, unknown>;

const initial = 0;
const set = 1;
const push = 2;
const remove = 3;
/** VS Code's states of an answer: it is being written, or waits for a person. */
const openStates: readonly unknown[] = [0, 4];
const failedState = 3;
/** Whom and what a request is addressed to. */
const addressPartKinds: readonly unknown[] = ['agent', 'subcommand', 'slash', 'prompt'];

/**
 * Reads a chat session of VS Code: a `.jsonl` log of changes to one object (set, push, delete at a path, since 1.109),
 * replayed, or that object as `.json`. Broken lines are counted and passed over. A last line that is being written is
 * left for the next time.
 * @throws the file system's error when it cannot be read
 */
export async function readChatLog(file: string): Promise<ChatLog> {
  const replayer = new ChatLogReplayer();
  if (file.toLowerCase().endsWith('.jsonl')) {
    for await (const { text, isUnterminated } of readLinesWithOffsets(file, 0)) {
      if (text?.trim() === '') continue;
      const entry = text === undefined ? undefined : parse(text);
      if (entry === undefined && isUnterminated) break;
      replayer.applyEntry(entry);
    }
  } else {
    const text = (await stat(file)).size > maxDocumentBytes ? '' : await readFile(file, 'utf8');
    const whole = parse(text.replace(/^\uFEFF/u, ''));
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

  applyEntry(entry: Json | undefined): void {
    if (entry === undefined || !this.tryApplyEntry(entry)) this.brokenLines++;
  }

  private tryApplyEntry({ kind, k, v, i }: Json): boolean {
    if (kind === initial) {
      const state = asObject(v);
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
    const request = this.requests[at];
    // Of a request whose beginning was broken; nothing can be put together.
    if (request === undefined || typeof field !== 'string') return true;
    if (field !== 'response') {
      if (k.length === 3) Object.assign(request, projectFields({ [field]: kind === remove ? undefined : v }));
      return true;
    }
    const answer = request.response as Json[];
    if (part === undefined)
      request.response = kind === push ? applyPush(answer, projectAnswer(v), i) : projectAnswer(v);
    else if (typeof part === 'number' && k.length === 4 && part <= answer.length) answer[part] = projectAnswer([v])[0]!;
    return true;
  }
}

/** VS Code's push: cuts the list at an index, where one is given, and adds to it. */
function applyPush<T>(list: readonly T[], values: readonly T[], from: unknown): T[] {
  return [...(typeof from === 'number' ? list.slice(0, from) : list), ...values];
}

function projectRequests(requests: unknown): ProjectedRequest[] {
  const all: readonly unknown[] = Array.isArray(requests) ? requests : [];
  return all.map(it => ({ response: [], ...projectFields(asObject(it) ?? {}) }));
}

function projectFields(request: Json): ProjectedRequest {
  const fields: ProjectedRequest = {};
  for (const [name, value] of Object.entries(request)) {
    if (name === 'response') fields.response = projectAnswer(value);
    else if (name === 'result') fields.failed = asObject(value)?.errorDetails !== undefined;
    else if (name === 'agent') fields.extension = asObject(asObject(value)?.extensionId)?.value;
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

/** Texts as they are; of everything else what it is. */
function projectAnswer(answer: unknown): Json[] {
  const parts: readonly unknown[] = Array.isArray(answer) ? answer : [];
  return parts.map(it => {
    const { kind, value, content } = asObject(it) ?? {};
    const text = kind === undefined ? value : kind === 'markdownContent' ? asObject(content)?.value : undefined;
    return typeof text === 'string' ? { text } : { kind: typeof kind === 'string' ? kind : 'unknown' };
  });
}

function extractTypedText(message: unknown): string {
  if (typeof message === 'string') return message;
  const { text, parts } = asObject(message) ?? {};
  const typed: readonly unknown[] = Array.isArray(parts) ? parts : [];
  if (typed.length === 0) return typeof text === 'string' ? text : '';
  return typed
    .map(asObject)
    .filter(it => !addressPartKinds.includes(it?.kind))
    .map(it => (typeof it?.text === 'string' ? it.text : ''))
    .join('')
    .trim();
}

function toChatLogRequest(projected: ProjectedRequest): ChatLogRequest {
  const state = asObject(projected.modelState)?.value;
  return {
    id: typeof projected.requestId === 'string' ? projected.requestId : undefined,
    requestedAtMs: asTime(projected.timestamp),
    answeredAtMs: asTime(asObject(projected.modelState)?.completedAt) ?? asTime(projected.responseTimestamp),
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

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

function parse(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
