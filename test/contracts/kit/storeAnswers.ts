import { pairwise } from './pairwise.js';
import type { Shell } from './shell.js';

type Fields = Readonly<Record<string, unknown>>;

/** What two stores answer, as far as no version may change it. */
export interface StoreAnswers {
  /** In the order of their ids. */
  readonly memories: readonly Fields[];
  /** By question: the ids, best first. */
  readonly recalled: Readonly<Record<string, readonly string[]>>;
  readonly conflicts: readonly (readonly unknown[])[];
  readonly goals: readonly Fields[];
}

/** What belongs to a memory for good. */
const kept = [
  'id',
  'store',
  'content',
  'summary',
  'gate',
  'kind',
  'lane',
  'decayClass',
  'confidence',
  'priority',
  'pinned',
  'reinforcementCount',
  'usefulCount',
  'feedback',
  'tags',
  'sensitive',
  'status',
  'archiveReason',
  'scopeId',
  'dueAt',
  'expiresAt',
  'provenance',
  'createdAt',
  'updatedAt',
  'reinforcedAt',
  'archivedAt',
];

const questions = [
  'Which port has the payments service?',
  'Which port has the crane service?',
  'tabs or spaces',
  'Who maintains billing?',
  'Where is the port parsed?',
  'When does the ferry leave?',
];

export async function readStores(shell: Shell): Promise<StoreAnswers> {
  const lists = [
    'list --limit 200 --status active superseded archived',
    'list --limit 200 --status active superseded archived --scope-id experiment',
  ];
  const memories = (await pairwise(lists, it => shell.json(it))).flat() as Fields[];
  const found = await pairwise(questions, it => recalledIds(shell, it));
  const recalled = Object.fromEntries(questions.map((it, i) => [it, found[i]!]));
  const conflicts = (await shell.json('conflicts')) as Readonly<
    Record<'newer' | 'older', { readonly memory: Fields }>
  >[];
  const goals = (await shell.json('goals')) as readonly Fields[];
  return {
    memories: memories.map(it => only(it, kept)).sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1)),
    recalled,
    conflicts: conflicts.map(it => [it.newer.memory.id, it.older.memory.id]),
    goals: goals.map(it => only(it, ['id', 'store', 'text', 'createdAt', 'doneAt'])),
  };
}

/** The ids of what a question finds, best first, whatever was answered before. */
export async function recalledIds(shell: Shell, question: string): Promise<string[]> {
  const { hits } = (await shell.json(['recall', question, '--limit', '5', '--fresh'])) as {
    readonly hits: readonly { readonly memory: { readonly id: string } }[];
  };
  return hits.map(it => it.memory.id);
}

function only(fields: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(keys.filter(it => fields[it] !== undefined).map(it => [it, fields[it]]));
}
