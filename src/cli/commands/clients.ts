import { z } from 'zod';
import { changeClientRights, type GivenRights } from '../../engine/access/changeRights.js';
import { clientKey, otherClients, type clientAccesses, type ClientRights } from '../../engine/access/clientRights.js';
import { isSecretName, listClients, type ListedClient } from '../../engine/access/listClients.js';
import { EngineError } from '../../engine/base/errors.js';
import type { Access, Change } from '../../engine/model/access.js';
import { shortId, storeKinds } from '../../engine/model/memory.js';
import { settingsFilePath } from '../../engine/access/settingsFile.js';
import { clientTools } from '../../operations/registry.js';
import { argument, definePersonCommand, flag, option, type CommandAnswer } from '../../operations/personCommand.js';
import { defineProgramCommand, type ProgramCommand, type ProgramContext } from '../command.js';

const nameArgument = argument(
  '<name>',
  z.string(),
  'its name in the list; * for every assistant without rights of its own',
);

/** `recollect clients`: which assistants have called, and what each of them may do. */
export const clientCommands: readonly ProgramCommand[] = [
  defineProgramCommand({
    name: 'clients',
    description: 'list the assistants that have called, and what each of them may do',
    input: z.strictObject({}),
    async answer({ dataDir }) {
      const clients = await listClients(dataDir);
      return {
        output: { file: settingsFilePath(dataDir), clients },
        lines: clients.map(describeClient),
        remarks: clients.length === 0 ? ['No assistant has called yet.'] : [],
      };
    },
  }),
  defineProgramCommand({
    name: 'clients allow',
    description: 'let an assistant use the memories, all of them or as the options say',
    input: z.strictObject({
      name: nameArgument,
      readOnly: option('--read-only', flag, 'it may find and list, and change nothing'),
      store: option('--store <store>', z.enum(storeKinds).exactOptional(), 'the only memories it may use'),
      tools: option('--tools <tool...>', z.array(z.string()).exactOptional(), 'the only tools it may call'),
    }),
    answer(program, { name, readOnly, ...limits }) {
      requireToolNames(limits.tools);
      if (limits.store !== undefined && clientKey(name) === 'vscode')
        throw new EngineError(
          'invalidInput',
          "VS Code's own chat uses the memories of its window, so --store does not apply to it. Use --read-only, --tools, or deny.",
        );
      return changeRights(program, name, { ...(readOnly === true ? { access: 'read' } : {}), ...limits });
    },
  }),
  defineProgramCommand({
    name: 'clients deny',
    description: 'let an assistant use no memory',
    input: z.strictObject({ name: nameArgument }),
    answer: (program, { name }) => changeRights(program, name, { access: 'none' }),
  }),
  defineProgramCommand({
    name: 'clients unset',
    description: 'take back what was allowed or denied: the same rights as every other one',
    input: z.strictObject({ name: argument('<name>', z.string(), 'its name in the list') }),
    answer: (program, { name }) => changeRights(program, name, undefined),
  }),
];

async function changeRights(
  { dataDir, noteSetting }: ProgramContext,
  name: string,
  rights: GivenRights | undefined,
): Promise<CommandAnswer> {
  const client = requireClientName(name);
  const changed = await changeClientRights(dataDir, client, rights, noteSetting);
  return {
    output: changed ?? { client },
    lines: [changed === undefined ? `${client}  may do everything` : describeClient(changed)],
  };
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
