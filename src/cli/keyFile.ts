import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { EngineError } from '../engine/base/errors.js';
import { openRegularFile } from '../engine/base/regularFile.js';
import { shellWord } from '../engine/base/shellWord.js';
import { parseSensitiveKeys } from '../engine/engine.js';
import { platformFolder } from './dataDir.js';

type Environment = Readonly<Record<string, string | undefined>>;

const keyVariable = 'RECOLLECT_KEY';
/** A few hundred keys. */
const maxKeyFileBytes = 64 * 1024;

/** Where the keys of the command line are: outside the data folder, so that a copy of that folder has no key. */
export function findKeyFile(
  env: Environment = process.env,
  home: string = os.homedir(),
  platform: NodeJS.Platform = process.platform,
): string {
  const named = env.RECOLLECT_KEY_FILE ?? '';
  return named === ''
    ? path.join(platformFolder(env, home, platform, 'settings'), 'recollect.keys')
    : path.resolve(named);
}

/**
 * The keys for sensitive memories, a line each: of `RECOLLECT_KEY` (separated by spaces), else of the key file.
 * @throws EngineError unsupportedFile where other users may read the file, or it is no file
 */
export async function readSensitiveKeys(env: Environment = process.env): Promise<string | undefined> {
  const given = env[keyVariable]?.trim() ?? '';
  return given === '' ? readKeyFile(findKeyFile(env)) : given.split(/\s+/u).join('\n');
}

/** Where the keys come from, for a person. */
export function describeKeySource(env: Environment = process.env): string {
  return (env[keyVariable]?.trim() ?? '') === '' ? findKeyFile(env) : keyVariable;
}

/**
 * Puts a key first into the key file, so that it encrypts from now on; the other keys stay, to read what they encrypted.
 * @throws EngineError unsupportedFile | invalidInput | notAllowed (the keys come from the environment)
 */
export async function addSensitiveKey(key: string, env: Environment = process.env): Promise<string> {
  if ((env[keyVariable]?.trim() ?? '') !== '')
    throw new EngineError('notAllowed', `The keys come from ${keyVariable}. Add the key there, or unset it first.`);
  const file = findKeyFile(env);
  const before = (await readKeyFile(file)) ?? '';
  const { name } = parseSensitiveKeys(key)[0]!;
  const others = before
    .split('\n')
    .filter(line => line.trim() !== '' && !parseSensitiveKeys(line).some(it => it.name === name));
  await writeOwnerOnly(file, `${[key.trim(), ...others].join('\n')}\n`);
  return file;
}

async function readKeyFile(file: string): Promise<string | undefined> {
  const handle = await openKeyFile(file);
  if (handle === undefined) return undefined;
  try {
    return await readOwnerOnly(file, handle);
  } finally {
    await handle.close();
  }
}

async function openKeyFile(file: string): Promise<FileHandle | undefined> {
  try {
    return await openRegularFile(file, { maxBytes: maxKeyFileBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const reason = EngineError.is(error) ? error.message : `The file ${file} cannot be read.`;
    throw new EngineError('unsupportedFile', `${reason} It should hold keys: name another one in RECOLLECT_KEY_FILE.`, {
      cause: error,
    });
  }
}

async function readOwnerOnly(file: string, handle: FileHandle): Promise<string> {
  const stats = await handle.stat();
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
    throw new EngineError(
      'unsupportedFile',
      `Other users of this machine may read the keys in ${file}. Run chmod 600 ${shellWord(file)} first; if it was open for long, create a new key: recollect key create --new.`,
    );
  return handle.readFile('utf8');
}

async function writeOwnerOnly(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new EngineError('unsupportedFile', `The file of keys ${file} cannot be written. Look at its permissions.`, {
      cause: error,
    });
  }
}
