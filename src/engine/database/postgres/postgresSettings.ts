import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { describeFileError, readRegularText } from '../../base/regularFile.js';

/** Where a PostgreSQL server is, and as whom to go there. Contains a password: never log or keep it. */
export interface PostgresSettings {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Undefined: as the password file of PostgreSQL says, or none. */
  readonly password: string | undefined;
  /** False: in plain text. */
  readonly tls: false | { readonly isVerified: boolean; readonly authority: string | undefined };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Modes of libpq that may fall back to plain text or trust any certificate mean what is safe here. */
const tlsModes: Readonly<Record<string, 'off' | 'unverified' | 'verified' | 'default'>> = {
  disable: 'off',
  allow: 'default',
  prefer: 'default',
  require: 'verified',
  'verify-ca': 'verified',
  'verify-full': 'verified',
  'no-verify': 'unverified',
};

/**
 * Reads a connection string (`postgres://user:password@host:port/database?sslmode=…`) or, without one, the variables of libpq.
 * https://www.postgresql.org/docs/15/libpq-envars.html
 *
 * A connection is encrypted and its certificate verified, except on this machine and where `sslmode` says otherwise.
 * @returns undefined where neither names a server
 * @throws EngineError invalidInput | unsupportedFile (the authority's certificate cannot be read)
 */
export async function readPostgresSettings(
  connectionString: string | undefined,
  environment: Environment,
): Promise<PostgresSettings | undefined> {
  const parts = connectionString === undefined ? readVariables(environment) : parseConnectionString(connectionString);
  if (parts === undefined) return undefined;
  const { host, port, user, database = user, password, mode, authorityFile } = parts;
  if (user === undefined || user === '' || database === undefined) {
    throw new EngineError(
      'invalidInput',
      'The connection to the team’s server names no user: set PGUSER, or write postgres://USER@HOST/DATABASE.',
    );
  }
  const chosen = tlsModes[mode ?? 'prefer'];
  if (chosen === undefined)
    throw new EngineError(
      'invalidInput',
      message`There is no sslmode ${mode!}. There are: ${Object.keys(tlsModes).join(', ')}.`,
    );
  const isPlain = chosen === 'off' || (chosen === 'default' && isThisMachine(host));
  const authority = authorityFile === undefined || isPlain ? undefined : await readAuthority(authorityFile);
  return {
    host,
    port,
    database,
    user,
    password,
    tls: isPlain ? false : { isVerified: chosen !== 'unverified', authority },
  };
}

/** For people: without user and password. */
/** The address with a login, as one line to send to someone. Holds no password. */
export function describeInvitation({ host, port, database }: PostgresSettings, login: string): string {
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return `postgres://${encodeURIComponent(login)}@${shownHost}:${port}/${encodeURIComponent(database)}`;
}

export function describeAddress({ host, port, database }: PostgresSettings): string {
  return `${host}:${port}/${database}`;
}

interface ConnectionParts {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly database?: string | undefined;
  readonly password: string | undefined;
  readonly mode: string | undefined;
  readonly authorityFile: string | undefined;
}

const defaultPort = 5432;

function readVariables(environment: Environment): ConnectionParts | undefined {
  const { PGHOST, PGPORT, PGUSER, PGDATABASE, PGPASSWORD, PGSSLMODE, PGSSLROOTCERT } = environment;
  if (PGHOST === undefined || PGHOST === '') return undefined;
  return {
    host: PGHOST,
    port: parsePort(PGPORT ?? ''),
    user: PGUSER,
    database: PGDATABASE,
    password: PGPASSWORD,
    mode: PGSSLMODE,
    authorityFile: PGSSLROOTCERT,
  };
}

function parseConnectionString(text: string): ConnectionParts {
  const trimmed = text.trim();
  if (!/^postgres(?:ql)?:\/\//iu.test(trimmed) || !URL.canParse(trimmed)) {
    // The text may hold a password, so that it is not repeated.
    throw new EngineError(
      'invalidInput',
      'That is no connection string. Write postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
    );
  }
  const url = new URL(trimmed);
  const given = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const host = decode(url.hostname).replaceAll(/^\[|\]$/gu, '') || given('host');
  if (host === undefined)
    throw new EngineError(
      'invalidInput',
      'The connection string names no server. Write postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
    );
  const password = decode(url.password);
  const database = decode(url.pathname.slice(1));
  return {
    host,
    port: parsePort(url.port),
    user: decode(url.username),
    ...(database === '' ? {} : { database }),
    password: password === '' ? undefined : password,
    mode: given('sslmode'),
    authorityFile: given('sslrootcert'),
  };
}

function parsePort(text: string): number {
  if (text === '') return defaultPort;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new EngineError('invalidInput', message`${text} is no port of the team’s server.`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A `%` that stands for itself.
  }
}

function isThisMachine(host: string): boolean {
  return host.startsWith('/') || /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/iu.test(host);
}

async function readAuthority(file: string): Promise<string> {
  try {
    return await readRegularText(file, { followLinks: true });
  } catch (error) {
    throw new EngineError('unsupportedFile', describeFileError(file, error as Error));
  }
}
