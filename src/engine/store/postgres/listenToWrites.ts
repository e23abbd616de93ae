import { PostgresConnection } from '../../database/postgres/postgresConnection.js';
import type { PostgresPool } from '../../database/postgres/postgresPool.js';
import { postgresStoreChannel } from './postgresWriter.js';

/** Between two tries to listen, and the longest that a write stays unnoticed where notifications do not come. */
const retryMs = 30_000;
/** How long a connection that only listens may take to answer. */
const answerMs = 5_000;

/**
 * Calls back after each write of any program to a store, when the connection ends, and once in a while where the server does not say so: it was away, or
 * knows no `LISTEN`. Uses a connection of its own. Never throws.
 * @returns ends it
 */
export function listenToWrites({ settings, schema }: PostgresPool, onWritten: () => void): () => void {
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let connection: PostgresConnection | undefined;
  const tryAgainLater = (): void => {
    if (isEnded) return;
    clearTimeout(timer);
    timer = setTimeout(() => void connect(), retryMs).unref();
  };
  const connect = async (): Promise<void> => {
    try {
      const opened = await PostgresConnection.open(settings);
      connection = opened;
      // A network that falls silent ends no connection by itself.
      clearInterval(heartbeat);
      heartbeat = setInterval(() => void opened.answersWithin(answerMs), retryMs).unref();
      opened.onEnd(() => {
        clearInterval(heartbeat);
        tryAgainLater();
        // The server may be away.
        if (!isEnded) onWritten();
      });
      await opened.listen(postgresStoreChannel, payload => {
        if (payload.startsWith(`${schema} `)) onWritten();
      });
    } catch {
      await connection?.close();
      tryAgainLater();
    }
    if (isEnded) await connection?.close();
    // For writes from before it listened.
    else onWritten();
  };
  void connect();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    clearInterval(heartbeat);
    void connection?.close();
  };
}
