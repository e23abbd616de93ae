import type { Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import type { RememberInput } from '../model/remember.js';
import { remember } from '../remember/remember.js';
import { isKeptByPerson } from '../scoring/keeping.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { findSecret } from '../text/secrets.js';
import type { Piece } from './pieces.js';

/** A file as it was indexed; its record's id is its path relative to the project. */
export interface IndexedFile {
  /** Of the file's text, and of the rules that read it. */
  readonly hash: string;
  readonly pieces: readonly IndexedPiece[];
}

interface IndexedPiece {
  readonly key: string;
  readonly hash: string;
  readonly startLine: number;
  /** Ids; absent where the text was refused. */
  readonly description?: string;
  readonly code?: string;
}

/** A file that is new or has changed. */
export interface ChangedFile {
  readonly id: string;
  readonly uri: string;
  readonly hash: string;
  readonly pieces: readonly Piece[];
  readonly before: IndexedFile | undefined;
}

/** What writing did. */
export interface Written {
  readonly pairs: number;
  readonly archived: number;
  readonly refused: number;
}

/**
 * Brings the memories of files up to date: what is new is remembered, what only moved gets its new place, and what is no
 * longer there is archived. All files of one store.
 * @throws what Store.write throws; the next run does the rest
 */
export async function writeFiles(
  ctx: Context,
  store: Store,
  files: readonly ChangedFile[],
  changed: (store: Store, ids: readonly string[]) => void,
): Promise<Written> {
  const told = files.flatMap(file =>
    file.pieces.filter(it => knownPiece(file, it) === undefined).map(it => ({ file, it })),
  );
  const inputs = told.flatMap(({ file, it }) => inputsOf(file, it));
  const outcomes = (await remember(ctx, inputs, changed)).map(it => it[0]);
  const ids = outcomes.map(it => (it === undefined || it.outcome === 'refused' ? undefined : it.id));
  const made = new Map(told.map(({ it }, i) => [it, { description: ids[2 * i], code: ids[2 * i + 1] }]));
  const at = ctx.host.now().toISOString();
  const gone = await store.write(ctx.host.client, async tx => {
    const archived: string[] = [];
    for (const file of files) {
      const pieces = file.pieces.map(it => ({ piece: it, known: knownPiece(file, it), ...made.get(it) }));
      const after: IndexedPiece[] = [];
      for (const { piece, known, description = known?.description, code = known?.code } of pieces) {
        const { key, hash, range } = piece;
        await place(tx, { id: description, file, piece, content: undefined });
        await place(tx, { id: code, file, piece, content: piece.code });
        if (known === undefined && description !== undefined && code !== undefined) {
          for (const it of oldCodes(file, piece.key, code)) await tx.unlink(description, it, 'source_of');
          const reason = 'The description was made from this code.';
          await tx.link([{ source: description, target: code, type: 'source_of', strength: 1, reason }]);
        }
        after.push({ key, hash, startLine: range.startLine, ...present({ description, code }) });
      }
      archived.push(...(await archive(tx, idsOf(file.before), new Set(idsOf({ hash: '', pieces: after })), at)));
      await tx.putRecord('indexedFile', file.id, { hash: file.hash, pieces: after } satisfies IndexedFile);
    }
    return archived;
  });
  changed(store, gone);
  return { pairs: told.length, archived: gone.length, refused: ids.filter(it => it === undefined).length };
}

/** Archives the memories of files that are gone. @returns how many */
export async function removeFiles(
  ctx: Context,
  store: Store,
  files: readonly { readonly id: string; readonly body: IndexedFile }[],
  changed: (store: Store, ids: readonly string[]) => void,
): Promise<number> {
  const at = ctx.host.now().toISOString();
  const gone = await store.write(ctx.host.client, async tx => {
    const archived: string[] = [];
    for (const { id, body } of files) {
      archived.push(...(await archive(tx, idsOf(body), new Set(), at)));
      await tx.deleteRecord('indexedFile', id);
    }
    return archived;
  });
  changed(store, gone);
  return gone.length;
}

function inputsOf(file: ChangedFile, piece: Piece): RememberInput[] {
  const { range, symbol, anchorHash } = piece;
  const common = {
    source: 'code-index',
    gate: 'epistemic',
    store: 'project',
    decayClass: 'durable',
    whole: true,
    uri: file.uri,
    range,
    anchorHash,
    // A secret in a comment, or a name that is longer than any: the pair is found without it.
    ...(symbol === undefined || symbol.length > 500 || findSecret(symbol) !== undefined ? {} : { symbol }),
  } as const;
  const isPlain = findSecret(piece.description) === undefined;
  return [
    { ...common, kind: 'code-description', content: isPlain ? piece.description : piece.plainDescription },
    { ...common, kind: 'code', content: piece.code },
  ];
}

/** The same piece as it was indexed before, if nothing of it has changed. */
function knownPiece({ before }: ChangedFile, { key, hash }: Piece): IndexedPiece | undefined {
  return before?.pieces.find(it => it.key === key && it.hash === hash);
}

/**
 * Gives a memory the place where its piece is now. A change of spelling that makes no other fact is written here too.
 */
async function place(
  tx: StoreTransaction,
  {
    id,
    file,
    piece,
    content,
  }: {
    readonly id: string | undefined;
    readonly file: ChangedFile;
    readonly piece: Piece;
    readonly content: string | undefined;
  },
): Promise<void> {
  const memory = id === undefined ? undefined : await tx.get(id);
  if (memory?.provenance.source !== 'code-index') return;
  const { range, anchorHash } = piece;
  const { provenance } = memory;
  const isThere =
    provenance.uri === file.uri &&
    provenance.anchorHash === anchorHash &&
    provenance.range?.startLine === range.startLine &&
    provenance.range.endLine === range.endLine;
  const wanted = content?.trim() ?? memory.content;
  if (isThere && wanted === memory.content) return;
  const moved: Memory = { ...memory, content: wanted, provenance: { ...provenance, uri: file.uri, range, anchorHash } };
  await tx.update(moved, 'edit', { change: 'codeIndex' });
}

/** Archives what the index made and nobody has made their own. */
async function archive(
  tx: StoreTransaction,
  ids: readonly string[],
  kept: ReadonlySet<string>,
  at: string,
): Promise<string[]> {
  const archived: string[] = [];
  for (const memory of await tx.getAll(ids.filter(it => !kept.has(it)))) {
    const isOurs = memory.provenance.source === 'code-index' && memory.lane === 'note' && !isKeptByPerson(memory);
    if (!isOurs || memory.status !== 'active') continue;
    await tx.update({ ...memory, status: 'archived', archiveReason: 'gone', archivedAt: at }, 'archive', {
      reason: 'gone',
    });
    archived.push(memory.id);
  }
  return archived;
}

function oldCodes({ before }: ChangedFile, key: string, code: string): string[] {
  return (before?.pieces ?? []).flatMap(it =>
    it.key === key && it.code !== undefined && it.code !== code ? [it.code] : [],
  );
}

function idsOf(file: IndexedFile | undefined): string[] {
  return (file?.pieces ?? []).flatMap(it => [it.description, it.code].filter(id => id !== undefined));
}

function present(ids: { readonly description: string | undefined; readonly code: string | undefined }): object {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined));
}
