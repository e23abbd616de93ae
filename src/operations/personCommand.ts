import { z } from 'zod';
import { parseCalendarDate } from '../engine/base/calendarDate.js';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { decayClasses, gates, kinds, lanes, statuses, storeScopes, type Memory } from '../engine/model/memory.js';
import { pluralize } from '../engine/model/pluralize.js';
import { formatMemoryLine } from './describeMemory.js';

/** Result of a command. */
export interface CommandAnswer {
  /** Printed by `--json`; undefined prints nothing. */
  readonly output: unknown;
  /** The same for a person, a line each. */
  readonly lines: readonly string[];
  /** Remarks on the result, for standard error. */
  readonly remarks?: readonly string[];
  /** Next steps, for standard error; a program that reads JSON does not get them. */
  readonly hints?: readonly string[];
  /** `done` by default. */
  readonly ending?: CommandEnding;
}

/** `failed`: not done, or not all of it; `notFound`: there is nothing like that; `damaged`: a check found problems. */
export type CommandEnding = 'done' | 'failed' | 'notFound' | 'damaged';

/** The person who called a command, as the program knows them. */
export interface CommandCaller {
  /** Whether a program reads the answer, as JSON. */
  readonly isJson: boolean;
  /** Their answer to a question; throws EngineError `invalidInput` where they cannot be asked. */
  confirm(question: string): Promise<boolean>;
  /** Lines before the answer, such as those that a question is about; none for a program that reads JSON. */
  show(lines: readonly string[]): void;
  /** Remarks before a question, on standard error. */
  say(lines: readonly string[]): void;
  /** Runs work that writes a text and waits for a key, again and again; `q` where there are no more. */
  withKeys<T>(work: (askKey: (text: string) => Promise<string>) => Promise<T>): Promise<T>;
  /** The state of long work, for a person who watches. @param isLast whether the work is done */
  showProgress(text: string, isLast: boolean): void;
  /** Words of the call as one text; no words, or `-`: standard input. */
  readText(words: readonly string[]): Promise<string>;
  /** Where this program has its keys for sensitive memories. */
  readonly keySource: string;
  /** Writes a file that the person named, for its owner alone; without one, to standard output. */
  write(file: string | undefined, text: AsyncIterable<string> | Iterable<string>): Promise<void>;
  /** Runs work that ends between two steps when the person interrupts it. */
  interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** The first word of several commands. */
export interface CommandGroup {
  /** As typed; after the name of its group, where it has one: `goals add`. */
  readonly name: string;
  readonly description: string;
  /** The name now, of one that is a former name: it is in no help, and says the new one. */
  readonly now?: string;
}

/**
 * A verb for persons, defined once: the command line derives arguments, options, help, `--json` and the exit code. A model's tool for
 * the same verb is in the same file.
 */
export interface PersonCommand<Shape extends z.ZodRawShape = z.ZodRawShape> extends CommandGroup {
  /** Whether its group without a word means this one. */
  readonly isDefault?: true;
  /** Below the options, in the help. */
  readonly help?: string;
  /** Each field is made by {@link argument} or {@link option}. */
  readonly input: z.ZodObject<Shape>;
  run(engine: MemoryEngine, input: z.infer<z.ZodObject<Shape>>, caller: CommandCaller): Promise<CommandAnswer>;
}

/** Defines a command with the type of its schema. */
export function definePersonCommand<Shape extends z.ZodRawShape>(command: PersonCommand<Shape>): PersonCommand {
  return command;
}

/** Help of one field. */
export interface FieldHelp {
  /** `<id...>`, or `--limit <n>`. */
  readonly usage: string;
  readonly description: string;
  /** Other fields that it excludes. */
  readonly conflicts: readonly string[];
}

const fieldHelp = z.registry<FieldHelp>();

/** A field that is given as a word. @param usage as help shows it: `<id>`, `[text...]` */
export function argument<Schema extends z.ZodType>(usage: string, schema: Schema, description: string): Schema {
  return withHelp(schema, { usage, description, conflicts: [] });
}

/** A field that is given as an option. @param usage as help shows it: `--type <type...>` */
export function option<Schema extends z.ZodType>(
  usage: string,
  schema: Schema,
  description: string,
  conflicts: readonly string[] = [],
): Schema {
  return withHelp(schema, { usage, description, conflicts });
}

function withHelp<Schema extends z.ZodType>(schema: Schema, help: FieldHelp): Schema {
  const field = schema.clone();
  fieldHelp.add(field, help);
  return field;
}

/** Help of a field of a command's input. */
export function helpOf(schema: z.ZodType): FieldHelp {
  const help = fieldHelp.get(schema);
  if (help === undefined) throw new Error('A field of a command is made by argument or option.');
  return help;
}

const notWhole = 'It must be a whole number.';
/** A whole number, 0 or more, as text or number. */
export const wholeNumber = z.coerce.number(notWhole).int(notWhole).min(0, 'It must be at least 0.');

/** How many are wanted at most, 1 or more. */
export const count = wholeNumber.min(1, 'It must be at least 1.');

/** A date as a person writes it -> ISO-8601 UTC. */
export const isoDate = z.string().transform((text, ctx) => {
  const date = parseCalendarDate(text);
  if (date !== undefined) return date.toISOString();
  ctx.addIssue('It must be a date such as 2026-03-01.');
  return z.NEVER;
});

/** Present and true, or absent. */
export const flag = z.literal(true).exactOptional();

/** One memory, by the id that every list shows. */
export const idArgument = argument('<id>', z.string(), 'its id or the last eight digits of it');
export const idsArgument = argument('<id...>', z.array(z.string()), 'ids, or the last eight digits of them');

export const scopeOption = option(
  '--scope <scope>',
  z.enum(storeScopes).default('project-then-global'),
  'the memory of this project, the global one of all projects, or both',
);
export const scopeIdOption = option(
  '--scope-id <id>',
  z.string().exactOptional(),
  'only this set, see `recollect set`',
);

const chosen = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.array(z.enum(values)).exactOptional();

/** Options of a filter, named as the engine takes it. */
export const filterOptions = {
  gates: option('--gate <gate...>', chosen(gates), 'only what is about these; see `recollect remember --help`'),
  kinds: option('--kind <kind...>', chosen(kinds), 'only these sorts of memory'),
  decayClasses: option('--class <class...>', chosen(decayClasses), 'only what lasts this long'),
  statuses: option(
    '--status <status...>',
    chosen(statuses),
    'active, superseded (replaced by another one) or archived (forgotten); default: active',
  ),
  lane: option('--lane <lane>', z.enum(lanes).exactOptional(), 'only what you confirmed, or only notes'),
  tags: option('--tag <tag...>', z.array(z.string()).exactOptional(), 'only with all of these tags'),
  since: option('--since <date>', isoDate.exactOptional(), 'made on or after this date'),
  until: option('--until <date>', isoDate.exactOptional(), 'made before this date'),
  scope: option(
    '--scope <scope>',
    z.enum(storeScopes).exactOptional(),
    'the memory of this project, the global one of all projects, or both',
  ),
  scopeId: scopeIdOption,
};

/** The answer of a command that wrote its result itself, with remarks on it. */
export const written = (...remarks: readonly string[]): CommandAnswer => ({ output: undefined, lines: [], remarks });

/** A memory on one line, with its confidence now. */
export function memoryLine(engine: MemoryEngine, memory: Memory): string {
  return formatMemoryLine(memory, engine.effectiveConfidence(memory));
}

/** Memories as they are, and a line for each. */
export function memoriesAnswer(engine: MemoryEngine, memories: readonly Memory[]): CommandAnswer {
  return { output: memories, lines: memories.map(it => memoryLine(engine, it)) };
}

/** As {@link memoriesAnswer}, after a person's decision about them: also where their team does not learn of it. */
export async function decidedAnswer(engine: MemoryEngine, memories: readonly Memory[]): Promise<CommandAnswer> {
  const notice = await engine.team.unnamedNotice(memories);
  return { ...memoriesAnswer(engine, memories), ...(notice === undefined ? {} : { remarks: [notice] }) };
}

/** Changes several memories. All are looked up first: a wrong id stops the call before it has changed anything. */
export async function changeEach(
  engine: MemoryEngine,
  references: readonly string[],
  change: (id: string) => Promise<Memory>,
): Promise<{ readonly before: readonly Memory[]; readonly after: readonly Memory[] }> {
  const before: Memory[] = [];
  for (const it of references) before.push(await engine.get(it));
  const after: Memory[] = [];
  for (const { id } of before) after.push(await change(id));
  return { before, after };
}

/** Remark and ending of a run over many items, of which the output names those left out. */
export function leftOut(count: number, singular: string): Pick<CommandAnswer, 'remarks' | 'ending'> {
  if (count === 0) return {};
  const remark = `${pluralize(count, singular)} ${count === 1 ? 'was' : 'were'} left out; the rest is done.`;
  return { remarks: [remark], ending: 'failed' };
}

/** Shows how much of a long work is done, in percent. @param verb such as `Copying` */
export function percentOf(
  caller: CommandCaller,
  verb: string,
): (it: { readonly done: number; readonly total: number }) => void {
  return ({ done, total }) => {
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    caller.showProgress(`${verb}: ${percent}%`, percent === 100);
  };
}

/** Whether a person agrees: with the call, or when they are asked. A program that reads JSON is not asked. */
export async function agrees(caller: CommandCaller, yes: boolean | undefined, question: string): Promise<boolean> {
  return yes === true || (!caller.isJson && (await caller.confirm(question)));
}

/** Asks a person unless they said yes with the call. @throws EngineError aborted, with `refusal` */
export async function requireYes(
  caller: CommandCaller,
  {
    yes,
    question,
    refusal,
  }: { readonly yes: boolean | undefined; readonly question: string; readonly refusal: string },
): Promise<void> {
  if (yes === true || (await caller.confirm(question))) return;
  throw new EngineError('aborted', refusal);
}
