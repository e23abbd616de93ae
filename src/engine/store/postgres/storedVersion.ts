import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { postgresMigrations } from './migrations.js';

/** The version of the schema of a store, as text. */
export const storedVersionSql = "(SELECT value FROM meta WHERE key = 'version')";

/**
 * Keeps a program that was open before from writing into a store that a newer one has brought to its version meanwhile.
 * @param version from {@link storedVersionSql}
 * @throws EngineError storeTooNew
 */
export function requireKnownVersion(version: unknown): void {
  if (Number(version ?? 0) <= postgresMigrations.length) return;
  throw new EngineError(
    'storeTooNew',
    message`A newer Recollect has changed the store on the server (its version is ${String(version)}, this one knows ${postgresMigrations.length}). Update Recollect, and open it again; nothing was changed.`,
  );
}
