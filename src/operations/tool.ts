import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { LocalizableMessage } from '../engine/base/localizableMessage.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { RequestedAction } from '../engine/model/actionRequest.js';
import { shortId, type MemorySource } from '../engine/model/memory.js';
import type { RequestedBy } from '../engine/model/query.js';
import { readLenientInput } from './lenientInput.js';

/** Caller of a tool, and the provenance that it implies. */
export interface Caller {
  readonly source: MemorySource;
  readonly session?: string;
  /** Reader of the answer; default a model. */
  readonly asker?: RequestedBy;
  /** Calls off a tool that takes long. */
  readonly signal?: AbortSignal;
  /** Receives the progress of a long-running tool, in a few words. */
  readonly onProgress?: (message: string) => void;
}

/** Question to a person before a call that only they may decide. */
export interface Confirmation {
  /** Localizable where VS Code offers the tool, too. */
  readonly title: string | LocalizableMessage;
  /** Plain text; holds the exact text that is forgotten or pinned. */
  readonly message: string | LocalizableMessage;
  /** Request that is kept for the person where they cannot be asked. */
  readonly request?: { readonly action: RequestedAction; readonly id: string; readonly replacedBy?: string };
}

export interface ToolResult<Output = Readonly<Record<string, unknown>>> {
  /** For the model to read. */
  readonly text: string;
  /** The same as data; fits the tool's output schema. */
  readonly structured: Output;
  /** Nothing of what was asked for could be done, and the text says why. */
  readonly failed?: boolean;
  /** Ids of memories whose text is in the answer, for the log of reads; a tool that only reads notes them itself. */
  readonly given?: readonly string[];
  /** It is about code that is not where, or what, it was: `engine.codeAnchors.update` may know better the next time. */
  readonly codeChanged?: boolean;
}

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A call of a tool by HTTP: the tool says what goes in and comes out. */
export interface ToolRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{id}` stands for one part of the path. */
  readonly path: string;
  readonly summary: string;
  /** Names that other programs use for the tool's own, and how they are read, for the OpenAPI document. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Puts those names into the tool's own. */
  readonly rename?: (input: Fields) => Fields;
  /** Whether something new was made by a call that succeeded: 201. */
  readonly isCreated?: (output: Fields) => boolean;
}

/** A tool for models, defined once; VS Code, MCP and the chat participant are adapters around it. */
export interface Tool<Input = unknown, Output = Readonly<Record<string, unknown>>> {
  /** One word. A front door whose names are shared by many puts its own before it: `recollect_recall`. */
  readonly name: string;
  /** How a person names it in a chat: `#recall`. VS Code offers its agents no tool without one. */
  readonly reference?: string;
  readonly title: string;
  /** When to call it, when not, and what comes back. */
  readonly description: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  /** Where other programs call it. */
  readonly routes?: readonly ToolRoute[];
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  /** The input of a caller that puts fields where the schema does not have them, put right; before it is read. */
  rearrange?(input: unknown): unknown;
  /** Text that a person reads while it runs. Has no side effects. */
  progress(input: Input): string | LocalizableMessage;
  /** Undefined where nothing needs a person's yes; else the call may not run without one. Reads at most; has no side effects. */
  confirm?(engine: MemoryEngine, input: Input): Promise<Confirmation | undefined>;
  run(engine: MemoryEngine, input: Input, caller: Caller): Promise<ToolResult<Output>>;
}

/** Defines a tool with the input and output types of its schemas. */
export function defineTool<Input, Output extends Readonly<Record<string, unknown>>>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}

/** The input's JSON Schema, draft 7, whole, as programs read it. */
export function inputSchema(tool: Pick<Tool, 'input'>): Record<string, unknown> {
  return jsonSchema(tool.input, 'input');
}

/**
 * The input's JSON Schema, draft 7, as models read it with every message, in package.json and by MCP: without the fields of
 * {@link programFields}, which are accepted too, and without limits that no model thinks of, which reading the input
 * checks and explains.
 */
export function modelSchema(tool: Pick<Tool, 'name' | 'input'>): Record<string, unknown> {
  return withoutProgramFields(inputSchema(tool), programFields[tool.name] ?? []);
}

/** Fields by tool that only programs have a use for. */
const programFields: Readonly<Record<string, readonly string[]>> = {
  recall: ['kinds', 'scope', 'tokenBudget', 'mode'],
  remember: ['priority', 'reason'],
  list: ['kinds', 'statuses', 'pinned', 'scope'],
  conflicts: ['scope', 'limit'],
};

/** Limits of single values; a description names those that a model has to know. */
const unshownLimits: ReadonlySet<string> = new Set([
  'additionalProperties',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'pattern',
]);

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly items?: ObjectSchema;
}

function withoutProgramFields(schema: ObjectSchema, left: readonly string[]): Record<string, unknown> {
  const { properties, items, ...more } = schema;
  const rest = Object.fromEntries(Object.entries(more).filter(([name]) => !unshownLimits.has(name)));
  const shown = Object.entries(properties ?? {}).filter(([name]) => !left.includes(name));
  return {
    ...rest,
    ...(items === undefined ? {} : { items: withoutProgramFields(items, left) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(shown.map(([name, it]) => [name, withoutProgramFields(it, left)])) }),
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io }) as Record<string, unknown>;
  return rest;
}

/** Of each tool: making one takes longer than reading an input. */
const inputSchemas = new WeakMap<z.ZodType, object>();

function cachedInputSchema(schema: z.ZodType): object {
  const cached = inputSchemas.get(schema) ?? jsonSchema(schema, 'input');
  inputSchemas.set(schema, cached);
  return cached;
}

/**
 * The input that a model sent, read leniently (`lenientInput.ts`) and checked against the tool's schema.
 * @throws EngineError invalidInput, with a message the model can act on.
 */
export function parseInput<Input>(tool: Pick<Tool<Input>, 'name' | 'input' | 'rearrange'>, input: unknown): Input {
  return parseInputWithNotes(tool, input).input;
}

/**
 * As `parseInput`, with what of the input was ignored or cut.
 * @throws EngineError as parseInput does
 */
export function parseInputWithNotes<Input>(
  tool: Pick<Tool<Input>, 'name' | 'input' | 'rearrange'>,
  rawInput: unknown,
): { readonly input: Input; readonly notes: readonly string[] } {
  const { input, notes, unknownKeys } = readLenientInput(
    cachedInputSchema(tool.input),
    tool.rearrange?.(rawInput) ?? rawInput,
  );
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return { input: parsed.data, notes };
  const problems = [
    ...parsed.error.issues.map(it => `${it.path.join('.') || 'input'}: ${describeIssue(it)}`),
    ...(unknownKeys.length === 0 ? [] : [`unknown: ${unknownKeys.join(', ')}`]),
  ];
  throw new EngineError(
    'invalidInput',
    `The input of ${tool.name} is not valid: ${problems.join('; ')}. Correct it and call again.`,
  );
}

/** Values as a model knows them. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

/** The fault of a value, as a sentence goes on after its name. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const { code, message } = issue;
  if (code === 'invalid_type')
    return message.endsWith('received undefined')
      ? 'is missing'
      : `must be ${typeNames[issue.expected] ?? issue.expected}`;
  if (code === 'invalid_value')
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  if (code !== 'too_small' && code !== 'too_big') return message;
  const unit = units[issue.origin] ?? '';
  if (code === 'too_big') return `must be at most ${issue.maximum}${unit}`;
  return issue.minimum === 1 && unit !== '' ? 'is empty' : `must be at least ${issue.minimum}${unit}`;
}

/** A result with notes on the input that was read: in the text, and where the structured part may have words about itself. */
export function addInputNotes<Output>(
  { output }: Pick<Tool<never, Output>, 'output'>,
  result: ToolResult<Output>,
  notes: readonly string[],
): ToolResult<Output> {
  if (notes.length === 0) return result;
  const { about } = result.structured as { readonly about?: string };
  const hasAbout = output instanceof z.ZodObject && 'about' in output.shape;
  return {
    ...result,
    text: [result.text, ...notes].join('\n'),
    structured: hasAbout
      ? { ...result.structured, about: [...(about === undefined ? [] : [about]), ...notes].join(' ') }
      : result.structured,
  };
}

/**
 * Decision of a surface on a call that wants a person's yes: it runs; they could not be asked, for the `obstacle`, and a request is
 * kept for them; or the surface answers by itself.
 */
export type CallDecision<Answer> = 'run' | { readonly obstacle: string } | Answered<Answer>;
/** Impossible for a surface that asks no person. */
type Answered<Answer> = [Answer] extends [never] ? never : { readonly answer: Answer };

/** `result` of a call that ran; `request`, where one is kept for the person, the text that says so. */
export type CallEnding<Answer> = { readonly result: ToolResult } | { readonly request: string } | Answered<Answer>;

/**
 * A call of an admitted client, the same for every surface: wants a person's yes where the tool does, runs nothing for a client that
 * has gone, and is noted in the activity log with the memories that it gave out.
 * @throws EngineError aborted, and those of the tool
 */
export async function callTool<Answer = never>(
  tool: Tool,
  engine: MemoryEngine,
  input: unknown,
  caller: Caller,
  decide: (confirmation: Confirmation) => CallDecision<Answer> | Promise<CallDecision<Answer>>,
): Promise<CallEnding<Answer>> {
  let result: ToolResult | undefined;
  const requireWanted = (): void => {
    if (caller.signal?.aborted === true) throw new EngineError('aborted', 'It was cancelled, and nothing was done.');
  };
  try {
    requireWanted();
    const confirmation = await tool.confirm?.(engine, input);
    const decision = confirmation === undefined ? 'run' : await decide(confirmation);
    if (decision !== 'run') {
      if (!('obstacle' in decision)) return decision;
      requireWanted();
      return { request: await requestDecision(engine, confirmation!, decision.obstacle) };
    }
    requireWanted();
    result = await tool.run(engine, input, caller);
    return { result };
  } finally {
    noteChangingCall(engine, tool, result?.given);
  }
}

/** Notes a call of a tool that changes something, with the memories that its answer gives out. */
function noteChangingCall(engine: MemoryEngine, tool: Tool, given: readonly string[] = []): void {
  if (tool.readOnly) return;
  engine.activity.noteCall(
    tool.name,
    given.map(id => ({ id })),
  );
}

/**
 * Keeps what a model wants for the person to decide, instead of doing it.
 * @param obstacle why the person was not asked, in a few words
 * @returns the answer for the model
 * @throws EngineError
 */
export async function requestDecision(
  engine: MemoryEngine,
  { request }: Confirmation,
  obstacle: string,
): Promise<string> {
  const start = `Nothing was changed: only the user may decide this, and ${obstacle}.`;
  if (request === undefined) return `${start} They can run it themselves: recollect maintain.`;
  const id = shortId(await engine.actionRequests.add(request.id, request.action, request.replacedBy));
  return `${start} The request is kept: the user sees it with "recollect requests" and does it with "recollect requests --accept ${id}".`;
}

/** Checks the input and runs the tool. @throws EngineError */
export async function runTool<Input, Output>(
  tool: Tool<Input, Output>,
  engine: MemoryEngine,
  input: unknown,
  caller: Caller,
): Promise<ToolResult<Output>> {
  const { input: read, notes } = parseInputWithNotes(tool, input);
  return addInputNotes(tool, await tool.run(engine, read, caller), notes);
}

/**
 * Why a call of a tool failed, in words that every front door uses. Holds no text of a memory.
 * @param diagnosticHint what to do to see more of a failure of our own making
 */
export function toolErrorMessage(error: unknown, tool: Pick<Tool, 'title'>, diagnosticHint: string): string {
  if (EngineError.is(error)) return error.message;
  return `${tool.title} failed inside Recollect, and nothing was done. ${diagnosticHint}`;
}
