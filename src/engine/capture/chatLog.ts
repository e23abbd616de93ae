import { readFile, stat } from 'node:fs/promises';
import { linesOf } from './jsonLines.js';

/** A session that an older VS Code wrote is one JSON object; a larger one would take the memory of the whole window. Bytes. */
const largestDocument = 32 * 1024 * 1024;

/** One request of a chat session with its answer, as far as anybody's words are in it. */
export interface ChatRequest {
  readonly id: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
  readonly answeredAt: number | undefined;
  /** What the person typed, without the participant and the command that it is addressed to. */
  readonly text: string;
  /** The extension that answered. */
  readonly extension: string | undefined;
  /** Text of the answer, or what else a part of it is: a tool's call, a thought, an edit. */
  readonly answer: readonly ({ readonly text: string } | { readonly kind: string })[];
  readonly isHidden: boolean;
  readonly hasFailed: boolean;
  /** It waits for an answer, as far as is written. */
  readonly isOpen: boolean;
}

export interface ChatLog {
  readonly session: string | undefined;
  readonly requests: readonly ChatRequest[];
  /** Lines that are no JSON, or none of the log's. */
  readonly broken: number;
}

type Json = Readonly<Record<string, unknown>>;

/** What is kept of a request while the log is read: never what tools returned, nor what was attached. */
type Kept = Record<string, unknown>;

const initial = 0;
const set = 1;
const push = 2;
const remove = 3;
/** VS Code's states of an answer: it is being written, or waits for a person. */
const openStates: readonly unknown[] = [0, 4];
const failedState = 3;
/** Whom and what a request is addressed to. */
const addresses: readonly unknown[] = ['agent', 'subcommand', 'slash', 'prompt'];

/**
 * Reads a chat session of VS Code: a `.jsonl` log of changes to one object (set, push, delete at a path, since 1.109),
 * replayed, or that object as `.json`. Broken lines are counted and passed over. A last line that is being written is
 * left for the next time.
 * @throws the file system's error when it cannot be read
 */
export async function readChatLog(file: string): Promise<ChatLog> {
  const replay = new Replay();
  if (file.toLowerCase().endsWith('.jsonl')) {
    for await (const { text, isOpen } of linesOf(file, 0)) {
      if (text?.trim() === '') continue;
      const entry = text === undefined ? undefined : parse(text);
      if (entry === undefined && isOpen) break;
      replay.take(entry);
    }
  } else {
    const text = (await stat(file)).size > largestDocument ? '' : await readFile(file, 'utf8');
    const whole = parse(text.replace(/^\uFEFF/u, ''));
    replay.take(whole && { kind: initial, v: whole });
  }
  return replay.log;
}

class Replay {
  private requests: Kept[] = [];
  private session: string | undefined;
  private broken = 0;

  get log(): ChatLog {
    return { session: this.session, requests: this.requests.map(requestOf), broken: this.broken };
  }

  take(entry: Json | undefined): void {
    if (entry === undefined || !this.apply(entry)) this.broken++;
  }

  private apply({ kind, k, v, i }: Json): boolean {
    if (kind === initial) {
      const state = asObject(v);
      if (state === undefined) return false;
      this.session = typeof state.sessionId === 'string' ? state.sessionId : this.session;
      this.requests = kept(state.requests);
      return true;
    }
    if ((kind !== set && kind !== push && kind !== remove) || !Array.isArray(k)) return false;
    const [root, at, field, part] = k as readonly unknown[];
    if (root !== 'requests') return true;
    if (at === undefined) {
      this.requests = kind === push ? pushed(this.requests, kept(v), i) : kept(v);
      return true;
    }
    if (typeof at !== 'number' || !Number.isInteger(at) || at < 0) return false;
    if (field === undefined) {
      if (at <= this.requests.length) this.requests[at] = kept([v])[0] ?? {};
      return true;
    }
    const request = this.requests[at];
    // Of a request whose beginning was broken; nothing can be put together.
    if (request === undefined || typeof field !== 'string') return true;
    if (field !== 'response') {
      if (k.length === 3) Object.assign(request, keptFields({ [field]: kind === remove ? undefined : v }));
      return true;
    }
    const answer = request.response as Json[];
    if (part === undefined) request.response = kind === push ? pushed(answer, keptAnswer(v), i) : keptAnswer(v);
    else if (typeof part === 'number' && k.length === 4 && part <= answer.length) answer[part] = keptAnswer([v])[0]!;
    return true;
  }
}

/** VS Code's push: cuts the list at an index, where one is given, and adds to it. */
function pushed<T>(list: readonly T[], values: readonly T[], from: unknown): T[] {
  return [...(typeof from === 'number' ? list.slice(0, from) : list), ...values];
}

function kept(requests: unknown): Kept[] {
  const all: readonly unknown[] = Array.isArray(requests) ? requests : [];
  return all.map(it => ({ response: [], ...keptFields(asObject(it) ?? {}) }));
}

function keptFields(request: Json): Kept {
  const fields: Kept = {};
  for (const [name, value] of Object.entries(request)) {
    if (name === 'response') fields.response = keptAnswer(value);
    else if (name === 'result') fields.failed = asObject(value)?.errorDetails !== undefined;
    else if (name === 'agent') fields.extension = asObject(asObject(value)?.extensionId)?.value;
    else if (name === 'message') fields.text = textOf(value);
    else if (scalars.includes(name)) fields[name] = value;
  }
  return fields;
}

const scalars: readonly string[] = [
  'requestId',
  'timestamp',
  'responseTimestamp',
  'modelState',
  'hiddenFromTranscript',
  'isHidden',
  'shouldBeRemovedOnSend',
];

/** Texts as they are; of everything else what it is. */
function keptAnswer(answer: unknown): Json[] {
  const parts: readonly unknown[] = Array.isArray(answer) ? answer : [];
  return parts.map(it => {
    const { kind, value, content } = asObject(it) ?? {};
    const text = kind === undefined ? value : kind === 'markdownContent' ? asObject(content)?.value : undefined;
    return typeof text === 'string' ? { text } : { kind: typeof kind === 'string' ? kind : 'unknown' };
  });
}

function textOf(message: unknown): string {
  if (typeof message === 'string') return message;
  const { text, parts } = asObject(message) ?? {};
  const typed: readonly unknown[] = Array.isArray(parts) ? parts : [];
  if (typed.length === 0) return typeof text === 'string' ? text : '';
  return typed
    .map(asObject)
    .filter(it => !addresses.includes(it?.kind))
    .map(it => (typeof it?.text === 'string' ? it.text : ''))
    .join('')
    .trim();
}

function requestOf(it: Kept): ChatRequest {
  const state = asObject(it.modelState)?.value;
  return {
    id: typeof it.requestId === 'string' ? it.requestId : undefined,
    at: asTime(it.timestamp),
    answeredAt: asTime(asObject(it.modelState)?.completedAt) ?? asTime(it.responseTimestamp),
    text: typeof it.text === 'string' ? it.text : '',
    extension: typeof it.extension === 'string' ? it.extension : undefined,
    answer: it.response as ChatRequest['answer'],
    isHidden: [it.hiddenFromTranscript, it.isHidden].includes(true) || Boolean(it.shouldBeRemovedOnSend),
    hasFailed: it.failed === true || state === failedState,
    isOpen: openStates.includes(state),
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
