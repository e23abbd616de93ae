import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresConnection, PostgresRow } from '../../database/postgres/postgresConnection.js';
import { describeInvitation } from '../../database/postgres/postgresSettings.js';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { NewTeamMember, RemovedMember, TeamMember } from '../../model/team.js';
import { isMemberName, maxNameLength } from '../teamLine.js';
import { memberRole, migrateServer, ownerRole, requireCurrentSchema } from './serverSchema.js';
import type { NamedRow } from './teamServer.js';

/** Bytes of a password that is made here; hexadecimal, so that it needs no quoting in a connection string. */
const passwordBytes = 24;
/** As PostgreSQL's own. */
const scramIterations = 4096;
/** How long a connection of a removed member may take to end. */
const endingMs = 2_000;
const endingStepMs = 50;
const rolePattern = /^[a-z_][a-z0-9_.@-]{0,62}$/u;

/**
 * Makes the schema where there is none, and a team of this name.
 * @throws EngineError invalidInput | storeTooNew | notAllowed (no right to create roles) | storeUnavailable
 */
export async function makeTeam(connection: PostgresConnection, name: string): Promise<{ readonly isNew: boolean }> {
  requireTeamName(name);
  await migrateServer(connection);
  return asOwner(connection, async () => {
    const sql = 'INSERT INTO recollect.teams (name) VALUES ($1::text) ON CONFLICT DO NOTHING RETURNING id';
    return { isNew: (await connection.query(sql, [name])).length > 0 };
  });
}

/**
 * Makes a login a member of a team, or a member again.
 * @param role a login of the server; made with a password where there is none
 * @throws EngineError invalidInput | notFound | notAllowed | storeUnavailable
 */
export async function addMember(
  connection: PostgresConnection,
  { team, role, name }: { readonly team: string | undefined; readonly role: string; readonly name: string },
): Promise<NewTeamMember> {
  requireTeamName(name);
  if (!rolePattern.test(role) || /^(?:pg_|recollect_)/u.test(role)) {
    throw new EngineError(
      'invalidInput',
      message`${role} is no name for a login: lower-case letters, digits, _ . @ and -, not beginning with pg_ or recollect_.`,
    );
  }
  await requireCurrentSchema(connection);
  return connection.transaction(async () => {
    const { id, name: teamName } = await teamAsOwner(connection, team);
    const [found] = await connection.query(
      `SELECT rolcanlogin AS may, rolsuper OR rolbypassrls OR pg_catalog.pg_has_role(oid, $2::name, 'MEMBER'::text) AS bypasses
        FROM pg_roles WHERE rolname = $1::name`,
      [role, ownerRole],
    );
    if (found?.may === false)
      throw new EngineError('invalidInput', message`${role} is a role that cannot log in. Choose another name.`);
    const password = found === undefined ? randomBytes(passwordBytes).toString('hex') : undefined;
    const quoted = connection.quoteName(role);
    if (password !== undefined)
      await connection.query(`CREATE ROLE ${quoted} LOGIN PASSWORD ${connection.quoteText(scramVerifier(password))}`);
    await connection.query(`GRANT ${memberRole} TO ${quoted}`);
    await setOwner(connection);
    const [other] = await connection.query(
      'SELECT role FROM recollect.members WHERE team = $1::uuid AND lower(name) = lower($2::text) AND role <> $3::name AND removed_at IS NULL',
      [id, name, role],
    );
    if (other !== undefined)
      throw new EngineError(
        'invalidInput',
        message`The team has a member ${name} already. Choose another name: --name`,
      );
    await connection.query(
      `INSERT INTO recollect.members (team, role, name) VALUES ($1::uuid, $2::name, $3::text)
        ON CONFLICT (team, role) DO UPDATE SET name = excluded.name, removed_at = NULL`,
      [id, role, name],
    );
    return {
      ...{ team: teamName, role, name, bypassesSecurity: found?.bypasses === true },
      ...(password === undefined ? {} : { password }),
      invitation: describeInvitation(connection.settings, role),
    };
  });
}

/**
 * Ends a membership and then the login's connections: a transaction that was open before may still see the team. What the login
 * shared stays the team's. It stays in the members' role, which is one for all databases of the server and lets nothing through
 * by itself.
 * @throws EngineError notFound | notAllowed | storeUnavailable
 */
export async function removeMember(
  connection: PostgresConnection,
  { team, role }: { readonly team: string | undefined; readonly role: string },
): Promise<RemovedMember> {
  await requireCurrentSchema(connection);
  const teamName = await connection.transaction(async () => {
    const { id, name } = await teamAsOwner(connection, team);
    await setOwner(connection);
    const sql =
      'UPDATE recollect.members SET removed_at = now() WHERE team = $1::uuid AND role = $2::name AND removed_at IS NULL RETURNING role';
    if ((await connection.query(sql, [id, role])).length === 0) throw noMemberError(role, name);
    return name;
  });
  return { team: teamName, openConnections: await endConnections(connection, role) };
}

/** Ends the connections of a login to this database, and waits for their end. @returns those that stay open */
async function endConnections(connection: PostgresConnection, role: string): Promise<number> {
  const open = `SELECT pid FROM pg_catalog.pg_stat_activity
    WHERE usename = $1::name AND datname = current_database() AND pid <> pg_backend_pid()`;
  try {
    await connection.query(
      `SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity
       WHERE usename = $1::name AND datname = current_database() AND pid <> pg_backend_pid()`,
      [role],
    );
  } catch (error) {
    // It takes a superuser, or a member of pg_signal_backend.
    if (!EngineError.is(error, 'notAllowed')) throw error;
    return (await connection.query(open, [role])).length;
  }
  let remaining = await connection.query(open, [role]);
  for (let waitedMs = 0; remaining.length > 0 && waitedMs < endingMs; waitedMs += endingStepMs) {
    await delay(endingStepMs);
    remaining = await connection.query(open, [role]);
  }
  return remaining.length;
}

/** The members of a team by name, with those who were removed. @throws EngineError notFound | notAllowed | storeUnavailable */
export async function listMembers(
  connection: PostgresConnection,
  team: string | undefined,
): Promise<readonly TeamMember[]> {
  await requireCurrentSchema(connection);
  return asOwner(connection, async () => {
    const sql =
      'SELECT role, name, joined_at, removed_at FROM recollect.members WHERE team = $1::uuid ORDER BY lower(name)';
    return (await connection.query(sql, [(await readTeam(connection, team)).id])).map(toMember);
  });
}

/** A memory that a member shared and did not withdraw. */
export interface MemberMemory {
  readonly project: string;
  readonly id: string;
  readonly content: string;
  readonly gate: string;
  readonly kind: string;
  readonly tags: readonly string[];
  /** ISO-8601 UTC. */
  readonly saidAt: string;
  readonly sharedAt: string;
}

/** What a member, also a removed one, shares with a team. @throws EngineError notFound | notAllowed | storeUnavailable */
export async function readMemberMemories(
  connection: PostgresConnection,
  { team, role }: { readonly team: string | undefined; readonly role: string },
): Promise<readonly MemberMemory[]> {
  await requireCurrentSchema(connection);
  return asOwner(connection, async () => {
    const { id, name } = await readTeam(connection, team);
    const [member] = await connection.query(
      'SELECT 1 FROM recollect.members WHERE team = $1::uuid AND role = $2::name',
      [id, role],
    );
    if (member === undefined) throw noMemberError(role, name);
    const rows = await connection.query(
      `SELECT p.name AS project, m.id, content, gate, kind, tags, said_at, shared_at
       FROM recollect.memories m JOIN recollect.projects p ON p.id = m.project
       WHERE p.team = $1::uuid AND m.author = $2::name AND content IS NOT NULL ORDER BY p.name, m.sequence`,
      [id, role],
    );
    return rows.map(({ said_at, shared_at, ...rest }) => ({
      ...(rest as unknown as Omit<MemberMemory, 'saidAt' | 'sharedAt'>),
      saidAt: (said_at as Date).toISOString(),
      sharedAt: (shared_at as Date).toISOString(),
    }));
  });
}

function noMemberError(role: string, team: string): EngineError {
  return new EngineError('notFound', message`${role} is no member of ${team}. Members: recollect team members`);
}

/** @param row of `recollect.members` */
function toMember({ role, name, joined_at, removed_at }: PostgresRow): TeamMember {
  return {
    role: String(role),
    name: String(name),
    joinedAt: (joined_at as Date).toISOString(),
    ...(removed_at === null ? {} : { removedAt: (removed_at as Date).toISOString() }),
  };
}

/** Row-level security does not hold back the owner. */
export async function asOwner<T>(connection: PostgresConnection, work: () => Promise<T>): Promise<T> {
  return connection.transaction(async () => {
    await setOwner(connection);
    return work();
  });
}

/** Until the transaction ends. */
async function setOwner(connection: PostgresConnection): Promise<void> {
  await connection.query(`SET LOCAL ROLE ${ownerRole}`);
}

async function teamAsOwner(connection: PostgresConnection, name: string | undefined): Promise<NamedRow> {
  await setOwner(connection);
  const team = await readTeam(connection, name);
  await connection.query('RESET ROLE');
  return team;
}

/** A team of the server, as its owner. @param name undefined for the only one @throws EngineError notFound | invalidInput */
export async function readTeam(connection: PostgresConnection, name: string | undefined): Promise<NamedRow> {
  const rows = await connection.query('SELECT id, name FROM recollect.teams ORDER BY name');
  const teams = rows.map((it): NamedRow => ({ id: String(it.id), name: String(it.name) }));
  const found = name === undefined && teams.length === 1 ? teams[0] : teams.find(it => it.name === name);
  if (found !== undefined) return found;
  const names = teams.map(it => it.name).join(', ');
  if (teams.length === 0)
    throw new EngineError('notFound', 'The server has no team yet. Make one: recollect team init --server NAME');
  if (name === undefined)
    throw new EngineError('invalidInput', message`The server has several teams: ${names}. Say which: --team NAME`);
  throw new EngineError('notFound', message`The server has no team ${name}. There are: ${names}.`);
}

/** Of a team or a member. @throws EngineError invalidInput */
export function requireTeamName(name: string): void {
  if (isMemberName(name)) return;
  throw new EngineError(
    'invalidInput',
    message`The name must be one line of plain text of at most ${maxNameLength} characters, without a secret.`,
  );
}

/**
 * What the server keeps of a password, made here so that no password is in a statement, which a server may log (RFC 5803).
 * @param password ASCII
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, scramIterations, 32, 'sha256');
  const key = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${scramIterations}:${salt.toString('base64')}$${storedKey}:${key('Server Key').toString('base64')}`;
}
