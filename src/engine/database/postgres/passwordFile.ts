import findPassword from 'pgpass';
import type { PostgresSettings } from './postgresSettings.js';

/**
 * The password that PostgreSQL's password file has for a connection: https://www.postgresql.org/docs/15/libpq-pgpass.html
 * @returns an empty one where it has none, or others may read the file
 */
export function readPasswordFile({ host, port, database, user }: PostgresSettings): Promise<string> {
  return new Promise(resolve => {
    findPassword({ host, port, database, user }, password => {
      resolve(password ?? '');
    });
  });
}
