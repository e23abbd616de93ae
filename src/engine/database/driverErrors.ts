import { EngineError, type EngineErrorCode } from '../base/errors.js';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';

export function readOnlyError(file: string, cause?: unknown): EngineError {
  return new EngineError(
    'storeReadOnly',
    message`The memory store ${file} cannot be written: the disk or the file is read-only. Make it writable, or choose another data folder; nothing was changed.`,
    { cause },
  );
}

function diskFullError(file: string, cause: unknown): EngineError {
  return new EngineError(
    'storeFull',
    message`The disk that holds ${file} is full. Free some space and try again; nothing was changed.`,
    { cause },
  );
}

export function replacedFileError(file: string): EngineError {
  return new EngineError(
    'storeUnavailable',
    message`The memory store ${file} was deleted or replaced while it was open. Nothing was written; try again, and it is opened again.`,
  );
}

/** Message of the triggers of a store that was moved to a server. */
export const movedStoreText = 'recollect: moved';

/** Converts an error of the driver into one that names the file and the next step. */
export function fromDriverError(error: Error, file: string): EngineError {
  const createError = (code: EngineErrorCode, text: LocalizableMessage): EngineError =>
    new EngineError(code, text, { cause: error });
  const { code = '' } = error as Error & { readonly code?: string };
  if (error.message.includes(movedStoreText))
    return createError(
      'storeReadOnly',
      message`The memories of ${file} were moved to a server. Open this window or program again to use them there; where the move was interrupted, run it again: recollect store move.`,
    );
  // A full disk also shows as no room for the shared-memory file (SQLITE_IOERR_SHMSIZE).
  if (code.startsWith('SQLITE_IOERR_SHM')) return diskFullError(file, error);
  // The driver gives extended codes, such as SQLITE_CORRUPT_VTAB; the primary code decides.
  switch (/^(?:SQLITE_[A-Z]+)?/u.exec(code)![0]) {
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
      return createError(
        'storeBusy',
        message`The memory store ${file} is being written by another program. Try again in a moment.`,
      );
    case 'SQLITE_FULL':
      return diskFullError(file, error);
    case 'SQLITE_IOERR':
      return createError(
        'storeUnavailable',
        message`The memory store ${file} could not be read or written (${error.message}). Check the disk and try again.`,
      );
    case 'SQLITE_READONLY':
      return readOnlyError(file, error);
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return createError(
        'storeDamaged',
        message`The memory store ${file} is damaged. Close every program that uses it and open it again to restore the newest backup.`,
      );
    case 'SQLITE_MISUSE':
      return createError('closed', message`The memory store ${file} is closed. Open it again to go on.`);
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_PERM':
    case 'SQLITE_AUTH':
      return createError(
        'storeUnavailable',
        message`The memory store ${file} cannot be opened. Check that it is a file and that you may read and write it.`,
      );
    default:
      return createError('internal', message`The memory store ${file} refused an operation (${error.message}).`);
  }
}

/** Whether SQLite may have rolled back the whole transaction, and not the statement alone (sqlite.org/lang_transaction.html). */
export function makesSqliteRollBack(error: unknown): boolean {
  if (!EngineError.is(error)) return false;
  const { code = '' } = (error.cause ?? {}) as { readonly code?: string };
  return /^SQLITE_(?:FULL|IOERR|NOMEM|BUSY|INTERRUPT)/u.test(code);
}
