import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Source } from '../engine/model/memory.js';

/** Who calls a tool, and what that makes of what it stores. */
export interface Caller {
  readonly source: Source;
  /** A person saw the exact text and agreed to it. */
  readonly confirmedByPerson: boolean;
  readonly session?: string;
}

/** What a person is shown before a call that writes. */
export interface Confirmation {
  readonly title: string;
  /** Plain text; holds the exact text that will be kept or forgotten. */
  readonly message: string;
}

export interface ToolResult {
  /** For the model to read. */
  readonly text: string;
  /** The same as data. */
  readonly structured: Readonly<Record<string, unknown>>;
}

/** What a model may call, defined once; VS Code, MCP and the chat participant are adapters around it. */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** How a person names it in a chat: `#recall`. */
  readonly reference?: string;
  readonly title: string;
  /** When to call it, when not, and what comes back. */
  readonly description: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly input: z.ZodType<Input>;
  /** What a person reads while it runs. Has no side effects. */
  progress(input: Input): string;
  /** Undefined where nothing needs a yes. Reads at most; has no side effects. */
  confirm?(engine: MemoryEngine, input: Input): Promise<Confirmation | undefined>;
  run(engine: MemoryEngine, input: Input, caller: Caller): Promise<ToolResult>;
}

/** Defines a tool with the input type of its schema. */
export function defineTool<Schema extends z.ZodType>(
  tool: Omit<Tool<z.infer<Schema>>, 'input'> & { readonly input: Schema },
): Tool {
  return tool;
}

/** The input's JSON Schema, draft 7, as package.json and MCP clients take it. */
export function inputSchema(tool: Tool): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(tool.input, { target: 'draft-7', io: 'input' }) as Record<
    string,
    unknown
  >;
  return schema;
}

/**
 * What a model sent, checked against the tool's schema.
 * @throws EngineError invalidInput, with a message the model can act on.
 */
export function parseInput(tool: Tool, raw: unknown): unknown {
  const parsed = tool.input.safeParse(raw);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(it => `${it.path.join('.') || 'input'}: ${it.message}`).join('; ');
  throw new EngineError(
    'invalidInput',
    `The input of ${tool.name} is not valid: ${problems}. Correct it and call again.`,
  );
}

/** Checks the input and runs the tool. @throws EngineError */
export async function runTool(tool: Tool, engine: MemoryEngine, raw: unknown, caller: Caller): Promise<ToolResult> {
  return tool.run(engine, parseInput(tool, raw), caller);
}
