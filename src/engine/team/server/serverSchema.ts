import type { PostgresConnection } from '../../database/postgres/postgresConnection.js';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';

/** Owns the tables, and cannot log in. */
export const ownerRole = 'recollect_owner';
/** May read and write what row-level security lets through. Every member's role is in it. */
export const memberRole = 'recollect_member';
/** Channel of NOTIFY: the payload is the id of the project that has something new. */
export const changeChannel = 'recollect';

/** Arbitrary, the same in every version. */
const migrationLock = 7_236_512_040;

/**
 * What each version adds, run as the owner. Never change one that was released.
 *
 * A session belongs to the teams in which its login is a member. `session_user` is that login whatever `SET ROLE` says, so that
 * no statement of a member passes for another's.
 */
export const serverMigrations: readonly string[] = [
  `
CREATE TABLE recollect.teams (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80 AND name !~ '[[:cntrl:]]'),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE recollect.members (
  team uuid NOT NULL REFERENCES recollect.teams,
  role name NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 80 AND name !~ '[[:cntrl:]]'),
  joined_at timestamptz NOT NULL DEFAULT now(),
  removed_at timestamptz,
  PRIMARY KEY (team, role)
);
-- Two members of one name would be read as one.
CREATE UNIQUE INDEX members_by_name ON recollect.members (team, lower(name)) WHERE removed_at IS NULL;
CREATE TABLE recollect.projects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  team uuid NOT NULL REFERENCES recollect.teams,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200 AND name !~ '[[:cntrl:]]'),
  sequence bigint NOT NULL DEFAULT 0,
  UNIQUE (team, name)
);
CREATE TABLE recollect.memories (
  project uuid NOT NULL REFERENCES recollect.projects,
  id uuid NOT NULL,
  author name NOT NULL DEFAULT session_user,
  sequence bigint NOT NULL,
  shared_at timestamptz(3) NOT NULL CHECK (shared_at BETWEEN '2000-01-01Z' AND '2200-01-01Z'),
  -- NULL: its author withdrew it.
  content text CHECK (length(content) BETWEEN 1 AND 100000),
  said_at timestamptz(3) CHECK (said_at BETWEEN '1970-01-01Z' AND '2200-01-01Z'),
  gate text CHECK (length(gate) <= 40),
  kind text CHECK (length(kind) <= 40),
  tags text[] NOT NULL DEFAULT '{}' CHECK (octet_length(tags::text) <= 20000),
  PRIMARY KEY (project, id),
  UNIQUE (project, sequence)
);

CREATE FUNCTION recollect.my_teams() RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$ SELECT team FROM recollect.members WHERE role = session_user AND removed_at IS NULL $$;

-- The row of the project is locked until the change is committed: numbers become visible in their order, without a gap that
-- is filled later, so that who has read up to a number has read all before it.
CREATE FUNCTION recollect.number_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$ BEGIN
  UPDATE recollect.projects SET sequence = sequence + 1 WHERE id = new.project RETURNING sequence INTO new.sequence;
  PERFORM pg_notify('${changeChannel}', new.project::text);
  RETURN new;
END $$;
CREATE TRIGGER number_change BEFORE INSERT OR UPDATE ON recollect.memories
  FOR EACH ROW EXECUTE FUNCTION recollect.number_change();
REVOKE ALL ON FUNCTION recollect.my_teams(), recollect.number_change() FROM PUBLIC;

ALTER TABLE recollect.teams ENABLE ROW LEVEL SECURITY;
ALTER TABLE recollect.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE recollect.projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE recollect.memories ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_teams ON recollect.teams FOR SELECT USING (id IN (SELECT recollect.my_teams()));
CREATE POLICY own_teams ON recollect.members FOR SELECT USING (team IN (SELECT recollect.my_teams()));
CREATE POLICY own_teams ON recollect.projects FOR SELECT USING (team IN (SELECT recollect.my_teams()));
CREATE POLICY new_projects ON recollect.projects FOR INSERT WITH CHECK (team IN (SELECT recollect.my_teams()));
-- Policies apply within policies: only projects of one's own teams are seen here.
CREATE POLICY own_teams ON recollect.memories FOR SELECT USING (project IN (SELECT id FROM recollect.projects));
CREATE POLICY own_memories ON recollect.memories FOR INSERT
  WITH CHECK (author = session_user AND project IN (SELECT id FROM recollect.projects));
CREATE POLICY own_changes ON recollect.memories FOR UPDATE
  USING (author = session_user AND project IN (SELECT id FROM recollect.projects))
  WITH CHECK (author = session_user AND project IN (SELECT id FROM recollect.projects));

GRANT EXECUTE ON FUNCTION recollect.my_teams() TO ${memberRole};
GRANT SELECT ON recollect.schema_version, recollect.teams, recollect.members, recollect.projects, recollect.memories TO ${memberRole};
GRANT INSERT (team, name) ON recollect.projects TO ${memberRole};
GRANT INSERT (project, id, shared_at, content, said_at, gate, kind, tags),
  UPDATE (shared_at, content, said_at, gate, kind, tags) ON recollect.memories TO ${memberRole};
`,
  `
-- Two repositories of one name are two projects. NULL: known by its name alone, as those of the first version are until a member
-- says which repository it is.
ALTER TABLE recollect.projects ADD COLUMN remote text CHECK (length(remote) BETWEEN 3 AND 300 AND remote !~ '[[:cntrl:][:space:]@]');
ALTER TABLE recollect.projects DROP CONSTRAINT projects_team_name_key;
CREATE UNIQUE INDEX projects_by_remote ON recollect.projects (team, remote);
CREATE UNIQUE INDEX projects_by_name ON recollect.projects (team, name) WHERE remote IS NULL;
CREATE POLICY first_remote ON recollect.projects FOR UPDATE
  USING (team IN (SELECT recollect.my_teams()) AND remote IS NULL) WITH CHECK (team IN (SELECT recollect.my_teams()));
GRANT INSERT (remote), UPDATE (remote) ON recollect.projects TO ${memberRole};

-- A row without a text is a withdrawal, or what a member decided about other rows.
ALTER TABLE recollect.memories
  ADD COLUMN decision text CHECK (decision IN ('confirms', 'replaces', 'settles')),
  ADD COLUMN about uuid, ADD COLUMN other uuid,
  -- Another than its author, who was in the team no more; or the administrator.
  ADD COLUMN withdrawn_by name,
  ADD CONSTRAINT decision_has_no_text CHECK (decision IS NULL OR (content IS NULL AND about IS NOT NULL));
GRANT INSERT (decision, about, other) ON recollect.memories TO ${memberRole};

CREATE OR REPLACE FUNCTION recollect.number_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$ BEGIN
  UPDATE recollect.projects SET sequence = sequence + 1 WHERE id = new.project RETURNING sequence INTO new.sequence;
  IF new.content IS NOT NULL THEN new.withdrawn_by := NULL; END IF;
  PERFORM pg_notify('${changeChannel}', new.project::text);
  RETURN new;
END $$;

-- What someone shared who is in the team no more, any member withdraws.
CREATE FUNCTION recollect.withdraw_departed(of_project uuid, of_memory uuid, at timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$ BEGIN
  UPDATE recollect.memories m SET content = NULL, said_at = NULL, gate = NULL, kind = NULL, tags = '{}',
    shared_at = greatest(least(at, now()), m.shared_at + interval '1 millisecond'), withdrawn_by = session_user
  FROM recollect.projects p JOIN recollect.members o ON o.team = p.team
  WHERE m.project = of_project AND m.id = of_memory AND p.id = m.project AND p.team IN (SELECT recollect.my_teams())
    AND m.decision IS NULL AND o.role = m.author AND o.removed_at IS NOT NULL;
  RETURN FOUND;
END $$;
REVOKE ALL ON FUNCTION recollect.withdraw_departed(uuid, uuid, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION recollect.withdraw_departed(uuid, uuid, timestamptz) TO ${memberRole};
`,
];

/**
 * Makes roles, schema and tables, or brings those of an earlier version up to date; as an administrator, who may create roles.
 * Several administrators at once wait for one another.
 * @returns whether anything was made
 * @throws EngineError storeTooNew | notAllowed | storeUnavailable
 */
export async function migrateServer(connection: PostgresConnection): Promise<boolean> {
  return connection.transaction(async () => {
    await connection.query('SELECT pg_catalog.pg_advisory_xact_lock($1::bigint)', [migrationLock]);
    for (const role of [ownerRole, memberRole]) {
      const [found] = await connection.query('SELECT 1 FROM pg_roles WHERE rolname = $1::name', [role]);
      if (found === undefined) await connection.query(`CREATE ROLE ${role} NOLOGIN`);
    }
    await becomeOwner(connection);
    const before = await readVersion(connection);
    throwIfTooNew(before);
    if (before === undefined) await connection.query(`CREATE SCHEMA recollect AUTHORIZATION ${ownerRole}`);
    await connection.query(`SET LOCAL ROLE ${ownerRole}`);
    if (before === undefined) {
      await connection.query(`GRANT USAGE ON SCHEMA recollect TO ${memberRole}`);
      await connection.query('CREATE TABLE recollect.schema_version (version integer NOT NULL)');
      await connection.query('INSERT INTO recollect.schema_version VALUES (0)');
    }
    const missing = serverMigrations.slice(before ?? 0);
    for (const it of missing) await connection.query(it);
    await connection.query('UPDATE recollect.schema_version SET version = $1::integer', [serverMigrations.length]);
    await connection.query('RESET ROLE');
    return missing.length > 0;
  });
}

/** Since version 16, who made a role may give it to others and has to give it to themself. */
async function becomeOwner(connection: PostgresConnection): Promise<void> {
  const [server] = await connection.query("SELECT current_setting('server_version_num')::int >= 160000 AS grants");
  const grants = server?.grants === true;
  const sql = 'SELECT pg_catalog.pg_has_role(current_user, $1::name, $2::text) AS may';
  const [owns] = await connection.query(sql, [ownerRole, grants ? 'SET' : 'MEMBER']);
  if (owns?.may === true) return;
  const rights = grants ? ' WITH INHERIT TRUE, SET TRUE' : '';
  await connection.query(`GRANT ${ownerRole} TO ${connection.quoteName(connection.settings.user)}${rights}`);
}

/** @throws EngineError invalidInput (no team's database, or an older one) | storeTooNew */
export async function requireCurrentSchema(connection: PostgresConnection): Promise<void> {
  const version = await readVersion(connection);
  throwIfTooNew(version);
  if (version === serverMigrations.length) return;
  throw new EngineError(
    'invalidInput',
    version === undefined
      ? 'This database holds no team that you may see. Its administrator makes one (recollect team init --server NAME) or adds you (recollect team members add LOGIN --team NAME).'
      : 'This team’s database was made by an older Recollect. Its administrator brings it up to date: recollect team init --server NAME',
  );
}

function throwIfTooNew(version: number | undefined): void {
  if ((version ?? 0) <= serverMigrations.length) return;
  throw new EngineError(
    'storeTooNew',
    message`This team’s database is of version ${version!}, and this Recollect knows ${serverMigrations.length}. Update Recollect.`,
  );
}

/** Undefined where there is no schema, or none that this role may see. */
async function readVersion(connection: PostgresConnection): Promise<number | undefined> {
  // Not a cast to regclass, which fails for who may not use the schema.
  const [found] = await connection.query(
    `SELECT has_schema_privilege(oid, 'USAGE') AS may FROM pg_namespace WHERE nspname = 'recollect'`,
  );
  if (found?.may !== true) return undefined;
  const [table] = await connection.query("SELECT to_regclass('recollect.schema_version') IS NOT NULL AS here");
  if (table?.here !== true) return undefined;
  const [row] = await connection.query('SELECT version FROM recollect.schema_version');
  return row?.version as number | undefined;
}
