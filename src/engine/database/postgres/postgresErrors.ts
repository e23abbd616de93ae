import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { movedStoreText } from '../driverErrors.js';
import { describeAddress, type PostgresSettings } from './postgresSettings.js';

/** Classes and codes of SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const goneStates = /^(?:08|57P0[1-5]|53300)/u;
/** A lock was not free in time, or a statement took too long. */
const busyStates = /^(?:57014|40001|40P01|55P03)/u;
const goneErrors = /^(?:ECONN|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_|EPIPE|ENOENT|EADDR|EACCES)/u;
const certificateErrors = /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH)/u;

/** The error of the driver, in a person's words. Messages name no value of a statement. */
export function toEngineError(error: unknown, settings: PostgresSettings): unknown {
  if (EngineError.is(error) || !(error instanceof Error)) return error;
  const { code = '' } = error as { readonly code?: string };
  const address = describeAddress(settings);
  const options = { cause: error };
  if (certificateErrors.test(code))
    return new EngineError(
      'notAllowed',
      message`The certificate of ${address} is not trusted (${code}). Name the authority that signed it in PGSSLROOTCERT.`,
      options,
    );
  if (/does not support SSL/iu.test(error.message))
    return new EngineError(
      'notAllowed',
      message`${address} offers no encryption. Have it turned on there; PGSSLMODE=disable sends everything in plain text.`,
      options,
    );
  if (code === '28P01' || code === '28000' || /SASL|password must be a string/u.test(error.message))
    return new EngineError(
      'notAllowed',
      message`${address} does not let ${settings.user} in. Look at user and password (PGUSER, PGPASSWORD).`,
      options,
    );
  if (code === '3D000')
    return new EngineError('invalidInput', message`${address}: there is no such database.`, options);
  if (code === '42501')
    return new EngineError('notAllowed', message`${address} does not allow ${settings.user} that.`, options);
  if (code === '25006' && error.message === movedStoreText)
    return new EngineError(
      'storeReadOnly',
      message`The memories were moved from ${address} to a machine. Open this window or program again to use them there; where the move was interrupted, run it again: recollect store move --back.`,
      options,
    );
  if (code === '25006') return new EngineError('storeReadOnly', message`${address} can only be read now.`, options);
  if (code.startsWith('53') && code !== '53300')
    return new EngineError('storeFull', message`${address} has no room left.`, options);
  if (busyStates.test(code))
    return new EngineError('storeBusy', message`${address} is busy with other work. Try again in a moment.`, options);
  if (
    goneStates.test(code) ||
    goneErrors.test(code) ||
    /terminated|timeout|not queryable|Connection ended/iu.test(error.message)
  )
    return new EngineError(
      'storeUnavailable',
      message`${address} cannot be reached now. Look at the address and the network, and try again.`,
      options,
    );
  // The server's own words may quote a value, which may be a memory's text.
  return new EngineError(
    'internal',
    message`${address} refused a statement of Recollect (${code === '' ? error.name : code}).`,
  );
}
