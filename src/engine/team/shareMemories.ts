import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { runGit } from '../base/git.js';
import { message } from '../base/localizableMessage.js';
import { speaksForTeam } from '../classify/projectFact.js';
import type { Context } from '../context.js';
import { codeKinds, isReferenceTo, shortId, type Memory } from '../model/memory.js';
import type { ShareInput, SharePreview } from '../model/team.js';
import { prepareText } from '../remember/prepareFact.js';
import { findPersonalData } from '../secrets/personalData.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { appendTeamLines, chooseTeamFile, prefixOfTeamFile, type TeamFolder } from './teamFolder.js';
import {
  hashTeamLine,
  isMemberName,
  maxNameLength,
  parseTeamLine,
  renderTeamLine,
  type PlacedLine,
  type SharedFact,
  type TeamLine,
} from './teamLine.js';
import { describeLink, queueLines, type LinkedStore } from './server/serverLink.js';
import { readTeamState, sourceOfFolder, type OwnLine, type TeamSource, type TeamState } from './teamState.js';

/** How a person appears to a team; a record of the project's store. */
interface Member {
  readonly name: string;
  /** Begins the names of the member's files: two members may have one name. */
  readonly prefix: string;
}

/** Finds the memory with an id or short id. @throws EngineError notFound | ambiguousId */
export type FindMemory = (reference: string) => Promise<{ readonly store: Store; readonly memory: Memory }>;

/** What may be shared, or withdrawn: then it may be gone from the store. */
interface ShareTarget {
  readonly id: string;
  readonly content: string;
  readonly located?: Awaited<ReturnType<FindMemory>>;
}

const memberRecordId = 'teamMember';
const maxPrefixLength = 40;

/** Where shared lines go. */
export interface SharePlace {
  readonly source: TeamSource;
  /** Under which name; asked once the memories are known. @throws EngineError invalidInput (no name) */
  readonly member: () => Promise<{
    /** The name that the team reads. */
    readonly by: string;
    /** Path in the project, with slashes, of the file that takes these lines; empty for a server. */
    readonly fileOf: (text: string) => Promise<string>;
  }>;
}

/** The member's file of this month in the team's folder. @param as another name than the one that is kept */
export function placeInFolder(ctx: Context, folder: TeamFolder, as: string | undefined): SharePlace {
  return {
    source: sourceOfFolder(folder),
    async member() {
      const { name, prefix } = await chooseMember(folder, as);
      const month = ctx.host.now().toISOString().slice(0, 7);
      const fileOf = async (text: string): Promise<string> =>
        `${folder.name}/${await chooseTeamFile(folder, { prefix, month, text })}`;
      return { by: name, fileOf };
    },
  };
}

/** The name under which this person shares here; undefined before the first time. */
export async function readMember({ store }: TeamFolder): Promise<Member | undefined> {
  return (await store.record<Member>('state', memberRecordId))?.body;
}

/**
 * The lines that sharing or withdrawing memories would add, and what it would leave out. Writes nothing.
 * @throws EngineError notFound | ambiguousId | invalidInput
 */
export async function previewShare(
  ctx: Context,
  { source, member }: SharePlace,
  input: ShareInput,
  find: FindMemory,
): Promise<SharePreview> {
  const state = await readTeamState(ctx, source);
  const isWithdrawal = input.withdraw === true;
  const targets = new Map<string, ShareTarget>();
  for (const reference of input.references) {
    const target = await findTarget(ctx, reference, { state, find, isWithdrawal });
    if (!targets.has(target.id)) targets.set(target.id, target);
  }
  const { by, fileOf } = await member();
  const now = ctx.host.now();
  const lines: string[] = [];
  const memories: SharePreview['memories'][number][] = [];
  const refused: SharePreview['refused'][number][] = [];
  for (const { id, content, located } of targets.values()) {
    const line = state.newest.get(id);
    const reason = isWithdrawal
      ? whyNotWithdrawn(state, id, line)
      : whyNotShared(ctx, source, located!, { state, line, withPersonal: input.withPersonal === true });
    if (reason !== undefined) {
      refused.push({ id, reason });
      continue;
    }
    // A clock that was set back, or one of another machine, would make the new line the older one.
    const at = new Date(Math.max(now.getTime(), line === undefined ? 0 : Date.parse(line.at) + 1)).toISOString();
    const fact = isWithdrawal ? undefined : toFact(located!.memory, at);
    lines.push(renderTeamLine({ id, at, by, fact }));
    memories.push({ id, content });
  }
  const text = lines.map(it => `${it}\n`).join('');
  const file = await fileOf(text);
  return {
    file,
    ...(file === '' ? { server: source.name } : {}),
    text,
    as: by,
    withdraw: isWithdrawal,
    memories,
    refused,
    isFirst: (await source.store.records('sharedLine', 1)).length === 0,
  };
}

/**
 * Adds the lines of a preview to the folder. The store knows them as its own before they are in the file, and records nothing
 * where the file does not take them.
 * @throws EngineError unsupportedFile
 */
export async function writeShare(ctx: Context, folder: TeamFolder, preview: SharePreview): Promise<void> {
  const { file, text, memories, as } = preview;
  if (memories.length === 0) return;
  const base = file.slice(file.lastIndexOf('/') + 1);
  await appendTeamLines(folder, { file: base, text }, () =>
    recordShare(ctx, folder.store, preview, {
      more: tx => tx.putRecord('state', memberRecordId, { name: as, prefix: prefixOfTeamFile(base) }),
    }),
  );
}

/** Keeps the lines of a preview until the next sync sends them to the server. */
export async function queueShare(ctx: Context, { store, link }: LinkedStore, preview: SharePreview): Promise<void> {
  if (preview.memories.length === 0) return;
  if (preview.server !== describeLink(link)) {
    throw new EngineError(
      'invalidInput',
      message`The project is connected to ${describeLink(link)} by now. Share it there: recollect share`,
    );
  }
  const limits = { now: ctx.host.now(), ...ctx.host.config().remember };
  const lines: TeamLine[] = [];
  for (const text of linesOf(preview)) {
    const line = parseTeamLine(text, limits);
    if (line === undefined || 'refused' in line)
      throw new EngineError('invalidInput', line?.refused ?? 'It says nothing.');
    lines.push(line);
  }
  await recordShare(ctx, store, preview, {
    place: link.project.id,
    more: tx => queueLines(tx, link.project.id, lines),
  });
}

/** The lines become this store's own, in one transaction with `more`. */
async function recordShare(
  ctx: Context,
  store: Store,
  preview: SharePreview,
  { place, more }: { readonly place?: string; readonly more: (tx: StoreTransaction) => Promise<void> },
): Promise<void> {
  const { memories, withdraw } = preview;
  const lines = linesOf(preview);
  const body = (memory: string): OwnLine => ({ memory, ...(place === undefined ? {} : { place }) });
  await store.write(ctx.host.client, async tx => {
    await more(tx);
    for (const [i, { id }] of memories.entries()) await tx.putRecord('sharedLine', hashTeamLine(lines[i]!), body(id));
    await tx.log('export', { format: 'team', memories: memories.length, ...(withdraw ? { withdrawn: true } : {}) });
  });
}

const linesOf = ({ text }: SharePreview): readonly string[] => text.trimEnd().split('\n');

/** Where a project shares in no way yet. */
export function noTeamError({ name }: TeamFolder): EngineError {
  return new EngineError(
    'invalidInput',
    message`The project has no folder ${name}, and no team’s server. Make the folder: recollect team git init; or connect the project: recollect team connect`,
  );
}

export function noFolderError({ name }: TeamFolder): EngineError {
  return new EngineError('invalidInput', message`The project has no folder ${name}. Make it: recollect team git init`);
}

async function chooseMember(folder: TeamFolder, given: string | undefined): Promise<Member> {
  const kept = await readMember(folder);
  const name = given?.trim() ?? kept?.name;
  if (name === undefined) {
    const known = (await runGit(folder.project, 'config', 'user.name')).trim();
    throw new EngineError(
      'invalidInput',
      known === ''
        ? 'Choose the name that your team reads: --as NAME.'
        : message`Choose the name that your team reads: --as NAME. Git knows you as ${known}.`,
    );
  }
  if (!isMemberName(name)) {
    throw new EngineError(
      'invalidInput',
      message`The name must be one line of plain text of at most ${maxNameLength} characters, without a secret.`,
    );
  }
  return { name, prefix: kept?.prefix ?? makePrefix(name) };
}

function makePrefix(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, maxPrefixLength)
    .replaceAll(/^-+|(?<!-)-+$/gu, '');
  return `${words === '' ? 'member' : words}-${randomBytes(3).toString('hex')}`;
}

async function findTarget(
  ctx: Context,
  reference: string,
  {
    state: { newest, isOwn, ownIds },
    find,
    isWithdrawal,
  }: { readonly state: TeamState; readonly find: FindMemory; readonly isWithdrawal: boolean },
): Promise<ShareTarget> {
  try {
    const located = await find(reference);
    return { id: located.memory.id, content: located.memory.content, located };
  } catch (error) {
    if (!EngineError.is(error, 'notFound')) throw error;
    await throwIfEncrypted(ctx, reference);
    const shared = [...newest.values()].filter(isOwn).map(it => it.id);
    const ids = [...new Set([...shared, ...ownIds])].filter(id => isReferenceTo({ id }, reference));
    if (!isWithdrawal || ids.length !== 1) throw error;
    return { id: ids[0]!, content: newest.get(ids[0]!)?.fact?.content ?? '' };
  }
}

async function throwIfEncrypted(ctx: Context, reference: string): Promise<void> {
  for (const { store } of ctx.stores) {
    const kept = (await store.records('sensitive', Number.MAX_SAFE_INTEGER)).find(it => isReferenceTo(it, reference));
    if (kept === undefined) continue;
    throw new EngineError('invalidInput', message`#${shortId(kept)} is kept encrypted, and is shared with no one.`);
  }
}

function whyNotWithdrawn({ isOwn, ownIds }: TeamState, id: string, line: PlacedLine | undefined): string | undefined {
  // What was deleted for good is known by its id alone.
  if (line === undefined) return ownIds.has(id) ? undefined : 'It is not shared.';
  if (line.fact === undefined) return 'It is withdrawn already.';
  return isOwn(line) ? undefined : 'The line that holds is not yours. Ask who wrote it: recollect team status';
}

/** Why a memory stays here, as a sentence with the next step. */
function whyNotShared(
  ctx: Context,
  source: TeamSource,
  { store, memory }: Awaited<ReturnType<FindMemory>>,
  {
    state,
    line,
    withPersonal,
  }: { readonly state: TeamState; readonly line: PlacedLine | undefined; readonly withPersonal: boolean },
): string | undefined {
  const { content, gate, kind, lane, status, scopeId, tags } = memory;
  const id = shortId(memory);
  if (store.kind !== 'project')
    return `It is yours in all projects. If it is of this one, move it first: recollect move ${id} --to project`;
  if (store !== source.store) return 'It is of another project. Share it there: --project FOLDER';
  if (status !== 'active') return `It is ${status}. If it holds, restore it first: recollect restore ${id}`;
  if (scopeId !== undefined) return `It is in the isolated set ${scopeId}. Take it out first: recollect set move ${id}`;
  if (codeKinds.includes(kind)) return 'It describes code, which the team has. Index it there: recollect index';
  if (lane !== 'confirmed') return `It is a note that you have not confirmed. If it is right: recollect promote ${id}`;
  const { maxCharacters } = ctx.host.config().remember;
  const prepared = prepareText(content, { maxCharacters, alongside: tags });
  if ('refused' in prepared) return prepared.refused;
  if (line?.fact !== undefined && state.isOwn(line) && isSame(line.fact, toFact(memory, line.at)))
    return `It is shared already, in ${source.fileOf(line) ?? source.name}.`;
  if (withPersonal) return undefined;
  const personal = findPersonalData([content, ...tags].join('\n'));
  if (personal !== undefined)
    return `It holds personal data (${personal.label}). To share it all the same: --with-personal`;
  const isWish = gate === 'behavioral' || gate === 'correction' || kind === 'preference';
  if (isWish && !isOfProjectFile(memory) && !speaksForTeam(memory))
    return `It is a ${gate === 'correction' ? 'correction' : 'preference'} of yours (${gate}, ${kind}), which stays yours. If the whole team should read it: --with-personal`;
  return undefined;
}

/** What a file of this project says, such as AGENTS.md, is no one's own. The path of any other file is absolute. */
function isOfProjectFile({ provenance: { source, file } }: Memory): boolean {
  return source === 'import' && file !== undefined && ![path.posix, path.win32].some(it => it.isAbsolute(file));
}

function toFact({ content, gate, kind, tags, reinforcedAt }: Memory, at: string): SharedFact {
  return { content, gate, kind, tags, said: reinforcedAt < at ? reinforcedAt : at };
}

/** Whether two lines say the same, whenever it was said. */
function isSame(a: SharedFact, b: SharedFact): boolean {
  const fields = ({ content, gate, kind, tags }: SharedFact): string => JSON.stringify([content, gate, kind, tags]);
  return fields(a) === fields(b);
}
