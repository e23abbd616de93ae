import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../engine/base/errors.js';
import { openRegularFile, toFileError } from '../engine/base/regularFile.js';

const tokenVariable = 'RECOLLECT_TOKEN';
/** As many as a token of our own has: 256 bits. */
const tokenBytes = 32;
/** A guess at each request must be hopeless. */
const minTokenLength = 32;
const maxTokenFileBytes = 4_096;

/** The token of a server, and where it comes from; only one that was made for the run may be shown. */
export type ServeToken =
  | { readonly token: string; readonly source: 'run' }
  | { readonly token: string; readonly source: 'file' | 'environment'; readonly name: string };

/**
 * The token of the file, which is made where it is not there yet; else of `RECOLLECT_TOKEN`, which the environment loses, so
 * that no program started from here has it; else one for this run.
 * @throws EngineError invalidInput (too short, or not of one line) | unsupportedFile (others may read it)
 */
export async function readServeToken(file: string | undefined, env: NodeJS.ProcessEnv): Promise<ServeToken> {
  const given = env[tokenVariable]?.trim() ?? '';
  Reflect.deleteProperty(env, tokenVariable);
  if (file !== undefined) {
    const name = path.resolve(file);
    return { token: requireToken(await readOrCreate(name), name), source: 'file', name };
  }
  if (given === '') return { token: createToken(), source: 'run' };
  return { token: requireToken(given, tokenVariable), source: 'environment', name: tokenVariable };
}

const createToken = (): string => randomBytes(tokenBytes).toString('base64url');

function requireToken(token: string, name: string): string {
  if (token.length >= minTokenLength && /^[\w.~+/=-]+$/u.test(token)) return token;
  throw new EngineError(
    'invalidInput',
    `The token in ${name} must be one word of at least ${minTokenLength} letters and digits. Leave it out, and one is made.`,
  );
}

async function readOrCreate(file: string): Promise<string> {
  try {
    const handle = await open(file, 'wx', 0o600);
    const token = createToken();
    try {
      await handle.writeFile(`${token}\n`);
    } finally {
      await handle.close();
    }
    return token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toFileError(file, error);
  }
  const handle = await openRegularFile(file, { maxBytes: maxTokenFileBytes });
  try {
    const { mode } = await handle.stat();
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw new EngineError(
        'unsupportedFile',
        `Other users of this machine may read ${file}. Name a file that is not there yet, and one is made for you alone.`,
      );
    return (await handle.readFile('utf8')).trim();
  } finally {
    await handle.close();
  }
}
