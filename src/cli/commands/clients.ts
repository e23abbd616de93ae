import { Option, type Command } from 'commander';
import { z } from 'zod';
import { changeClientRights, type GivenRights } from '../../engine/access/changeRights.js';
import { clientKey, otherClients, type clientAccesses, type ClientRights } from '../../engine/access/clientRights.js';
import { isSecretName, listClients, type ListedClient } from '../../engine/access/listClients.js';
import { EngineError } from '../../engine/base/errors.js';
import type { Access, Change } from '../../engine/model/access.js';
import { shortId, storeKinds, type StoreKind } from '../../engine/model/memory.js';
import { settingsFilePath } from '../../engine/access/settingsFile.js';
import { clientTools } from '../../operations/registry.js';
import { definePersonCommand, option } from '../../operations/personCommand.js';
import type { ProgramContext } from '../command.js';

interface AllowOptions {
  readonly readOnly?: true;
  readonly store?: StoreKind;
  readonly tools?: string[];
}

/** `recollect clients`: which assistants have called, and what each of them may do. */
export function registerClientsCommand(program: Command, { dataDir, print, noteSetting }: ProgramContext): void {
  const clients = program
    .command('clients')
    .description('list the assistants that have called, and what each of them may do')
    .action(async () => {
      const listed = await listClients(dataDir());
      print({ file: settingsFilePath(dataDir()), clients: listed }, () => listed.map(describeClient));
      if (listed.length === 0) console.error('No assistant has called yet.');
    });
  const change = async (name: string, rights: GivenRights | undefined): Promise<void> => {
    const client = requireClientName(name);
    const changed = await changeClientRights(dataDir(), client, rights, noteSetting);
    print(changed ?? { client }, () => [
      changed === undefined ? `${client}  may do everything` : describeClient(changed),
    ]);
  };
  clients
    .command('allow')
    .description('let an assistant use the memories, all of them or as the options say')
    .argument('<name>', 'its name in the list; * for every assistant without rights of its own')
    .option('--read-only', 'it may find and list, and change nothing')
    .addOption(new Option('--store <store>', 'the only memories it may use').choices(storeKinds))
    .option('--tools <tool...>', 'the only tools it may call')
    .action((name: string, { readOnly, store, tools }: AllowOptions) => {
      requireToolNames(tools);
      if (store !== undefined && clientKey(name) === 'vscode')
        throw new EngineError(
          'invalidInput',
          "VS Code's own chat uses the memories of its window, so --store does not apply to it. Use --read-only, --tools, or deny.",
        );
      return change(name, {
        ...(readOnly === true ? { access: 'read' } : {}),
        ...(store === undefined ? {} : { store }),
        ...(tools === undefined ? {} : { tools }),
      });
    });
  clients
    .command('deny')
    .description('let an assistant use no memory')
    .argument('<name>', 'its name in the list; * for every assistant without rights of its own')
    .action((name: string) => change(name, { access: 'none' }));
  clients
    .command('unset')
    .description('take back what was allowed or denied: the same rights as every other one')
    .argument('<name>', 'its name in the list')
    .action((name: string) => change(name, undefined));
}

/** `recollect audit`: the log of reads and the log of changes, for people and, with --json, for other programs. */
export const auditCommand = definePersonCommand({
  name: 'audit',
  description: 'list what was read, changed and refused, and by which client, oldest first; with --json, one line each',
  input: z.strictObject({
    since: option('--since <date>', z.string().exactOptional(), 'from this day on'),
    client: option('--client <name>', z.string().exactOptional(), 'of this client only'),
    only: option('--only <log>', z.enum(['reads', 'changes']).exactOptional(), 'one of the two logs'),
  }),
  async run({ activity }, { since, only, ...ofClient }, caller) {
    if (since !== undefined && Number.isNaN(Date.parse(since)))
      throw new EngineError('invalidInput', `${since.slice(0, 60)} is no date. Write it as 2026-03-01.`);
    const filter = { ...(since === undefined ? {} : { since: new Date(since).toISOString() }), ...ofClient };
    const reads = only === 'changes' ? [] : await activity.reads(filter);
    const changes = only === 'reads' ? [] : await activity.changes(filter);
    const found = [...reads, ...changes].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    const lines = found.map(it => `${caller.isJson ? JSON.stringify(it) : describeActivity(it)}\n`);
    await caller.write(undefined, lines);
    return { output: undefined, lines: [], remarks: lines.length === 0 ? ['Nothing is in the log.'] : [] };
  },
});

function requireClientName(name: string): string {
  const key = clientKey(name);
  if (key === 'cli')
    throw new EngineError('invalidInput', 'The command line is yours; rights are for the programs of assistants.');
  if (/^[\w.@/+*-]{1,60}$/u.test(key) && !isSecretName(key)) return key;
  throw new EngineError(
    'invalidInput',
    'This is no name of a client. Run `recollect clients` to see those that have called.',
  );
}

function requireToolNames(names: readonly string[] = []): void {
  const known: readonly string[] = clientTools.map(it => it.name);
  const unknown = names.find(it => !known.includes(it));
  if (unknown === undefined) return;
  throw new EngineError('invalidInput', `${unknown.slice(0, 60)} is no tool. The tools are ${known.join(', ')}.`);
}

function describeClient({
  client,
  lastCall,
  toolsSeen,
  calls = 0,
  refused = 0,
  failure,
  rights,
}: ListedClient): string {
  const history =
    lastCall === undefined
      ? toolsSeen === undefined
        ? 'has not called'
        : `has seen the tools ${toolsSeen.slice(0, 16).replace('T', ' ')}, and not called`
      : `last call ${lastCall.slice(0, 16).replace('T', ' ')}, ${calls} calls${refused === 0 ? '' : `, ${refused} refused`}`;
  const end =
    failure === undefined
      ? ''
      : `; ${failure.via} failed ${failure.at.slice(0, 16).replace('T', ' ')}: ${failure.reason}`;
  return `${client === otherClients ? 'every other client' : client}  ${describeRights(rights)}  (${history}${end})`;
}

function describeRights(rights: ClientRights | 'unreadable'): string {
  if (rights === 'unreadable') return 'nothing: its rights in the settings file cannot be understood';
  const access = { full: 'may read and change', read: 'may read', none: 'may do nothing' } as const satisfies Record<
    (typeof clientAccesses)[number],
    string
  >;
  if (rights.access === 'none') return access.none;
  return [
    access[rights.access],
    rights.store === undefined ? '' : rights.store === 'project' ? 'of projects only' : 'of the global store only',
    rights.tools === undefined ? '' : `with ${rights.tools.join(', ')}`,
  ]
    .filter(it => it !== '')
    .join(' ');
}

function describeActivity(line: Access | Change): string {
  const at = line.at.slice(0, 19).replace('T', ' ');
  if ('action' in line)
    return `${at}  ${line.actor}  ${line.action}${line.action === 'configure' ? ` ${String(line.detail.setting)}` : ''}${line.memoryId === undefined ? '' : ` #${shortId({ id: line.memoryId })}`} (${line.store})`;
  const verb =
    line.failed === undefined
      ? line.refused === true
        ? 'was refused'
        : line.ids.length === 0
          ? 'called'
          : 'read by'
      : `got no answer (${line.failed}) from`;
  const client = line.byPerson === true ? `${line.client} (you)` : line.client;
  return `${at}  ${client}  ${verb} ${line.via}${line.ids.map(it => ` #${it}`).join('')}`;
}
