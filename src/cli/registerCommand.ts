import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import { helpOf, type CommandGroup, type PersonCommand } from '../operations/personCommand.js';
import type { ProgramCommand, RunCommand } from './command.js';

/** Adds commands to the program, or to groups that are before them or in the program. */
export function registerCommands(
  program: Command,
  run: RunCommand,
  commands: readonly (PersonCommand | ProgramCommand | CommandGroup)[],
): void {
  for (const it of commands) {
    const command = registerName(program, it);
    if ('input' in it) registerAction(command, run, it);
  }
}

function registerName(program: Command, { name, description, now, ...rest }: CommandGroup): Command {
  const path = name.split(' ');
  const group = path.slice(0, -1).reduce((it, word) => it.commands.find(other => other.name() === word)!, program);
  const isDefault = 'isDefault' in rest;
  const command = group.command(path.at(-1)!, { isDefault, hidden: now !== undefined }).description(description);
  if (now !== undefined)
    command.hook('preAction', () => {
      console.error(`This command has another name now: ${now}`);
    });
  return command;
}

function registerAction(command: Command, run: RunCommand, operation: PersonCommand | ProgramCommand): void {
  const { help, input: schema } = operation;
  /** Field -> its value after the command line was read. */
  const readers: (readonly [field: string, read: (words: readonly unknown[]) => unknown])[] = [];
  const shape = schema.shape as Readonly<Record<string, z.ZodType>>;
  for (const [field, fieldSchema] of Object.entries(shape)) {
    const { usage, description, conflicts } = helpOf(fieldSchema);
    const position = command.registeredArguments.length;
    if (usage.startsWith('-')) {
      const option = new Option(usage, description).conflicts([...conflicts]);
      const attribute = option.attributeName();
      readers.push([field, () => command.getOptionValue(attribute) as unknown]);
      command.addOption(applySchema(option, fieldSchema));
      option.makeOptionMandatory(innermost(fieldSchema) === fieldSchema);
    } else {
      readers.push([field, words => words[position]]);
      command.addArgument(applySchema(new Argument(usage, description), fieldSchema));
    }
  }
  if (help !== undefined) command.addHelpText('after', help);
  command.action((...words: unknown[]) => {
    const values = readers.map(([field, read]) => [field, read(words)] as const).filter(([, it]) => it !== undefined);
    for (const [field, value] of values) requireWords(value, shape[field]!);
    const input = schema.parse(Object.fromEntries(values));
    return run(async (context, caller) =>
      'run' in operation ? engine => operation.run(engine, input, caller) : operation.answer(context, input, caller),
    );
  });
}

/**
 * A word that is empty is a mistake, such as a variable of the shell that is not set, where its schema does not say `min(0)`.
 * @throws EngineError invalidInput
 */
function requireWords(value: unknown, schema: z.ZodType): void {
  const text = innermost(schema);
  if (text instanceof z.ZodString && text.minLength === 0) return;
  const words: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (words.some(it => typeof it === 'string' && it.trim() === ''))
    throw new EngineError(
      'invalidInput',
      `An empty word was given for ${helpOf(schema).usage}. Write what you mean there, or leave it out.`,
    );
}

/** Choices, default and check of a value, as its schema has them. */
function applySchema<Target extends Option | Argument>(target: Target, schema: z.ZodType): Target {
  const value = innermost(schema);
  // Several words are an empty list by themselves.
  if (schema instanceof z.ZodDefault && !(value instanceof z.ZodArray)) target.default(schema.def.defaultValue);
  // An option with or without a word is one word of those, or true.
  const [word = value] = value instanceof z.ZodUnion ? (value.options as readonly z.ZodType[]) : [];
  const single = word instanceof z.ZodArray ? (word.element as z.ZodType) : word;
  if (single instanceof z.ZodEnum) target.choices(single.options.map(String));
  else if (single instanceof z.ZodLiteral && single.def.values.length > 1)
    target.choices(single.def.values.map(String));
  else if (value instanceof z.ZodNumber || value instanceof z.ZodPipe)
    target.argParser(text => {
      const { data, error } = value.safeParse(text);
      if (error !== undefined) throw new InvalidArgumentError(error.issues[0]!.message);
      return data;
    });
  return target;
}

/** Without what makes it optional. */
function innermost(schema: z.ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional;
  return isWrapped ? innermost(schema.unwrap() as z.ZodType) : schema;
}
