import { z } from 'zod';
import type { MemoryEngine } from '../engine/engine.js';
import { formatMemoryCount } from '../engine/model/pluralize.js';
import {
  agrees,
  argument,
  definePersonCommand,
  flag,
  option,
  percentOf,
  type CommandAnswer,
  type CommandCaller,
  type CommandGroup,
  type PersonCommand,
} from './personCommand.js';
import { environmentHelp } from './serverHelp.js';

type Team = MemoryEngine['team'];

const yesOption = option('--yes', flag, 'without asking');
const nothingChanged: CommandAnswer = { output: undefined, lines: [], remarks: ['Nothing was changed.'] };

const moveCommand = definePersonCommand({
  name: 'store move',
  description:
    "move this project's whole memory to a PostgreSQL server, for you alone; what was here stays until deleted",
  help: environmentHelp,
  input: z.strictObject({
    back: option('--back', flag, 'move it from the server to this machine'),
    deleteSource: option('--delete-source', flag, 'delete what it was moved from, once you have seen that all is well'),
    yes: yesOption,
  }),
  run({ team }, { back, deleteSource: deletes, yes }, caller) {
    if (deletes === true) return deleteSource(team, yes, caller);
    return back === true ? moveHere(team, yes, caller) : moveToServer(team, yes, caller);
  },
});

const openCommand = definePersonCommand({
  name: 'store open',
  description: 'on another machine of yours: use the memory of this project that you moved to a PostgreSQL server',
  help: environmentHelp,
  input: z.strictObject({
    schema: argument(
      '[schema]',
      z.string().exactOptional(),
      'which one (default: that of the repository of this project)',
    ),
    yes: yesOption,
  }),
  async run({ team: { store } }, { schema: given, yes }, caller) {
    const stores = await store.listOnServer();
    const schema = given ?? store.ownOnServer(stores)?.schema;
    if (schema === undefined) {
      const next =
        stores.length === 0
          ? 'This login has no memories on the server. Move them there on the machine that has them: recollect store move'
          : 'None of these is known to be of this repository. Say which: recollect store open SCHEMA';
      return {
        output: stores,
        lines: stores.map(({ schema: name, memories, repository }) => {
          const of = repository === undefined ? '' : `, of ${repository}`;
          return `${name}  ${formatMemoryCount(memories)}${of}`;
        }),
        remarks: [next],
        ending: 'notFound',
      };
    }
    const isUsed = await agrees(caller, yes, `Use ${schema} for this project from now on?`);
    const memories = isUsed ? await store.openOnServer(schema) : 0;
    return {
      output: { schema, isUsed, memories },
      lines: [
        isUsed
          ? `This project uses ${schema} on the server from now on, with ${formatMemoryCount(memories)}. Open windows and assistants use it when they are opened again.`
          : 'Nothing was changed.',
      ],
    };
  },
});

/** Moving a project's whole store to a server and back. */
export const storeCommands: readonly (PersonCommand | CommandGroup)[] = [
  { name: 'store', description: 'where the memory of a project lies' },
  moveCommand,
  openCommand,
];

/** For a release. */
export const formerMoveCommand: PersonCommand = { ...moveCommand, name: 'team move', now: 'recollect store move' };

async function moveToServer({ store }: Team, yes: true | undefined, caller: CommandCaller): Promise<CommandAnswer> {
  const copy = await caller.interruptible(signal =>
    store.copyToServer({ signal, onProgress: percentOf(caller, 'Copying') }),
  );
  const copied = `Copied ${formatMemoryCount(copy.memories)} to ${copy.to}, and compared them: no difference.`;
  if (!caller.isJson) caller.say([copied]);
  const isUsed = yes === true || (await caller.confirm('Use them there from now on?'));
  if (isUsed) await store.useServer(copy);
  return {
    output: { ...copy, isUsed },
    lines: isUsed
      ? [
          `The memories of this project are on ${copy.to} now. Open windows and assistants use them there when they are opened again.`,
          `${copy.from} takes no more writes. Delete it once you have seen that all is well: recollect store move --delete-source`,
        ]
      : ['Nothing was switched. The copy is brought up to date by the next recollect store move.'],
  };
}

async function moveHere({ store }: Team, yes: true | undefined, caller: CommandCaller): Promise<CommandAnswer> {
  const { name } = await store.place();
  const question = `Move the memories of this project from ${name} to this machine?`;
  if (yes !== true && !(await caller.confirm(question))) return nothingChanged;
  const memories = await caller.interruptible(signal =>
    store.moveHere({ signal, onProgress: percentOf(caller, 'Copying') }),
  );
  return {
    output: { memories, from: name },
    lines: [
      `${formatMemoryCount(memories)} copied from ${name}, and compared: no difference. They are on this machine now.`,
      'The server keeps what was there. Delete it once you have seen that all is well: recollect store move --delete-source',
    ],
  };
}

async function deleteSource({ store }: Team, yes: true | undefined, caller: CommandCaller): Promise<CommandAnswer> {
  const place = await store.place();
  const what =
    place.kind === 'server'
      ? `${place.source ?? 'what is left here'}, with its backups and checkpoints`
      : "this project's memories on the server";
  const deleted = yes === true || (await caller.confirm(`Delete ${what}? This cannot be undone.`));
  if (deleted) await store.deleteSource();
  return { output: { deleted }, lines: [], hints: [deleted ? 'Deleted.' : 'Nothing was changed.'] };
}
