import type { PostgresConnection, PostgresRow } from '../../database/postgres/postgresConnection.js';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { isReferenceTo } from '../../model/memory.js';
import {
  describeTeamProject,
  type AdministeredFact,
  type AdministeredProject,
  type TeamProject,
} from '../../model/team.js';
import { normalizeRemote } from '../../store/projectIdentity.js';
import { requireCurrentSchema } from './serverSchema.js';
import { asOwner, readTeam, requireTeamName } from './teamAdministration.js';

/** Facts per statement. */
const pageSize = 500;

/** @param team the only one of the server where it is undefined */
interface OfTeam {
  readonly team?: string | undefined;
}

/** The projects of a team by name. @throws EngineError notFound | invalidInput | notAllowed | storeUnavailable */
export async function listProjects(
  connection: PostgresConnection,
  { team }: OfTeam,
): Promise<readonly AdministeredProject[]> {
  await requireCurrentSchema(connection);
  return asOwner(connection, async () => readProjects(connection, (await readTeam(connection, team)).id));
}

/**
 * Gives a project another name, or says which repository it is, as after a repository has moved.
 * @param project its name or address
 * @throws EngineError notFound | invalidInput (several are meant, another one has the address) | notAllowed | storeUnavailable
 */
export async function changeProject(
  connection: PostgresConnection,
  { team, project, name, repository }: OfTeam & { readonly project: string } & Partial<TeamProject>,
): Promise<AdministeredProject> {
  if (name !== undefined) requireTeamName(name);
  const address = repository === undefined ? undefined : normalizeRemote(repository);
  if (repository !== undefined && address === undefined)
    throw new EngineError('invalidInput', message`${repository} is no address of a repository on a host.`);
  await requireCurrentSchema(connection);
  return asOwner(connection, async () => {
    const projects = await readProjects(connection, (await readTeam(connection, team)).id);
    const found = chooseProject(projects, project);
    const changed = { ...found, name: name ?? found.name, repository: address ?? found.repository };
    const other = projects.find(
      it =>
        it.id !== found.id &&
        (changed.repository === undefined
          ? it.repository === undefined && it.name === changed.name
          : it.repository === changed.repository),
    );
    if (other !== undefined)
      throw new EngineError('invalidInput', message`The team has ${describeTeamProject(other)} already.`);
    await connection.query('UPDATE recollect.projects SET name = $2::text, remote = $3::text WHERE id = $1::uuid', [
      found.id,
      changed.name,
      changed.repository,
    ]);
    const { repository: known, ...rest } = changed;
    return known === undefined ? rest : { ...rest, repository: known };
  });
}

/**
 * Deletes a project with all that was shared in it. Members who are connected to it hear so at their next sync, and keep what they
 * took in.
 * @param project its name or address
 * @param expected facts that a person was shown; where there are more by now, nothing is deleted
 * @throws EngineError notFound | invalidInput | notAllowed | storeUnavailable
 */
export async function removeProject(
  connection: PostgresConnection,
  { team, project, expected }: OfTeam & { readonly project: string; readonly expected: number },
): Promise<void> {
  await requireCurrentSchema(connection);
  await asOwner(connection, async () => {
    const { id } = await readTeam(connection, team);
    const { id: projectId } = chooseProject(await readProjects(connection, id), project);
    // A member who shares meanwhile waits for the lock, and finds no project.
    await connection.query('SELECT 1 FROM recollect.projects WHERE id = $1::uuid FOR UPDATE', [projectId]);
    const current = chooseProject(await readProjects(connection, id), project);
    if (current.facts > expected)
      throw new EngineError('invalidInput', 'More was shared in it meanwhile. Look at it again.');
    await connection.query('DELETE FROM recollect.memories WHERE project = $1::uuid', [projectId]);
    await connection.query('DELETE FROM recollect.projects WHERE id = $1::uuid', [projectId]);
  });
}

/**
 * The facts that a team shares, by whom, the newest first; without what was withdrawn.
 * @param choice.project name or address, for one project alone
 * @param choice.role a login, for what one member shared, also a former one
 * @param choice.references ids or short ids, for those alone; each must be one
 * @throws EngineError notFound | ambiguousId | invalidInput | notAllowed | storeUnavailable
 */
export async function listFacts(
  connection: PostgresConnection,
  {
    team,
    project,
    role,
    references,
  }: OfTeam & { readonly project?: string; readonly role?: string; readonly references?: readonly string[] },
): Promise<readonly AdministeredFact[]> {
  await requireCurrentSchema(connection);
  return asOwner(connection, async () => {
    const { id } = await readTeam(connection, team);
    const chosen = project === undefined ? undefined : chooseProject(await readProjects(connection, id), project);
    const sql = `SELECT m.id, m.content, m.author, m.shared_at, p.id AS project_id, p.name AS project, o.name AS by
      FROM recollect.memories m JOIN recollect.projects p ON p.id = m.project
      LEFT JOIN recollect.members o ON o.team = p.team AND o.role = m.author
      WHERE p.team = $1::uuid AND m.content IS NOT NULL AND ($2::uuid IS NULL OR p.id = $2::uuid)
        AND ($3::name IS NULL OR m.author = $3::name) ORDER BY m.shared_at DESC, m.id`;
    const facts = (await connection.query(sql, [id, chosen?.id, role])).map(toFact);
    return references === undefined ? facts : references.map(it => findFact(facts, it));
  });
}

/**
 * Takes facts of any member out of the tables; members put away what came of them at their next sync, or are asked where they
 * confirmed it.
 * @returns how many were still there
 * @throws EngineError notAllowed | storeUnavailable
 */
export async function withdrawFacts(
  connection: PostgresConnection,
  facts: readonly Pick<AdministeredFact, 'id' | 'projectId'>[],
): Promise<number> {
  await requireCurrentSchema(connection);
  return asOwner(connection, async () => {
    // Newer than the row whatever clocks say: members leave what is dated ahead of theirs.
    const sql = `UPDATE recollect.memories m SET content = NULL, said_at = NULL, gate = NULL, kind = NULL, tags = '{}',
      shared_at = m.shared_at + interval '1 millisecond', withdrawn_by = session_user
      FROM unnest($1::uuid[], $2::uuid[]) AS given (project, id)
      WHERE m.project = given.project AND m.id = given.id AND m.content IS NOT NULL RETURNING m.id`;
    let count = 0;
    for (let from = 0; from < facts.length; from += pageSize) {
      const some = facts.slice(from, from + pageSize);
      count += (await connection.query(sql, [some.map(it => it.projectId), some.map(it => it.id)])).length;
    }
    return count;
  });
}

async function readProjects(connection: PostgresConnection, team: string): Promise<readonly AdministeredProject[]> {
  const sql = `SELECT p.id, p.name, p.remote, count(m.id) FILTER (WHERE m.content IS NOT NULL)::int AS facts,
      count(DISTINCT m.author) FILTER (WHERE m.content IS NOT NULL)::int AS authors, max(m.shared_at) AS changed_at
    FROM recollect.projects p LEFT JOIN recollect.memories m ON m.project = p.id
    WHERE p.team = $1::uuid GROUP BY p.id ORDER BY p.name, p.remote`;
  return (await connection.query(sql, [team])).map(({ id, name, remote, facts, authors, changed_at }) => ({
    ...{ id: String(id), name: String(name), facts: facts as number, authors: authors as number },
    ...(typeof remote === 'string' ? { repository: remote } : {}),
    ...(changed_at === null ? {} : { changedAt: (changed_at as Date).toISOString() }),
  }));
}

function chooseProject(projects: readonly AdministeredProject[], given: string): AdministeredProject {
  const address = normalizeRemote(given) ?? given.toLowerCase();
  const byAddress = projects.find(it => it.repository === address);
  if (byAddress !== undefined) return byAddress;
  const [found, ...others] = projects.filter(it => it.name === given);
  if (found === undefined)
    throw new EngineError('notFound', message`The team has no project ${given}. List them: recollect team projects`);
  if (others.length === 0) return found;
  const all = [found, ...others].map(describeTeamProject).join(', ');
  throw new EngineError(
    'invalidInput',
    message`The team has several projects ${given}: ${all}. Say which by its address.`,
  );
}

function toFact({ id, content, author, shared_at, project_id, project, by }: PostgresRow): AdministeredFact {
  return {
    id: String(id),
    content: String(content),
    role: String(author),
    by: String(by ?? author),
    project: String(project),
    projectId: String(project_id),
    sharedAt: (shared_at as Date).toISOString(),
  };
}

function findFact(facts: readonly AdministeredFact[], reference: string): AdministeredFact {
  const [found, other] = facts.filter(it => isReferenceTo(it, reference));
  if (found === undefined)
    throw new EngineError('notFound', message`The team shares nothing with the id ${reference}.`);
  if (other !== undefined)
    throw new EngineError('ambiguousId', message`Several shared memories have an id that ends with ${reference}.`);
  return found;
}
