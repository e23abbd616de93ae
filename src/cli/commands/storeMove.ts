import type { Command } from 'commander';
import type { MemoryEngine } from '../../engine/engine.js';
import { formatMemoryCount } from '../../engine/model/pluralize.js';
import { environmentHelp } from './serverHelp.js';
import { confirm, exitCodes, print, withSigint, type ExitCode, type WithEngine } from '../command.js';

interface MoveOptions {
  readonly back?: true;
  readonly deleteSource?: true;
  readonly yes?: true;
}

type Team = MemoryEngine['team'];

/** Moving a project's whole store to a server and back. */
export function registerStoreMoveCommand(program: Command, withEngine: WithEngine): void {
  const store = program.command('store').description('where the memory of a project lies');
  registerTeamMoveCommand(store.command('move'), withEngine);
  store
    .command('open')
    .description('on another machine of yours: use the memory of this project that you moved to a PostgreSQL server')
    .argument('[schema]', 'which one (default: that of the repository of this project)')
    .option('--yes', 'without asking')
    .addHelpText('after', environmentHelp)
    .action((schema: string | undefined, { yes }: { readonly yes?: true }) =>
      withEngine((engine, json) => openOnServer(engine.team, json, schema, yes === true)),
    );
}

async function openOnServer(
  { store }: Team,
  json: boolean,
  given: string | undefined,
  yes: boolean,
): Promise<ExitCode> {
  const stores = await store.listOnServer();
  const schema = given ?? store.ownOnServer(stores)?.schema;
  if (schema === undefined) {
    print(json, stores, () =>
      stores.map(
        it =>
          `${it.schema}  ${formatMemoryCount(it.memories)}${it.repository === undefined ? '' : `, of ${it.repository}`}`,
      ),
    );
    console.error(
      stores.length === 0
        ? 'This login has no memories on the server. Move them there on the machine that has them: recollect store move'
        : 'None of these is known to be of this repository. Say which: recollect store open SCHEMA',
    );
    return exitCodes.notFound;
  }
  const isConfirmed = yes || (!json && (await confirm(`Use ${schema} for this project from now on?`)));
  const memories = isConfirmed ? await store.openOnServer(schema) : 0;
  print(json, { schema, isUsed: isConfirmed, memories }, () => [
    isConfirmed
      ? `This project uses ${schema} on the server from now on, with ${formatMemoryCount(memories)}. Open windows and assistants use it when they are opened again.`
      : 'Nothing was changed.',
  ]);
  return exitCodes.ok;
}

/** @param command of this name, or of the former one */
export function registerTeamMoveCommand(command: Command, withEngine: WithEngine): Command {
  return command
    .description(
      "move this project's whole memory to a PostgreSQL server, for you alone; what was here stays until deleted",
    )
    .option('--back', 'move it from the server to this machine')
    .option('--delete-source', 'delete what it was moved from, once you have seen that all is well')
    .option('--yes', 'without asking')
    .addHelpText('after', environmentHelp)
    .action((options: MoveOptions) =>
      withEngine((engine, json) => {
        if (options.deleteSource === true) return deleteSource(engine.team, json, options);
        return options.back === true ? moveHere(engine.team, json, options) : moveToServer(engine.team, json, options);
      }),
    );
}

async function moveToServer({ store }: Team, json: boolean, { yes }: MoveOptions): Promise<ExitCode> {
  const copy = await withSigint(signal => store.copyToServer({ signal, ...progress(json, 'Copying') }));
  const text = `Copied ${formatMemoryCount(copy.memories)} to ${copy.to}, and compared them: all the same.`;
  if (!json) console.error(text);
  const isConfirmed = yes === true || (await confirm('Use them there from now on?'));
  if (isConfirmed) await store.useServer(copy);
  print(json, { ...copy, isUsed: isConfirmed }, () =>
    isConfirmed
      ? [
          `The memories of this project are on ${copy.to} now. Open windows and assistants use them there when they are opened again.`,
          `${copy.from} takes no more writes. Delete it once you have seen that all is well: recollect store move --delete-source`,
        ]
      : ['Nothing was switched. The copy is brought up to date by the next recollect store move.'],
  );
  return exitCodes.ok;
}

async function moveHere({ store }: Team, json: boolean, { yes }: MoveOptions): Promise<ExitCode> {
  const { name } = await store.place();
  if (yes !== true && !(await confirm(`Move the memories of this project from ${name} to this machine?`))) {
    console.error('Nothing was changed.');
    return exitCodes.ok;
  }
  const memories = await withSigint(signal => store.moveHere({ signal, ...progress(json, 'Copying') }));
  print(json, { memories, from: name }, () => [
    `${formatMemoryCount(memories)} copied from ${name}, and compared: all the same. They are on this machine now.`,
    'The server keeps what was there. Delete it once you have seen that all is well: recollect store move --delete-source',
  ]);
  return exitCodes.ok;
}

async function deleteSource({ store }: Team, json: boolean, { yes }: MoveOptions): Promise<ExitCode> {
  const place = await store.place();
  const what =
    place.kind === 'server'
      ? `${place.source ?? 'what is left here'}, with its backups and checkpoints`
      : "this project's memories on the server";
  const isConfirmed = yes === true || (await confirm(`Delete ${what}? This cannot be undone.`));
  if (isConfirmed) await store.deleteSource();
  if (json) print(true, { deleted: isConfirmed }, () => []);
  else console.error(isConfirmed ? 'Deleted.' : 'Nothing was changed.');
  return exitCodes.ok;
}

function progress(
  json: boolean,
  verb: string,
): { readonly onProgress?: (it: { readonly done: number; readonly total: number }) => void } {
  if (json || !process.stderr.isTTY) return {};
  return {
    onProgress: ({ done, total }) => {
      const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
      process.stderr.write(`\r${verb}: ${percent}%${percent === 100 ? '\n' : ''}`);
    },
  };
}
