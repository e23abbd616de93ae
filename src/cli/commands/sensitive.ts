import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import { createSensitiveKey, findPersonalDataIn, parseSensitiveKeys, type MemoryEngine } from '../../engine/engine.js';
import { formatDate } from '../../engine/model/answer.js';
import { isReferenceTo, shortId, type Memory, type StoreKind } from '../../engine/model/memory.js';
import { pluralize } from '../../engine/model/pluralize.js';
import type { RevealedMemory, SensitiveMemory } from '../../engine/model/sensitive.js';
import { confirm, exitCodes, print, readText, type ExitCode, type WithEngine } from '../command.js';
import { addSensitiveKey, describeKeySource, readSensitiveKeys } from '../keyFile.js';
import { reportDeletion } from './delete.js';

/** Options for a text to encrypt. */
interface SensitiveOptions {
  readonly label?: string | undefined;
  readonly store?: StoreKind | undefined;
  readonly yes?: true | undefined;
}

const countSensitive = (count: number): string => pluralize(count, 'sensitive memory', 'sensitive memories');

/** `recollect sensitive`: texts that are kept encrypted, although they hold a secret. */
export function registerSensitiveCommands(program: Command, withEngine: WithEngine): void {
  const command = program
    .command('sensitive')
    .description('list what remember --sensitive keeps encrypted; recollect show ID --reveal shows the text of one')
    .action(() =>
      withEngine(async (engine, json) => {
        const memories = await engine.sensitive.list();
        print(json, memories, () => memories.map(formatSensitiveLine));
        reportUnreadable(memories);
        if (memories.length === 0) console.error('Nothing is kept encrypted.');
        return exitCodes.ok;
      }),
    );
  command
    .command('keep')
    .description('keep a memory encrypted instead: its plain text is deleted for good')
    .argument('<id>', 'its id or the last eight digits of it')
    .option('--label <name>', 'your name for it, which is not encrypted')
    .option('--yes', 'do not ask')
    .action((id: string, { label, yes }: SensitiveOptions) =>
      withEngine(async (engine, json) => {
        const memory = await engine.get(id);
        await requireKey(engine);
        const question = `#${shortId(memory)}  ${memory.summary}\nKeep this encrypted instead? No search finds it then, no assistant receives it, and the plain text is deleted for good, also from checkpoints and backups.`;
        if (yes !== true && !(await confirm(question))) throw new EngineError('aborted', 'Nothing was changed.');
        const { left, ...kept } = await engine.makeSensitive(memory.id, label);
        print(json, { ...kept, left }, () => [
          `Kept encrypted: ${formatSensitiveLine(kept)}`,
          ...left.map(it => `${it} may still hold the plain text: delete it yourself.`),
        ]);
        return left.length === 0 ? exitCodes.ok : exitCodes.failed;
      }),
    );
  command
    .command('withdraw')
    .description('take your consent back: delete what is kept encrypted for good, also from checkpoints and backups')
    .argument('[id...]', 'which ones')
    .option('--all', 'every one')
    .option('--yes', 'do not ask')
    .action((ids: string[], { all, yes }: { readonly all?: true; readonly yes?: true }) =>
      withEngine(async (engine, json) => {
        const memories = await engine.sensitive.list();
        if (ids.length === 0 && all !== true)
          throw new EngineError('invalidInput', 'Say which ones: their ids, or --all. List them: recollect sensitive.');
        const wanted = all === true ? memories.map(it => it.id) : ids;
        const question = `Delete ${countSensitive(wanted.length)} for good, also from checkpoints and backups? Nothing undoes this.`;
        if (yes !== true && !(await confirm(question))) throw new EngineError('aborted', 'Nothing was deleted.');
        return reportDeletion(json, await engine.sensitive.withdraw(wanted), 'cleaned');
      }),
    );
}

/** `recollect key`: the keys that open what is kept encrypted. */
export function registerKeyCommands(
  program: Command,
  { isJson, exit }: { readonly isJson: () => boolean; readonly exit: (code: ExitCode) => void },
): void {
  const command = program
    .command('key')
    .description('list the keys for sensitive memories, by name; create, import or export one')
    .action(async () => {
      const names = parseSensitiveKeys((await readSensitiveKeys()) ?? '').map(it => it.name);
      print(isJson(), { keys: names, source: describeKeySource() }, () =>
        names.map((it, i) => `${it}${i === 0 ? '  encrypts' : '  decrypts only'}  (${describeKeySource()})`),
      );
      if (names.length === 0)
        console.error(`There is no key in ${describeKeySource()}. Create one: recollect key create`);
      exit(names.length === 0 ? exitCodes.notFound : exitCodes.ok);
    });
  command
    .command('create')
    .description('create a key in a file that only you may read')
    .option('--new', 'another one, which encrypts from now on')
    .action(async ({ new: isAnother }: { readonly new?: true }) => {
      const present = parseSensitiveKeys((await readSensitiveKeys()) ?? '');
      if (present.length > 0 && isAnother !== true) {
        throw new EngineError(
          'notAllowed',
          `There is a key already: ${present[0]!.name} in ${describeKeySource()}. For another one, which encrypts from now on, say --new.`,
        );
      }
      reportKey(isJson(), await storeKey(createSensitiveKey()), 'Created');
      console.error(
        'What it encrypts cannot be read without it, not even by you. Keep a copy apart from this machine: recollect key export',
      );
      exit(exitCodes.ok);
    });
  command
    .command('import')
    .description('take in a key of another machine or of VS Code, read from stdin')
    .action(async () => {
      const keys = (await readText([])).split(/\s+/u).filter(it => it !== '');
      if (keys.length === 0 || parseSensitiveKeys(keys.join('\n')).length === 0)
        throw new EngineError('invalidInput', 'There is no key on stdin. Pipe it in, or paste it and end with Ctrl-D.');
      for (const key of keys.reverse()) reportKey(isJson(), await storeKey(key), 'Took in');
      exit(exitCodes.ok);
    });
  command
    .command('export')
    .description('print the keys, after asking')
    .option('--yes', 'do not ask')
    .action(async ({ yes }: { readonly yes?: true }) => {
      const keys = await readSensitiveKeys();
      if (keys === undefined || parseSensitiveKeys(keys).length === 0)
        throw new EngineError('notFound', `There is no key in ${describeKeySource()}.`);
      const question = 'Print the keys? With one of them and the files, everything that it encrypts can be read.';
      if (yes !== true && !(await confirm(question))) throw new EngineError('aborted', 'Nothing was printed.');
      process.stdout.write(`${keys.trim()}\n`);
      exit(exitCodes.ok);
    });
}

/** Keeps a text encrypted, after the person's yes to this text. */
export async function keepSensitive(
  engine: MemoryEngine,
  json: boolean,
  words: readonly string[],
  { label, store, yes }: SensitiveOptions,
): Promise<ExitCode> {
  await requireKey(engine);
  // A line break that a shell or an editor added is no part of it.
  const content = (await readText(words)).replace(/\r?\n$/u, '');
  const question = 'Keep this text, encrypted with your key? No search finds it, and no assistant receives it.';
  if (yes !== true && !(await confirm(question))) throw new EngineError('aborted', 'Nothing was kept.');
  const kept = await engine.sensitive.keep({ content, label, store });
  print(json, kept, () => [`Kept encrypted: ${formatSensitiveLine(kept)}`]);
  return exitCodes.ok;
}

/** Shows a sensitive memory, with its text only if that was asked for; undefined where the id is none of one. */
export async function showSensitive(
  engine: MemoryEngine,
  json: boolean,
  reference: string,
  isRevealed: boolean,
): Promise<ExitCode | undefined> {
  const found = (await engine.sensitive.list()).find(it => isReferenceTo(it, reference));
  if (found === undefined) return undefined;
  const shown: SensitiveMemory & Partial<RevealedMemory> = isRevealed ? await engine.sensitive.reveal(found.id) : found;
  const text = shown.content === undefined ? [] : [shown.content, ''];
  print(json, shown, () => [
    ...text,
    `id:      ${shown.id}`,
    `label:   ${shown.label}`,
    `store:   ${shown.store}`,
    `kept:    ${shown.createdAt} by ${shown.client}`,
    `key:     ${shown.key}${shown.isReadable ? '' : ' (not here)'}`,
  ]);
  if (!isRevealed) console.error(`The text is encrypted. To see it: recollect show ${shortId(found)} --reveal`);
  return exitCodes.ok;
}

/** Offers encryption for a memory with personal data; only says so. */
export function offerEncryption(memories: readonly Pick<Memory, 'id' | 'content'>[]): void {
  for (const it of memories) {
    const found = findPersonalDataIn(it.content);
    if (found !== undefined)
      console.error(
        `#${shortId(it)} looks like personal data (${found.label}). To keep it encrypted, for yourself alone: recollect sensitive keep ${shortId(it)}`,
      );
  }
}

/** Says which sensitive memories cannot be read here, and how to bring the key. */
export function reportUnreadable(memories: readonly SensitiveMemory[]): void {
  const unreadable = memories.filter(it => !it.isReadable);
  for (const key of new Set(unreadable.map(it => it.key))) {
    const ids = unreadable.filter(it => it.key === key).map(it => `#${shortId(it)}`);
    console.error(
      `The key ${key} is not here, so these cannot be read: ${ids.join(', ')}. Bring it from where it was kept: recollect key export there (in VS Code: "Copy the Key of Sensitive Memories"), then recollect key import here.`,
    );
  }
}

function formatSensitiveLine({ label, createdAt, key, isReadable, store, ...rest }: SensitiveMemory): string {
  const parts = [formatDate(createdAt), `key ${key}${isReadable ? '' : ', not here'}`, store];
  return `#${shortId(rest)}  ${label}  (${parts.join(' · ')})`;
}

async function requireKey(engine: MemoryEngine): Promise<void> {
  if ((await engine.sensitive.keyNames()).length > 0) return;
  throw new EngineError(
    'notAllowed',
    `There is no key in ${describeKeySource()}, so nothing was kept. Create one: recollect key create. Or bring the one of VS Code, which "Copy the Key of Sensitive Memories" copies there: recollect key import`,
  );
}

interface StoredKey {
  readonly key: string;
  readonly file: string;
}

async function storeKey(text: string): Promise<StoredKey> {
  const { name } = parseSensitiveKeys(text)[0]!;
  return { key: name, file: await addSensitiveKey(text) };
}

function reportKey(json: boolean, stored: StoredKey, verb: string): void {
  print(json, stored, () => [`${verb} the key ${stored.key} in ${stored.file}. It encrypts from now on.`]);
}
