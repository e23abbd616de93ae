import { prefixOfTeamFile, type EarlyLine } from './teamFolder.js';
import type { TeamDecision } from './teamLine.js';
import type { TeamSource, TeamState } from './teamState.js';

/** Members to whom one says that their clock is ahead. */
const maxComplaints = 20;

/**
 * Of each member whose lines are dated ahead of this machine's clock, a decision that says so: their own machine cannot know.
 * Where several members seem to be ahead, it is this clock that is behind, and nothing is said of theirs.
 */
export function findEarly({ early }: TeamState): readonly TeamDecision[] {
  if (isBehind(early)) return [];
  const first = new Map<string, EarlyLine>();
  for (const it of early) {
    const member = prefixOfTeamFile(it.file);
    const other = first.get(member);
    if (other === undefined || it.id < other.id) first.set(member, it);
  }
  return [...first.values()]
    .slice(0, maxComplaints)
    .map(({ id, at }): TeamDecision => ({ what: 'early', about: id, dated: at }));
}

/** A sentence for a person whose own clock is wrong, by what the lines of the others say; undefined for most. */
export async function describeFolderClock(source: TeamSource, state: TeamState): Promise<string | undefined> {
  const { early, decisions, newest, isOwn, isOwnMemory } = state;
  if (isBehind(early))
    return 'Lines of several members are dated ahead of this machine’s clock, so it is this clock that is behind. Set it.';
  const others = [...newest.values(), ...decisions].filter(it => !isOwn(it));
  const latest = [...others, ...early].reduce((time, it) => (it.at > time ? it.at : time), '');
  const complaints = decisions.filter(it => {
    const { what, about, dated = '' } = it.decision;
    if (what !== 'early' || isOwn(it) || !isOwnMemory(about)) return false;
    // It was shared again since, or its time has come for the others.
    return newest.get(about)?.at === dated && latest < dated;
  });
  const [complaint] = complaints;
  if (complaint === undefined) return undefined;
  const author = await source.authorOf(complaint);
  const day = complaint.decision.dated!.slice(0, 10);
  return `The clock of this machine is ahead: ${author} read what you shared as dated ${day}, and leaves it until then. Set the clock, and share it again.`;
}

/** Whether it is this machine's clock that is wrong. */
function isBehind(early: readonly EarlyLine[]): boolean {
  return new Set(early.map(it => prefixOfTeamFile(it.file))).size > 1;
}
