import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { describeTeamProject, type TeamProject } from '../../model/team.js';
import { normalizeRemote } from '../../store/projectIdentity.js';
import type { ProjectRow } from './teamServer.js';

/** The project of the server that a folder is. */
export interface ProjectChoice extends TeamProject {
  /** Of the project that is there; absent where it does not exist yet. */
  readonly id?: string;
  /** Whether the team learns which repository the project is, which it knew by its name alone. */
  readonly namesRepository: boolean;
  /** Projects of the same name that are not chosen. */
  readonly namesakes: readonly ProjectRow[];
}

/**
 * Which project of a team a folder is: that of its repository. Two repositories of one name are two projects, and a folder without
 * a remote is known by its name.
 * @param folder.name by default; `remotes` are normalized, without credentials, the most specific first
 * @param given a name, or the address of a repository, by a person's word
 * @throws EngineError invalidInput where several are meant, or another repository has the name
 */
export function chooseProject(
  projects: readonly ProjectRow[],
  { name, remotes }: { readonly name: string; readonly remotes: readonly string[] },
  given?: string,
): ProjectChoice {
  const namesakesOf = (id: string | undefined, ofName: string): readonly ProjectRow[] =>
    projects.filter(it => it.name === ofName && it.id !== id);
  const useKnown = ({ id, name: known, repository }: ProjectRow): ProjectChoice => {
    const first = repository === undefined ? freeRemote(projects, remotes) : undefined;
    const address = repository ?? first;
    return {
      ...{ id, name: known, namesRepository: first !== undefined, namesakes: namesakesOf(id, known) },
      ...(address === undefined ? {} : { repository: address }),
    };
  };
  const makeNew = (ofName: string, repository: string | undefined): ProjectChoice => ({
    ...{ name: ofName, namesRepository: false, namesakes: namesakesOf(undefined, ofName) },
    ...(repository === undefined ? {} : { repository }),
  });
  const known = projects.filter(it => it.repository !== undefined && remotes.includes(it.repository));
  if (given === undefined) {
    if (known.length > 1)
      throw new EngineError(
        'invalidInput',
        message`The remotes of this repository are several projects of the team: ${describeAll(known)}. Say which: recollect team join ADDRESS`,
      );
    if (known[0] !== undefined) return useKnown(known[0]);
    const byName = projects.find(it => it.name === name && it.repository === undefined);
    return remotes.length === 0 && byName !== undefined ? useKnown(byName) : makeNew(name, remotes[0]);
  }
  const address = normalizeRemote(given) ?? given.toLowerCase();
  const byAddress = projects.find(it => it.repository === address);
  if (byAddress !== undefined) return useKnown(byAddress);
  if (remotes.includes(address)) return makeNew(name, address);
  const byName = projects.filter(it => it.name === given);
  if (byName.length > 1)
    throw new EngineError(
      'invalidInput',
      message`The team has several projects ${given}: ${describeAll(byName)}. Say which by its address: recollect team join ADDRESS`,
    );
  const [found] = byName;
  if (found?.repository !== undefined && remotes.length > 0 && !remotes.includes(found.repository))
    throw new EngineError(
      'invalidInput',
      message`The team’s ${given} is the repository ${found.repository}, and this one is ${remotes[0]!}. For a project of its own: recollect team join; for that one all the same: recollect team join ${found.repository}`,
    );
  if (found !== undefined) return useKnown(found);
  if (known[0] !== undefined)
    throw new EngineError(
      'invalidInput',
      message`The team has this repository already, as ${describeAll(known)}. Join it: recollect team join`,
    );
  return makeNew(given, remotes[0]);
}

/** The first remote that no other project of the team has. */
function freeRemote(projects: readonly ProjectRow[], remotes: readonly string[]): string | undefined {
  return remotes.find(it => !projects.some(project => project.repository === it));
}

function describeAll(projects: readonly ProjectRow[]): string {
  return projects.map(describeTeamProject).join(', ');
}
