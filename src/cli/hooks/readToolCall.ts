import type { GuardedCall } from '../../engine/model/guards.js';
import { hookOf, isFailureEvent } from './hookEvents.js';

type Json = Readonly<Record<string, unknown>>;

/** Names of tools, by what they do, of all programs; any other has nothing to be said of. */
const commandTools = /^(?:bash|shell|powershell|local_shell|exec_command|run_?in_?terminal|run_?terminal_?command)$/iu;
const editTools =
  /^(?:edit|multi_?edit|write|notebook_?edit|apply_?patch|create|create_?file|edit_?files?|insert_?edit_?into_?file|(?:multi_)?replace_?string_?in_?file|str_replace(?:_editor)?)$/iu;
/** Fields with the path of a file, and with what is written or replaced. */
const fileFields = ['file_path', 'filePath', 'path', 'notebook_path'];
const textFields = [
  'old_string',
  'new_string',
  'oldString',
  'newString',
  'old_str',
  'new_str',
  'content',
  'file_text',
  'code',
];
/** Fields with edits of their own. */
const partFields = ['edits', 'replacements'];

/** In characters, of an edit and of an error. */
const maxTextLength = 100_000;
const maxErrorLength = 20_000;

/** The edit or command of a hook's input; after the call only where it failed or may have. Undefined for anything else. */
export function readToolCall(input: Json): GuardedCall | undefined {
  const name = input.tool_name ?? input.toolName;
  if (typeof name !== 'string') return undefined;
  const args = asObject(input.tool_input ?? input.toolArgs);
  const named = input.hook_event_name ?? input.hookEventName;
  const event = typeof named === 'string' ? named : '';
  const isAfter = hookOf(event) === 'after-tool' || resultOf(input) !== undefined || 'error' in input;
  const call = commandTools.test(name) ? readCommand(args) : editTools.test(name) ? readEdit(args) : undefined;
  if (call === undefined || !isAfter) return call;
  const error = readFailure(input, event)?.slice(0, maxErrorLength);
  if (error !== undefined) return { ...call, moment: 'failure', error };
  const output = readOutputAlone(input);
  return output === undefined || call.command === ''
    ? undefined
    : { ...call, moment: 'failure', error: output.slice(-maxErrorLength), mayHavePassed: true };
}

function readCommand(args: Json): GuardedCall | undefined {
  const { command } = args;
  const line = Array.isArray(command) ? command.map(it => quote(String(it))).join(' ') : command;
  if (typeof line !== 'string' || line.trim() === '') return undefined;
  // Where a model has no tool for it, Codex edits by a command.
  if (/(?:^|[\s/'"])apply_patch\b/u.test(line) && line.includes('*** Begin Patch')) return readEdit({ patch: line });
  return { moment: 'command', files: [], text: '', command: line, error: '' };
}

function readEdit(args: Json): GuardedCall | undefined {
  const parts = [args, ...partFields.flatMap(it => asList(args[it]).map(asObject))];
  const strings = (fields: readonly string[]): readonly string[] =>
    parts.flatMap(part => fields.map(it => part[it]).filter(it => typeof it === 'string'));
  // Codex and VS Code give a patch, which names its files.
  const patch = [args.command, args.input, args.patch].find(it => typeof it === 'string') ?? '';
  const patched = [...patch.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gmu)];
  const files = [
    ...strings(fileFields),
    ...asList(args.files).filter(it => typeof it === 'string'),
    ...patched.map(it => (it[1] ?? it[2])!.trim()),
  ];
  if (files.length === 0) return undefined;
  const text = [...strings(textFields), patch].join('\n').slice(0, maxTextLength);
  return { moment: 'edit', files: [...new Set(files)], text, command: '', error: '' };
}

/** Message of a failed tool; undefined where it did not fail, or where a person stopped it. */
function readFailure(input: Json, event: string): string | undefined {
  if (input.is_interrupt === true) return undefined;
  const response = resultOf(input);
  const { error } = input;
  if (isFailureEvent(event) || error !== undefined) return toText(error ?? response);
  if (response === undefined) return undefined;
  const { resultType, result_type: type, is_error: isError, success, exit_code: code, exitCode } = asObject(response);
  const hasFailed =
    isError === true ||
    success === false ||
    [resultType, type].some(it => it === 'failure' || it === 'error') ||
    [code, exitCode].some(it => typeof it === 'number' && it !== 0);
  const text = toText(response);
  return hasFailed || /\bexit(?:ed)?(?: with)?(?: code)?:? (?!0\b)\d{1,3}\b/iu.test(text.slice(0, maxErrorLength))
    ? text
    : undefined;
}

/** As each program names it: Copilot CLI in two ways, by the names of the events. */
function resultOf(input: Json): unknown {
  return input.tool_response ?? input.toolResult ?? input.tool_result;
}

/**
 * Output of a command, where the program does not say how it ended: Codex gives its hooks the output alone, and VS Code's chat says a
 * code other than 0 in it, where its terminal knows the code.
 */
function readOutputAlone({ tool_response: response }: Json): string | undefined {
  return typeof response === 'string' && !/\bexit code: 0\b/iu.test(response) ? response : undefined;
}

/** An object, also where it is given as JSON. */
function asObject(value: unknown): Json {
  if (typeof value === 'object' && value !== null) return value as Json;
  if (typeof value !== 'string' || !value.startsWith('{')) return {};
  try {
    return JSON.parse(value) as Json;
  } catch {
    return {};
  }
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function quote(word: string): string {
  return /\s/u.test(word) ? `'${word}'` : word;
}
