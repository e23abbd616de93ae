import { z } from 'zod';
import { EngineError } from '../../engine/base/errors.js';
import { createSensitiveKey, parseSensitiveKeys } from '../../engine/engine.js';
import { flag, option, requireYes, written, type CommandAnswer } from '../../operations/personCommand.js';
import { defineProgramCommand, type ProgramCommand } from '../command.js';
import { addSensitiveKey, readSensitiveKeys } from '../keyFile.js';

/** `recollect key`: the keys that open what is kept encrypted. */
export const keyCommands: readonly ProgramCommand[] = [
  defineProgramCommand({
    name: 'key',
    description: 'list the keys for sensitive memories, by name; create, import or export one',
    input: z.strictObject({}),
    async answer(_program, _input, { keySource: source }) {
      const keys = parseSensitiveKeys((await readSensitiveKeys()) ?? '').map(it => it.name);
      return {
        output: { keys, source },
        lines: keys.map((it, i) => `${it}${i === 0 ? '  encrypts' : '  decrypts only'}  (${source})`),
        remarks: keys.length === 0 ? [`There is no key in ${source}. Create one: recollect key create`] : [],
      };
    },
  }),
  defineProgramCommand({
    name: 'key create',
    description: 'create a key in a file that only you may read',
    input: z.strictObject({ isAnother: option('--new', flag, 'another one, which encrypts from now on') }),
    async answer(_program, { isAnother }, { keySource }) {
      const present = parseSensitiveKeys((await readSensitiveKeys()) ?? '');
      if (present.length > 0 && isAnother !== true)
        throw new EngineError(
          'notAllowed',
          `There is a key already: ${present[0]!.name} in ${keySource}. For another one, which encrypts from now on, say --new.`,
        );
      const remark =
        'What it encrypts cannot be read without it, not even by you. Keep a copy apart from this machine: recollect key export';
      return { ...(await storeKey(createSensitiveKey(), 'Created')), remarks: [remark] };
    },
  }),
  defineProgramCommand({
    name: 'key import',
    description: 'take in a key of another machine or of VS Code, read from stdin',
    input: z.strictObject({}),
    async answer(_program, _input, caller) {
      const keys = (await caller.readText([])).split(/\s+/u).filter(it => it !== '');
      if (keys.length === 0 || parseSensitiveKeys(keys.join('\n')).length === 0)
        throw new EngineError('invalidInput', 'There is no key on stdin. Pipe it in, or paste it and end with Ctrl-D.');
      for (const key of keys.reverse()) {
        const { output, lines } = await storeKey(key, 'Took in');
        await caller.write(undefined, [`${caller.isJson ? JSON.stringify(output) : lines.join('\n')}\n`]);
      }
      return written();
    },
  }),
  defineProgramCommand({
    name: 'key export',
    description: 'print the keys, after asking',
    input: z.strictObject({ yes: option('--yes', flag, 'do not ask') }),
    async answer(_program, { yes }, caller) {
      const keys = await readSensitiveKeys();
      if (keys === undefined || parseSensitiveKeys(keys).length === 0)
        throw new EngineError('notFound', `There is no key in ${caller.keySource}.`);
      const question = 'Print the keys? With one of them and the files, everything that it encrypts can be read.';
      await requireYes(caller, { yes, question, refusal: 'Nothing was printed.' });
      await caller.write(undefined, [`${keys.trim()}\n`]);
      return written();
    },
  }),
];

async function storeKey(text: string, verb: string): Promise<CommandAnswer> {
  const { name: key } = parseSensitiveKeys(text)[0]!;
  const file = await addSensitiveKey(text);
  return { output: { key, file }, lines: [`${verb} the key ${key} in ${file}. It encrypts from now on.`] };
}
