import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { helpOf, type CommandCaller, type PersonCommand } from '../operations/personCommand.js';
import { confirm, exitCodes, print, readText, withSigint, type WithEngine } from './command.js';
import { describeKeySource } from './keyFile.js';
import { writeOutputFile } from './output/outputFile.js';

const caller: CommandCaller = {
  confirm,
  readText,
  interruptible: withSigint,
  writeFile: writeOutputFile,
  get keySource() {
    return describeKeySource();
  },
};

/** Adds commands to the program, or to groups that it has already. */
export function registerPersonCommands(
  program: Command,
  withEngine: WithEngine,
  commands: readonly PersonCommand[],
): void {
  for (const it of commands) registerPersonCommand(program, withEngine, it);
}

function registerPersonCommand(program: Command, withEngine: WithEngine, operation: PersonCommand): void {
  const { name, description, isDefault, input: schema } = operation;
  const path = name.split(' ');
  const group = path.slice(0, -1).reduce((it, word) => it.commands.find(other => other.name() === word)!, program);
  const command = group.command(path.at(-1)!, { isDefault: isDefault === true }).description(description);
  /** Field -> its value after the command line was read. */
  const readers: (readonly [field: string, read: (words: readonly unknown[]) => unknown])[] = [];
  for (const [field, fieldSchema] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const { usage, description: help, conflicts } = helpOf(fieldSchema);
    const position = command.registeredArguments.length;
    if (usage.startsWith('-')) {
      const option = new Option(usage, help).conflicts([...conflicts]);
      const attribute = option.attributeName();
      readers.push([field, () => command.getOptionValue(attribute) as unknown]);
      command.addOption(applySchema(option, fieldSchema));
      option.makeOptionMandatory(innermost(fieldSchema) === fieldSchema);
    } else {
      readers.push([field, words => words[position]]);
      command.addArgument(applySchema(new Argument(usage, help), fieldSchema));
    }
  }
  command.action((...words: unknown[]) =>
    withEngine(async (engine, json) => {
      const values = readers.map(([field, read]) => [field, read(words)] as const);
      const input = schema.parse(Object.fromEntries(values.filter(([, value]) => value !== undefined)));
      const { output, lines, remarks = [], hints = [], ending = 'done' } = await operation.run(engine, input, caller);
      if (output !== undefined) print(json, output, () => lines);
      for (const it of [...(json ? [] : hints), ...remarks]) console.error(it);
      return exitCodes[ending === 'done' ? 'ok' : ending];
    }),
  );
}

/** Choices, default and check of a value, as its schema has them. */
function applySchema<Target extends Option | Argument>(target: Target, schema: z.ZodType): Target {
  const value = innermost(schema);
  // Several words are an empty list by themselves.
  if (schema instanceof z.ZodDefault && !(value instanceof z.ZodArray)) target.default(schema.def.defaultValue);
  const single = value instanceof z.ZodArray ? (value.element as z.ZodType) : value;
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
