import { speaksOfOnePerson } from '../classify/projectFact.js';
import type { Context } from '../context.js';
import { codeKinds, shortId, type Memory } from '../model/memory.js';
import { prepareText } from '../remember/prepareFact.js';
import { findPersonalData } from '../secrets/personalData.js';
import type { Store } from '../store/store.js';
import type { PlacedLine, SharedFact } from './teamLine.js';
import type { TeamSource, TeamState } from './teamState.js';

/** Without a search for its parts: it only warns. */
const mailAddress = /[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,63}/u;

/** Why a memory stays here, as a sentence with the next step; undefined where it can be shared. */
export function whyNotShared(
  ctx: Context,
  source: TeamSource,
  { store, memory }: { readonly store: Store; readonly memory: Memory },
  { state, line }: { readonly state: TeamState; readonly line: PlacedLine | undefined },
): string | undefined {
  const { content, kind, lane, status, scopeId, tags } = memory;
  const id = shortId(memory);
  if (store.kind === 'project' && store !== source.store)
    return 'It is of another project. Share it there: --project FOLDER';
  if (status !== 'active') return `It is ${status}. If it holds, restore it first: recollect restore ${id}`;
  if (scopeId !== undefined) return `It is in the isolated set ${scopeId}. Take it out first: recollect set move ${id}`;
  if (codeKinds.includes(kind)) return 'It describes code, which the team has. Index it there: recollect index';
  if (lane !== 'confirmed') return `It is a note that you have not confirmed. If it is right: recollect confirm ${id}`;
  const { maxCharacters } = ctx.host.config().remember;
  const prepared = prepareText(content, { maxCharacters, alongside: tags });
  if ('refused' in prepared) return prepared.refused;
  return line !== undefined && isSharedAlready(memory, line, state)
    ? `It is shared already, in ${source.fileOf(line) ?? source.name}.`
    : undefined;
}

/** Whether the line that holds is one's own and says what the memory says. */
export function isSharedAlready(memory: Memory, line: PlacedLine, { isOwn }: TeamState): boolean {
  return line.fact !== undefined && isOwn(line) && isSame(line.fact, toFact(memory, line.at));
}

/** By what a memory looks as if it were its person's alone, as a sentence; undefined for most. Keeps nothing back. */
export function describePersonal(memory: Pick<Memory, 'content' | 'tags'>): string | undefined {
  const text = [memory.content, ...memory.tags].join('\n');
  const data = findPersonalData(text);
  if (data !== undefined) return `It holds personal data (${data.label}).`;
  if (mailAddress.test(text)) return 'It holds an e-mail address.';
  return speaksOfOnePerson(memory)
    ? 'It speaks of one person (“I”, “my”): your team reads it as said by you.'
    : undefined;
}

export function toFact({ content, gate, kind, tags, reinforcedAt }: Memory, at: string): SharedFact {
  return { content, gate, kind, tags, said: reinforcedAt < at ? reinforcedAt : at };
}

/** Whether two lines say the same, whenever it was said. */
function isSame(a: SharedFact, b: SharedFact): boolean {
  const fields = ({ content, gate, kind, tags }: SharedFact): string => JSON.stringify([content, gate, kind, tags]);
  return fields(a) === fields(b);
}
