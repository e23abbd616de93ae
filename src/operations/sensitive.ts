import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import { findPersonalDataIn, type MemoryEngine } from '../engine/engine.js';
import { formatDate } from '../engine/model/answerText.js';
import { isReferenceTo, shortId, type Memory, type StoreKind } from '../engine/model/memory.js';
import { pluralize } from '../engine/model/pluralize.js';
import type { RevealedMemory, SensitiveMemory } from '../engine/model/sensitive.js';
import {
  argument,
  definePersonCommand,
  flag,
  idArgument,
  option,
  refuseUnused,
  requireYes,
  type CommandAnswer,
  type CommandCaller,
  type PersonCommand,
} from './personCommand.js';
import { deletionAnswer } from './purge.js';

export const countSensitive = (count: number): string => pluralize(count, 'sensitive memory', 'sensitive memories');

const yesOption = option('--yes', flag, 'do not ask');

/** `recollect sensitive`: texts that are kept encrypted, although they hold a secret. */
export const sensitiveCommands: readonly PersonCommand[] = [
  definePersonCommand({
    name: 'sensitive',
    description: 'list what remember --sensitive keeps encrypted; recollect show ID --reveal shows the text of one',
    input: z.strictObject({}),
    async run(engine) {
      const memories = await engine.sensitive.list();
      const none = memories.length === 0 ? ['Nothing is kept encrypted.'] : [];
      return {
        output: memories,
        lines: memories.map(formatSensitiveLine),
        remarks: [...describeUnreadable(memories), ...none],
      };
    },
  }),
  definePersonCommand({
    name: 'sensitive keep',
    description: 'keep a memory encrypted instead: its plain text is deleted for good',
    input: z.strictObject({
      id: idArgument,
      label: option('--label <name>', z.string().exactOptional(), 'your name for it, which is not encrypted'),
      yes: yesOption,
    }),
    async run(engine, { id, label, yes }, caller) {
      const memory = await engine.get(id);
      await requireKey(engine, caller);
      const question = `#${shortId(memory)}  ${memory.summary}\nKeep this encrypted instead? No search finds it then, no assistant receives it, and the plain text is deleted for good, also from checkpoints and backups.`;
      await requireYes(caller, { yes, question, refusal: 'Nothing was changed.' });
      const { left, ...kept } = await engine.makeSensitive(memory.id, label);
      return {
        output: { ...kept, left },
        lines: [
          `Kept encrypted: ${formatSensitiveLine(kept)}`,
          ...left.map(it => `${it} may still hold the plain text: delete it yourself.`),
        ],
        ending: left.length === 0 ? 'done' : 'failed',
      };
    },
  }),
  definePersonCommand({
    name: 'sensitive withdraw',
    description: 'take your consent back: delete what is kept encrypted for good, also from checkpoints and backups',
    input: z.strictObject({
      ids: argument('[id...]', z.array(z.string()).default([]), 'which ones'),
      all: option('--all', flag, 'every one'),
      yes: yesOption,
    }),
    async run(engine, { ids, all, yes }, caller) {
      if (ids.length === 0 && all !== true)
        throw new EngineError('invalidInput', 'Say which ones: their ids, or --all. List them: recollect sensitive.');
      if (all === true) refuseUnused({ ID: ids[0] }, 'not with --all, which takes every one.');
      const wanted =
        all === true ? (await engine.sensitive.list()).map(it => it.id) : await engine.sensitive.resolve(ids);
      const question = `Delete ${countSensitive(wanted.length)} for good, also from checkpoints and backups? Nothing undoes this.`;
      await requireYes(caller, { yes, question, refusal: 'Nothing was deleted.' });
      return deletionAnswer(await engine.sensitive.withdraw(wanted), 'cleaned');
    },
  }),
];

/** A text to encrypt, as a person gave it. */
interface SensitiveText {
  readonly words: readonly string[];
  readonly label: string | undefined;
  readonly store: StoreKind | undefined;
  readonly yes: true | undefined;
}

/** Keeps a text encrypted, after the person's yes to this text. */
export async function keepSensitive(
  engine: MemoryEngine,
  { words, label, store, yes }: SensitiveText,
  caller: CommandCaller,
): Promise<CommandAnswer> {
  await requireKey(engine, caller);
  // A line break that a shell or an editor added is no part of it.
  const content = (await caller.readText(words)).replace(/\r?\n$/u, '');
  const question = 'Keep this text, encrypted with your key? No search finds it, and no assistant receives it.';
  await requireYes(caller, { yes, question, refusal: 'Nothing was kept.' });
  const kept = await engine.sensitive.keep({ content, label, store });
  return { output: kept, lines: [`Kept encrypted: ${formatSensitiveLine(kept)}`] };
}

/** Shows a sensitive memory, with its text only if that was asked for; undefined where the id is none of one. */
export async function showSensitive(
  engine: MemoryEngine,
  reference: string,
  isRevealed: boolean,
): Promise<CommandAnswer | undefined> {
  const found = (await engine.sensitive.list()).find(it => isReferenceTo(it, reference));
  if (found === undefined) return undefined;
  const shown: SensitiveMemory & Partial<RevealedMemory> = isRevealed ? await engine.sensitive.reveal(found.id) : found;
  return {
    output: shown,
    lines: [
      ...(shown.content === undefined ? [] : [shown.content, '']),
      `id:      ${shown.id}`,
      `label:   ${shown.label}`,
      `store:   ${shown.store}`,
      `kept:    ${shown.createdAt} by ${shown.client}`,
      `key:     ${shown.key}${shown.isReadable ? '' : ' (not here)'}`,
    ],
    remarks: isRevealed ? [] : [`The text is encrypted. To see it: recollect show ${shortId(found)} --reveal`],
  };
}

/** Offers encryption for memories with personal data; only says so. */
export function offerEncryption(memories: readonly Pick<Memory, 'id' | 'content'>[]): readonly string[] {
  return memories.flatMap(it => {
    const found = findPersonalDataIn(it.content);
    if (found === undefined) return [];
    return `#${shortId(it)} looks like personal data (${found.label}). To keep it encrypted, for yourself alone: recollect sensitive keep ${shortId(it)}`;
  });
}

/** Which sensitive memories cannot be read here, and how to bring the key. */
function describeUnreadable(memories: readonly SensitiveMemory[]): readonly string[] {
  const unreadable = memories.filter(it => !it.isReadable);
  return [...new Set(unreadable.map(it => it.key))].map(key => {
    const ids = unreadable.filter(it => it.key === key).map(it => `#${shortId(it)}`);
    return `The key ${key} is not here, so these cannot be read: ${ids.join(', ')}. Bring it from where it was kept: recollect key export there (in VS Code: "Copy the Key of Sensitive Memories…"), then recollect key import here.`;
  });
}

function formatSensitiveLine({ label, createdAt, key, isReadable, store, ...rest }: SensitiveMemory): string {
  const parts = [formatDate(createdAt), `key ${key}${isReadable ? '' : ', not here'}`, store];
  return `#${shortId(rest)}  ${label}  (${parts.join(' · ')})`;
}

async function requireKey(engine: MemoryEngine, { keySource }: CommandCaller): Promise<void> {
  if ((await engine.sensitive.keyNames()).length > 0) return;
  throw new EngineError(
    'notAllowed',
    `There is no key in ${keySource}, so nothing was kept. Create one: recollect key create. Or bring the one of VS Code, which "Copy the Key of Sensitive Memories…" copies there: recollect key import`,
  );
}
