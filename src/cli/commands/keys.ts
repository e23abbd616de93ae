import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import { createSensitiveKey, parseSensitiveKeys } from '../../engine/engine.js';
import { confirm, readText, type ProgramContext } from '../command.js';
import { addSensitiveKey, describeKeySource, readSensitiveKeys } from '../keyFile.js';

/** `recollect key`: the keys that open what is kept encrypted. */
export function registerKeyCommands(program: Command, { print }: ProgramContext): void {
  const reportKey = (stored: StoredKey, verb: string): void => {
    print(stored, () => [`${verb} the key ${stored.key} in ${stored.file}. It encrypts from now on.`]);
  };
  const command = program
    .command('key')
    .description('list the keys for sensitive memories, by name; create, import or export one')
    .action(async () => {
      const names = parseSensitiveKeys((await readSensitiveKeys()) ?? '').map(it => it.name);
      print({ keys: names, source: describeKeySource() }, () =>
        names.map((it, i) => `${it}${i === 0 ? '  encrypts' : '  decrypts only'}  (${describeKeySource()})`),
      );
      if (names.length === 0)
        console.error(`There is no key in ${describeKeySource()}. Create one: recollect key create`);
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
      reportKey(await storeKey(createSensitiveKey()), 'Created');
      console.error(
        'What it encrypts cannot be read without it, not even by you. Keep a copy apart from this machine: recollect key export',
      );
    });
  command
    .command('import')
    .description('take in a key of another machine or of VS Code, read from stdin')
    .action(async () => {
      const keys = (await readText([])).split(/\s+/u).filter(it => it !== '');
      if (keys.length === 0 || parseSensitiveKeys(keys.join('\n')).length === 0)
        throw new EngineError('invalidInput', 'There is no key on stdin. Pipe it in, or paste it and end with Ctrl-D.');
      for (const key of keys.reverse()) reportKey(await storeKey(key), 'Took in');
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
    });
}

interface StoredKey {
  readonly key: string;
  readonly file: string;
}

async function storeKey(text: string): Promise<StoredKey> {
  const { name } = parseSensitiveKeys(text)[0]!;
  return { key: name, file: await addSensitiveKey(text) };
}
