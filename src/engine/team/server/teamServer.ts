import { PostgresConnection, type PostgresRow } from '../../database/postgres/postgresConnection.js';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { TeamProject } from '../../model/team.js';
import type { SharedFact, TeamDecision, TeamLine } from '../teamLine.js';
import { requireCurrentSchema } from './serverSchema.js';

/** A team on the server. */
export interface NamedRow {
  readonly id: string;
  readonly name: string;
}

/** A project on the server. */
export type ProjectRow = NamedRow & TeamProject;

/** A shared memory as the server has it. Any member, and any program of theirs, may have written the fact. */
export interface ServerLine extends Omit<TeamLine, 'fact'> {
  /** Login of its author, as the server states it. */
  readonly role: string;
  /** Of the change, rising within the project. */
  readonly sequence: number;
  /** Undefined: withdrawn. Not checked in any way. */
  readonly fact: Readonly<Record<keyof SharedFact, unknown>> | undefined;
}

/** A member of the team, also a former one. */
interface MemberRow {
  readonly role: string;
  /** As the team reads it. */
  readonly name: string;
  readonly hasDeparted: boolean;
}

/** What a member may ask of the team's server: row-level security keeps it to the member's teams. */
export class TeamServer {
  private constructor(readonly connection: PostgresConnection) {}

  /** @throws EngineError invalidInput | storeTooNew, and as {@link PostgresConnection} */
  static async open(connection: PostgresConnection): Promise<TeamServer> {
    await requireCurrentSchema(connection);
    return new TeamServer(connection);
  }

  /** The time of the server's clock. */
  async now(): Promise<Date> {
    const [row] = await this.connection.query('SELECT clock_timestamp() AS now');
    return row!.now as Date;
  }

  /** Of this member, by name. */
  async teams(): Promise<readonly NamedRow[]> {
    const sql = 'SELECT id, name FROM recollect.teams WHERE id IN (SELECT recollect.my_teams()) ORDER BY name';
    return (await this.connection.query(sql)).map(toNamedRow);
  }

  /** The name of this session's login in a team. */
  async ownName(team: string): Promise<{ readonly role: string; readonly name: string }> {
    const sql = 'SELECT role, name FROM recollect.members WHERE team = $1::uuid AND role = session_user';
    const [row] = await this.connection.query(sql, [team]);
    if (row === undefined)
      throw new EngineError('notAllowed', 'You are no member of this team. Ask who runs its server.');
    return { role: String(row.role), name: String(row.name) };
  }

  /** Also those who are members no more. */
  async members(team: string): Promise<readonly MemberRow[]> {
    const sql = `SELECT role, name, removed_at IS NOT NULL AS departed FROM recollect.members
      WHERE team = $1::uuid ORDER BY lower(name)`;
    const rows = await this.connection.query(sql, [team]);
    return rows.map(it => ({ role: String(it.role), name: String(it.name), hasDeparted: it.departed === true }));
  }

  /** Withdraws what someone shared who is in the team no more. @returns false where it is none of those */
  async withdrawDeparted(project: string, { id, at }: Pick<TeamLine, 'id' | 'at'>): Promise<boolean> {
    const sql = 'SELECT recollect.withdraw_departed($1::uuid, $2::uuid, $3::timestamptz) AS is_withdrawn';
    const [row] = await this.connection.query(sql, [project, id, at]);
    return row?.is_withdrawn === true;
  }

  /** By name. */
  async projects(team: string): Promise<readonly ProjectRow[]> {
    const sql = 'SELECT id, name, remote FROM recollect.projects WHERE team = $1::uuid ORDER BY name, remote';
    return (await this.connection.query(sql, [team])).map(toProjectRow);
  }

  /** Undefined where this member may not see it. */
  async project(id: string): Promise<ProjectRow | undefined> {
    const sql = 'SELECT id, name, remote FROM recollect.projects WHERE id = $1::uuid';
    const [row] = await this.connection.query(sql, [id]);
    return row === undefined ? undefined : toProjectRow(row);
  }

  /** The project of a repository, else of a name; it is made where there is none. */
  async ensureProject(team: string, { name, repository }: TeamProject): Promise<ProjectRow> {
    await this.connection.query(
      'INSERT INTO recollect.projects (team, name, remote) VALUES ($1::uuid, $2::text, $3::text) ON CONFLICT DO NOTHING',
      [team, name, repository],
    );
    const sql = `SELECT id, name, remote FROM recollect.projects WHERE team = $1::uuid
      AND CASE WHEN $3::text IS NULL THEN remote IS NULL AND name = $2::text ELSE remote = $3::text END`;
    const [row] = await this.connection.query(sql, [team, name, repository]);
    if (row === undefined) throw new EngineError('notFound', message`The team has no project ${name}.`);
    return toProjectRow(row);
  }

  /** Says which repository a project is that was known by its name alone; for another one it changes nothing. */
  async nameRepository(id: string, repository: string): Promise<void> {
    const sql = 'UPDATE recollect.projects SET remote = $2::text WHERE id = $1::uuid AND remote IS NULL';
    await this.connection.query(sql, [id, repository]);
  }

  /**
   * Whether this member may see the project, and whether it has the change that was fetched last: where not, an earlier state of
   * the server was restored.
   */
  async knows(
    project: string,
    { cursor, lastId }: { readonly cursor: number; readonly lastId?: string },
  ): Promise<'all' | 'project' | 'nothing'> {
    const sql = `SELECT p.sequence >= $2::bigint AND ($3::uuid IS NULL OR EXISTS (
        SELECT 1 FROM recollect.memories m WHERE m.project = p.id AND m.id = $3::uuid AND m.sequence >= $2::bigint)) AS current
      FROM recollect.projects p WHERE p.id = $1::uuid`;
    const [row] = await this.connection.query(sql, [project, cursor, lastId]);
    if (row === undefined) return 'nothing';
    return row.current === true ? 'all' : 'project';
  }

  /**
   * Shares or withdraws one memory. A line that is there already changes nothing, so that it may be sent again after a connection
   * that broke. A withdrawal takes the text from the table.
   * @param isAgain whether an older line than the server's changes nothing, too; otherwise it is the newer one, by a clock that
   *   was set back
   * @throws EngineError notAllowed where another member shares the memory of this id
   */
  async push(project: string, { id, at, fact, decision }: TeamLine, isAgain = false): Promise<void> {
    const sql = `INSERT INTO recollect.memories AS m (project, id, shared_at, content, said_at, gate, kind, tags, decision, about, other)
      VALUES ($1::uuid, $2::uuid, $3::timestamptz, $4::text, $5::timestamptz, $6::text, $7::text, $8::text[],
        $10::text, $11::uuid, $12::uuid)
      ON CONFLICT (project, id) DO UPDATE SET
        shared_at = greatest(excluded.shared_at, m.shared_at + interval '1 millisecond'), content = excluded.content,
        said_at = excluded.said_at, gate = excluded.gate, kind = excluded.kind, tags = excluded.tags
      WHERE m.shared_at < excluded.shared_at OR (m.shared_at > excluded.shared_at AND NOT $9::boolean)`;
    const { content, said, gate, kind, tags = [] } = fact ?? {};
    const { what, about, other } = decision ?? {};
    await this.connection.query(sql, [
      ...[project, id, at, content, said, gate, kind, tags, isAgain],
      ...[what, about, other],
    ]);
  }

  /** Rows by id, in the order of their last change. */
  async pullAgain(project: string, ids: readonly string[]): Promise<readonly ServerLine[]> {
    const sql = `${selectLines} WHERE m.project = $1::uuid AND m.id = ANY ($2::uuid[]) ORDER BY m.sequence`;
    return (await this.connection.query(sql, [project, ids])).map(toServerLine);
  }

  /** Up to `limit` changes after a number, in the order in which they were committed. */
  async pull(project: string, after: number, limit: number): Promise<readonly ServerLine[]> {
    const sql = `${selectLines} WHERE m.project = $1::uuid AND m.sequence > $2::bigint ORDER BY m.sequence LIMIT $3::integer`;
    return (await this.connection.query(sql, [project, after, limit])).map(toServerLine);
  }
}

const selectLines = `SELECT m.*, o.name AS by FROM recollect.memories m
  JOIN recollect.projects p ON p.id = m.project
  LEFT JOIN recollect.members o ON o.team = p.team AND o.role = coalesce(m.withdrawn_by, m.author)`;

function toNamedRow({ id, name }: PostgresRow): NamedRow {
  return { id: String(id), name: String(name) };
}

function toProjectRow({ remote, ...row }: PostgresRow): ProjectRow {
  return { ...toNamedRow(row), ...(typeof remote === 'string' ? { repository: remote } : {}) };
}

function toServerLine(row: PostgresRow): ServerLine {
  const { id, author, by, sequence, shared_at, content, said_at, gate, kind, tags, decision, about, other } = row;
  const role = String(row.withdrawn_by ?? author);
  return {
    id: String(id),
    at: (shared_at as Date).toISOString(),
    by: typeof by === 'string' ? by : role,
    role,
    sequence: Number(sequence),
    fact:
      content === null
        ? undefined
        : { content, gate, kind, tags, said: said_at === null ? undefined : (said_at as Date).toISOString() },
    ...(decision === null
      ? {}
      : {
          decision: {
            what: decision as TeamDecision['what'],
            about: String(about),
            ...(typeof other === 'string' ? { other } : {}),
          },
        }),
  };
}
