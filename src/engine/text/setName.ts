import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';

/** In UTF-16 units. */
const maxLength = 200;

/** Checks the name of a set, which stands in lists, queries and commands; empty for none. @throws EngineError invalidInput */
export function validateSetName(name: string): void {
  if (name === '') return;
  if (name.length <= maxLength && name === name.trim() && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return;
  throw new EngineError(
    'invalidInput',
    message`The name of a set must be one line of at most ${maxLength} characters, without spaces around it.`,
  );
}
