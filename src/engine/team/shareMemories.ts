import { createHash } from 'node:crypto';
import { EngineError } from '../base/errors.js';
import { runGit } from '../base/git.js';
import { message } from '../base/localizableMessage.js';
import { newUuid } from '../base/uuid.js';
import { storeOfFolder, type Context } from '../context.js';
import { insertTransferred } from '../lifecycle/moves.js';
import { messageTemplates } from '../model/engineMessages.js';
import { codeKinds, isReferenceTo, shortId, type Memory, type SearchAids } from '../model/memory.js';
import type { ShareInput, SharePreview, TeamReadReport } from '../model/team.js';
import type { Store, StoredVector, StoreTransaction } from '../store/store.js';
import { findDecisions, recordOwnDecisions } from './decisions.js';
import { describeFolderClock } from './earlyLines.js';
import { describePersonal, isSharedAlready, toFact, whyNotShared } from './shareable.js';
import { appendTeamLines, chooseTeamFile, prefixOfTeamFile, type TeamFolder } from './teamFolder.js';
import { hashTeamLine, isMemberName, maxNameLength, parseTeamLine, renderTeamLine, type TeamLine } from './teamLine.js';
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
export interface ShareTarget {
  readonly id: string;
  readonly content: string;
  readonly memory?: Memory;
  readonly store?: Store;
  /** Named by its id, and not one of many. */
  readonly isChosen: boolean;
}

const memberRecordId = 'teamMember';
const maxPrefixLength = 40;

/** Where shared lines go. */
export interface SharePlace {
  readonly source: TeamSource;
  /**
   * Under which name; asked once the memories are known.
   * @param seed id of the first of them
   * @throws EngineError invalidInput (no name)
   */
  readonly member: (seed: string) => Promise<{
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
    async member(seed) {
      const { name, prefix } = await chooseMember(folder, as, seed);
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
  const targets = await findTargets(ctx, source, input, { state, find });
  const { by, fileOf } = await member(targets[0]?.memory?.id ?? targets[0]?.id ?? '');
  const now = ctx.host.now();
  const lines: string[] = [];
  const memories: SharePreview['memories'][number][] = [];
  const copies: SharePreview['copies'][number][] = [];
  const personal: SharePreview['personal'][number][] = [];
  const refused: SharePreview['refused'][number][] = [];
  for (const { id: found, content, memory, store, isChosen } of targets) {
    const line = state.newest.get(found);
    const isCopy = !isWithdrawal && store?.kind === 'global';
    const care = memory === undefined || isWithdrawal ? undefined : describePersonal(memory);
    const reason = isWithdrawal
      ? whyNotWithdrawn(state, source, found)
      : (whyNotShared(ctx, source, { store: store!, memory: memory! }, { state, line }) ??
        (care !== undefined && !isChosen && input.withPersonal !== true
          ? `${care} Share it by its id, or all of them: --with-personal`
          : undefined));
    if (reason !== undefined) {
      refused.push({ id: found, reason });
      continue;
    }
    const id = isCopy ? newUuid(ctx.aging.writeTime()) : found;
    // A clock that was set back, or one of another machine, would make the new line the older one.
    const at = new Date(Math.max(now.getTime(), line === undefined ? 0 : Date.parse(line.at) + 1)).toISOString();
    lines.push(renderTeamLine({ id, at, by, fact: isWithdrawal ? undefined : toFact(memory!, at) }));
    memories.push({ id, content });
    if (isCopy) copies.push({ id, from: found });
    if (care !== undefined) personal.push({ id, reason: care });
  }
  const text = lines.map(it => `${it}\n`).join('');
  const file = await fileOf(text);
  const clock = await describeFolderClock(source, state);
  return {
    file,
    ...(clock === undefined ? {} : { clock }),
    ...(file === '' ? { server: source.name } : {}),
    text,
    as: by,
    withdraw: isWithdrawal,
    memories,
    copies,
    personal,
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

/** The name under which decisions are written: the chosen one, else the one that git knows; undefined for none. */
export async function findMember(ctx: Context, folder: TeamFolder): Promise<Member | undefined> {
  const kept = await readMember(folder);
  if (kept !== undefined) return kept;
  const name = (await runGit(folder.project, 'config', 'user.name')).trim();
  return isMemberName(name) ? { name, prefix: makePrefix(name, newUuid(ctx.host.now())) } : undefined;
}

/**
 * Adds what this person decided about shared facts to the folder. Holds ids and no text.
 * @returns how many decisions that were; `unnamed`: that there are some, which are not written as their person has no name
 * @throws EngineError unsupportedFile
 */
export async function shareDecisions(
  ctx: Context,
  folder: TeamFolder,
): Promise<Pick<TeamReadReport, 'decided' | 'unnamed'>> {
  const member = await findMember(ctx, folder);
  const source = sourceOfFolder(folder);
  const { name: by, prefix: seed } = member ?? { name: '', prefix: '' };
  const lines = await findDecisions(ctx, source, await readTeamState(ctx, source), { by, seed });
  if (lines.length === 0) return {};
  if (member === undefined) return { unnamed: messageTemplates.unnamedDecisions };
  const text = lines.map(it => `${renderTeamLine(it)}\n`).join('');
  const month = ctx.host.now().toISOString().slice(0, 7);
  const file = await chooseTeamFile(folder, { prefix: seed, month, text });
  await appendTeamLines(folder, { file, text }, () =>
    folder.store.write(ctx.host.client, async tx => {
      await tx.putRecord('state', memberRecordId, member);
      await recordOwnDecisions(tx, lines, undefined);
      await tx.log('export', { format: 'team', decisions: lines.length });
    }),
  );
  return { decided: { file: `${folder.name}/${file}`, decisions: lines.length } };
}

/** Keeps the lines of a preview until the next sync sends them to the server. */
export async function queueShare(ctx: Context, { store, link }: LinkedStore, preview: SharePreview): Promise<void> {
  if (preview.memories.length === 0) return;
  if (preview.server !== describeLink(link)) {
    throw new EngineError(
      'invalidInput',
      message`The project is connected to ${describeLink(link)} by now. Share it there: recollect team share`,
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
  const copies = await readCopies(ctx, preview);
  const body = (memory: string): OwnLine => ({ memory, ...(place === undefined ? {} : { place }) });
  await store.write(ctx.host.client, async tx => {
    await more(tx);
    for (const { memory, ...rest } of copies) await insertTransferred(tx, memory, { ...rest, isMoved: false });
    for (const [i, { id }] of memories.entries()) await tx.putRecord('sharedLine', hashTeamLine(lines[i]!), body(id));
    await tx.log('export', { format: 'team', memories: memories.length, ...(withdraw ? { withdrawn: true } : {}) });
  });
}

/** The global memories that a preview copies into the project. @throws EngineError notFound (one changed meanwhile) */
async function readCopies(
  ctx: Context,
  { copies, memories }: SharePreview,
): Promise<
  readonly {
    readonly memory: Memory;
    readonly aids: SearchAids | undefined;
    readonly vector: StoredVector | undefined;
  }[]
> {
  if (copies.length === 0) return [];
  const store = storeOfFolder(ctx, undefined);
  const ids = copies.map(it => it.from);
  const found = new Map((await store.get(ids)).map(it => [it.id, it]));
  const aids = await store.aids(ids);
  const model = ctx.embedder.model?.id;
  const vectors = model === undefined ? new Map<string, Int8Array>() : await store.vectors(model, ids);
  return copies.map(({ id, from }) => {
    const memory = found.get(from);
    if (memory === undefined || memory.content !== memories.find(it => it.id === id)?.content)
      throw new EngineError('notFound', 'The memory has just been changed. Share it again.');
    const vector = vectors.get(from);
    return {
      memory: { ...memory, id },
      aids: aids.get(from),
      vector: vector && { model: model!, vector },
    };
  });
}

const linesOf = ({ text }: SharePreview): readonly string[] => text.trimEnd().split('\n');

/** Where a project shares in no way yet. */
export function noTeamError({ name }: TeamFolder): EngineError {
  return new EngineError(
    'invalidInput',
    message`The project has no folder ${name}, and no team’s server. Make the folder: recollect team init; or join a server’s team: recollect team join`,
  );
}

export function noFolderError({ name }: TeamFolder): EngineError {
  return new EngineError('invalidInput', message`The project has no folder ${name}. Make it: recollect team init`);
}

async function chooseMember(folder: TeamFolder, given: string | undefined, seed: string): Promise<Member> {
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
  return { name, prefix: kept?.prefix ?? makePrefix(name, seed) };
}

/** @param seed id of a memory, which two members of one name do not have both: a preview names the file that is written */
function makePrefix(name: string, seed: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, maxPrefixLength)
    .replaceAll(/^-+|(?<!-)-+$/gu, '');
  return `${words === '' ? 'member' : words}-${createHash('sha256').update(seed).digest('hex').slice(0, 6)}`;
}

async function findTargets(
  ctx: Context,
  source: TeamSource,
  { references, every, withdraw }: ShareInput,
  { state, find }: { readonly state: TeamState; readonly find: FindMemory },
): Promise<readonly ShareTarget[]> {
  const targets = new Map<string, ShareTarget>();
  for (const reference of references) {
    const target =
      withdraw === true
        ? await findWithdrawn(ctx, reference, { state, find })
        : await findShared(ctx, source, reference, find);
    if (!targets.has(target.id)) targets.set(target.id, target);
  }
  if (every === undefined) return [...targets.values()];
  for await (const page of source.store.scanAll({ scopeId: '', statuses: ['active'] })) {
    for (const memory of page.filter(it => isWanted(it, every))) {
      const line = state.newest.get(memory.id);
      if (targets.has(memory.id) || (line !== undefined && isSharedAlready(memory, line, state))) continue;
      targets.set(memory.id, {
        id: memory.id,
        content: memory.content,
        memory,
        store: source.store,
        isChosen: false,
      });
    }
  }
  return [...targets.values()];
}

/** What others shared is shared again by its id alone: then this person vouches for it. */
function isWanted({ lane, kind, tags, provenance }: Memory, every: Exclude<ShareInput['every'], undefined>): boolean {
  if (lane !== 'confirmed' || codeKinds.includes(kind) || provenance.author !== undefined) return false;
  return every === 'all' || tags.some(it => every.tags.includes(it));
}

/** A memory of the project; what is global, too, unless the project says the same. */
export async function findShared(
  ctx: Context,
  source: TeamSource,
  reference: string,
  find: FindMemory,
): Promise<ShareTarget> {
  const target = ({ store, memory }: Awaited<ReturnType<FindMemory>>): ShareTarget => {
    return { id: memory.id, content: memory.content, memory, store, isChosen: true };
  };
  try {
    const located = await find(reference);
    if (located.store.kind !== 'global' || source.store.readOnly) return target(located);
    const { contentHash, scopeId = '' } = located.memory;
    const [same] = await source.store.write(ctx.host.client, tx => tx.findByHash([contentHash], scopeId));
    return target(same === undefined ? located : { store: source.store, memory: same });
  } catch (error) {
    if (EngineError.is(error, 'notFound')) await throwIfEncrypted(ctx, reference);
    throw error;
  }
}

/** By the id of a memory here, or by the one under which it is shared. */
async function findWithdrawn(
  ctx: Context,
  reference: string,
  { state: { newest, ownIds, received }, find }: { readonly state: TeamState; readonly find: FindMemory },
): Promise<ShareTarget> {
  try {
    const { memory } = await find(reference);
    const came = [...received].find(([id, it]) => it.memory === memory.id && newest.get(id)?.fact !== undefined);
    const id = newest.get(memory.id)?.fact === undefined ? (came?.[0] ?? memory.id) : memory.id;
    return { id, content: memory.content, isChosen: true };
  } catch (error) {
    if (!EngineError.is(error, 'notFound')) throw error;
    await throwIfEncrypted(ctx, reference);
    const ids = [...new Set([...newest.keys(), ...ownIds])].filter(id => isReferenceTo({ id }, reference));
    if (ids.length !== 1) throw error;
    return { id: ids[0]!, content: newest.get(ids[0]!)?.fact?.content ?? '', isChosen: true };
  }
}

async function throwIfEncrypted(ctx: Context, reference: string): Promise<void> {
  for (const { store } of ctx.stores) {
    const kept = (await store.records('sensitive', Number.MAX_SAFE_INTEGER)).find(it => isReferenceTo(it, reference));
    if (kept === undefined) continue;
    throw new EngineError('invalidInput', message`#${shortId(kept)} is kept encrypted, and is shared with no one.`);
  }
}

function whyNotWithdrawn({ newest, isOwn, ownIds }: TeamState, source: TeamSource, id: string): string | undefined {
  const line = newest.get(id);
  // What was deleted for good is known by its id alone.
  if (line === undefined) return ownIds.has(id) ? undefined : 'It is not shared.';
  if (line.fact === undefined) return 'It is withdrawn already.';
  return isOwn(line) || source.mayAnyWithdraw(line)
    ? undefined
    : 'Another member shared it. They withdraw it, or the administrator of the server does.';
}
