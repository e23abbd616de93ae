import type { EngineHost, Log } from '../model/host.js';
import { redactSecrets } from './secretScanner.js';

/** The host, with secrets left out of the name of the client, which goes into each memory, and of all log lines. */
export function guardHost(host: EngineHost): EngineHost {
  return Object.create(host, {
    client: { value: redactSecrets(host.client), enumerable: true },
    log: { value: guardLog(host.log), enumerable: true },
  }) as EngineHost;
}

function guardLog(log: Log): Log {
  return {
    info: line => {
      log.info(redactSecrets(line));
    },
    warn: line => {
      log.warn(redactSecrets(line));
    },
    error: (line, error) => {
      log.error(redactSecrets(line), redactError(error));
    },
  };
}

/** An error without the secrets of its message and of the errors that caused it. */
function redactError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? redactSecrets(error) : error;
  const text = `${error.stack ?? ''}\n${error.message}`;
  if (redactSecrets(text) === text && error.cause === undefined) return error;
  const redacted = new Error(redactSecrets(error.message), { cause: redactError(error.cause) });
  redacted.name = error.name;
  redacted.stack = redactSecrets(error.stack ?? '');
  return redacted;
}
