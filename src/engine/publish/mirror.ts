import { createHash } from 'node:crypto';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { EngineError } from '../base/errors.js';
import type { Context } from '../context.js';
import { handle, type Lane, type Memory } from '../model/memory.js';
import type { SyncConflict, SyncInput, SyncReport, SyncSide, SyncStep } from '../model/sync.js';
import { remember } from '../remember/remember.js';
import { factHash } from '../store/factHash.js';
import type { Store } from '../store/store.js';
import { findSecret } from '../text/secrets.js';
import { checkShape } from '../text/shape.js';
import type { LerimFile } from './lerimFile.js';
import { applyShared } from './mirrorApply.js';
import { matchFiles } from './mirrorMatch.js';
import {
  isArchived,
  keptOfFile,
  mirrorFiles,
  moveFile,
  nameFor,
  placeBelow,
  printOf,
  sharedOf,
  sharedOfFile,
  textOf,
  type MirrorFile,
  type Shared,
  type Synced,
} from './mirrorFiles.js';
import { replaceTextFile } from './textFile.js';

/** A file that can be read. */
interface Readable extends MirrorFile {
  readonly read: LerimFile;
}
type Changed = (store: Store, ids: readonly string[]) => void;

/**
 * One sync of a project's store with a folder of Markdown. What has changed on one side since the last time is carried to
 * the other; where both have, neither is touched unless the person has decided. It can end at any point: whatever was
 * done is found to be equal the next time.
 */
export class MirrorSync {
  private readonly steps: SyncStep[] = [];
  private readonly conflicts: SyncConflict[] = [];
  private readonly refused: { readonly name: string; readonly reason: string }[] = [];
  /** Lower case, for file systems that do not tell case apart. */
  private readonly taken = new Set<string>();
  private readonly memories = new Map<string, Memory>();
  private readonly records = new Map<string, Synced>();
  private readonly key: string;
  private readonly lane: Lane;

  constructor(
    private readonly ctx: Context,
    private readonly store: Store,
    private readonly root: string,
    private readonly input: SyncInput,
    private readonly changed: Changed,
  ) {
    this.key = `${createHash('sha256').update(root).digest('hex').slice(0, 12)}:`;
    this.lane = input.lane ?? 'note';
  }

  async run(): Promise<SyncReport> {
    const files = await mirrorFiles(this.root);
    for (const it of files) this.taken.add(it.name.toLowerCase());
    for (const it of await this.store.records<Synced>('syncedFile', Number.MAX_SAFE_INTEGER)) {
      if (it.id.startsWith(this.key)) this.records.set(it.body.memory, it.body);
    }
    for await (const page of this.store.all()) {
      for (const it of page) if (isMirrored(it)) this.memories.set(it.id, it);
    }
    const { pairs, rest } = matchFiles([...this.records.values()], files);
    const fresh = [...this.memories.values()].filter(it => it.status === 'active' && !this.records.has(it.id));
    const total = pairs.length + rest.length + fresh.length;
    let done = 0;
    const each = async <T extends { readonly name: string }>(items: readonly T[], work: (it: T) => Promise<void>) => {
      for (const it of items) {
        if (this.input.signal?.aborted === true) {
          throw new EngineError(
            'aborted',
            'The sync was stopped. What was done stays; the next one goes on from there.',
          );
        }
        try {
          await work(it);
        } catch (error) {
          if (!EngineError.is(error, 'unsupportedFile')) throw error;
          this.refused.push({ name: it.name, reason: error.message });
        }
        this.input.onProgress?.({ done: ++done, total });
      }
    };
    await each(pairs, it => this.pair(it.synced, it.file));
    await each(rest, it => this.newFile(it));
    await each(
      fresh.map(memory => ({ name: memory.summary, memory })),
      async ({ memory }) => {
        // A new file may have turned out to be this one.
        if (!this.records.has(memory.id)) await this.toFile(memory, undefined, undefined);
      },
    );
    const { root: mirror, steps, conflicts, refused } = this;
    return { mirror, compared: total, steps, conflicts, refused };
  }

  /** What was synced before: each side as it was then, or not. */
  private async pair(synced: Synced, file: MirrorFile | undefined): Promise<void> {
    const memory = this.memories.get(synced.memory);
    if (file !== undefined && !isReadable(file)) {
      this.refuse(file, reasonOf(file));
      return;
    }
    if (memory === undefined) return this.withoutMemory(synced, file);
    const ofFile = file && sharedOfFile(file.name, file.read, { synced, memory, lane: this.lane });
    const ofMemory = sharedOf(memory);
    const filePrint = ofFile && printOf(ofFile);
    const memoryPrint = printOf(ofMemory);
    const fileChanged = filePrint === undefined ? !synced.gone : filePrint !== synced.print;
    const memoryChanged = memoryPrint !== synced.print;
    // A file that is not there and a memory that is archived say the same.
    const isEqual = filePrint === memoryPrint || (file === undefined && ofMemory.archived);
    const side = isEqual ? undefined : this.sideOf({ fileChanged, memoryChanged }, file?.name ?? synced.name);
    if (isEqual) {
      if (memoryChanged || fileChanged || file?.name !== synced.name) {
        const name = file?.name ?? synced.name;
        await this.keep(memory, { ...synced, name, gone: file === undefined });
      }
    } else if (side === 'conflict') {
      this.conflicts.push(conflictOf(memory, synced, file));
    } else if (side === 'memory') {
      await this.toFile(memory, synced, file);
    } else if (side === 'file') {
      const shared = ofFile ?? { ...ofMemory, archived: true };
      await this.toMemory(memory, synced, file, memoryChanged ? keptOfFile(shared, memory, synced) : shared);
    }
  }

  private sideOf(
    { fileChanged, memoryChanged }: { readonly fileChanged: boolean; readonly memoryChanged: boolean },
    name: string,
  ): SyncSide | 'conflict' | undefined {
    if (fileChanged && memoryChanged) return this.input.decisions?.[name] ?? 'conflict';
    return fileChanged ? 'file' : memoryChanged ? 'memory' : undefined;
  }

  /** The memory is deleted for good: its file goes to the archive, unless a person has written into it since. */
  private async withoutMemory(synced: Synced, file: Readable | undefined): Promise<void> {
    if (!this.dry) await this.forgetRecord(synced);
    if (file === undefined || isArchived(file.name)) return;
    const { lane = this.lane } = file.read;
    if (printOf(sharedOfFile(file.name, file.read, { synced, lane })) !== synced.print) return this.newFile(file);
    await this.move(file, `archived/${file.name}`);
  }

  private async newFile(file: MirrorFile): Promise<void> {
    // What another program, or a person, has put away is no news.
    if (isArchived(file.name)) return;
    if (!isReadable(file)) {
      this.refuse(file, reasonOf(file));
      return;
    }
    const shared = sharedOfFile(file.name, file.read, { lane: this.lane });
    const shape = checkShape(shared.content, this.ctx.host.config().remember.maxCharacters);
    if (!shape.ok) {
      this.refuse(file, shape.reason);
      return;
    }
    const { id = '' } = file.read;
    const synced = (memory: string): Synced => {
      const isOwn = id === '' || /^[0-9a-f-]{36}$/u.test(id) || [...this.records.values()].some(it => it.fileId === id);
      const { title = '' } = file.read;
      const titled = title !== '' && shape.text.startsWith(`${title}\n\n`);
      const fileId = isOwn ? memory : id;
      return { memory, name: file.name, fileId, print: '', title, titled, gone: false };
    };
    const byId = this.records.has(id) ? undefined : this.memories.get(id);
    if (byId !== undefined) return this.pair(synced(byId.id), file);
    const [twin] = await this.byFact(shape.text);
    if (twin !== undefined) {
      const live = this.records.get(twin.id)?.gone === false;
      if (live || !this.memories.has(twin.id)) {
        this.refuse(file, sameAs(twin.id));
        return;
      }
      // A person has written down again what was put away, or what had no file yet.
      const tags = [...new Set([...twin.tags, ...shared.tags])];
      const { kind, lane } = twin;
      return this.toMemory(twin, synced(twin.id), file, { ...shared, content: twin.content, tags, kind, lane });
    }
    if (findSecret(shape.text) !== undefined) {
      this.refuse(file, 'It contains a secret, and secrets are not kept.');
      return;
    }
    if (this.dry) {
      this.step({ what: 'added', name: file.name });
      return;
    }
    await this.add(file, { ...shared, content: shape.text }, synced);
  }

  private async add(file: Readable, shared: Shared, synced: (memory: string) => Synced): Promise<void> {
    const { content, kind, tags, lane } = shared;
    // In other words it may be known; telling it once more at every sync would make it ever stronger.
    const told = `${this.key}told:${factHash(content)}`;
    const before = await this.store.record<string>('syncedFile', told);
    if (before !== undefined) {
      this.refuse(file, sameAs(before.body));
      return;
    }
    const input = { content, kind, tags, lane, whole: true, source: 'import', store: 'project' } as const;
    const [[outcome] = []] = await remember(this.ctx, [input], this.changed);
    if (outcome === undefined || outcome.outcome === 'refused') {
      this.refuse(file, outcome?.reason ?? 'It says nothing.');
      return;
    }
    const { confidence, created } = file.read;
    const memory = await this.store.write(this.ctx.host.client, async tx => {
      const now = await tx.get(outcome.id);
      if (now === undefined || outcome.outcome === 'reinforced') {
        await tx.putRecord('syncedFile', told, outcome.id);
        return undefined;
      }
      const next = { ...now, confidence: confidence ?? now.confidence, createdAt: created ?? now.createdAt };
      if (confidence !== undefined || created !== undefined) await tx.update(next, 'import');
      return next;
    });
    if (memory === undefined) {
      this.refuse(file, sameAs(outcome.id));
      return;
    }
    this.memories.set(memory.id, memory);
    await this.settle(memory, synced(memory.id), file);
    this.step({ what: 'added', name: file.name, id: memory.id });
  }

  /** Carries what the file says to the memory. */
  private async toMemory(memory: Memory, synced: Synced, file: Readable | undefined, shared: Shared): Promise<void> {
    const name = file?.name ?? synced.name;
    const what = shared.archived === sharedOf(memory).archived ? 'changed' : shared.archived ? 'archived' : 'restored';
    const shape = checkShape(shared.content, this.ctx.host.config().remember.maxCharacters);
    if (!shape.ok) {
      this.refuse({ name }, shape.reason);
      return;
    }
    if (findSecret(`${shape.text}\n${shared.tags.join('\n')}`) !== undefined) {
      this.refuse({ name }, 'It contains a secret, and secrets are not kept.');
      return;
    }
    const twin = (await this.byFact(shape.text)).find(it => it.id !== memory.id);
    if (twin !== undefined) {
      this.refuse({ name }, sameAs(twin.id));
      return;
    }
    if (this.dry) {
      this.step({ what, name, id: memory.id });
      return;
    }
    const after = await applyShared(this.ctx, this.store, { seen: memory, shared: { ...shared, content: shape.text } });
    if (after === undefined) {
      this.refuse({ name }, 'The memory has just changed. Sync again.');
      return;
    }
    this.changed(this.store, [memory.id]);
    this.memories.set(memory.id, after);
    if (file === undefined) await this.keep(after, { ...synced, gone: true });
    else await this.settle(after, synced, file);
    this.step({ what, name, id: memory.id });
  }

  /** Carries what the memory says to its file, or makes one. */
  private async toFile(memory: Memory, synced: Synced | undefined, file: Readable | undefined): Promise<void> {
    const { id } = memory;
    if (file === undefined || synced === undefined) {
      const name = nameFor(memory, this.taken);
      this.taken.add(name);
      if (this.dry) {
        this.step({ what: 'written', name, id });
        return;
      }
      const { text, title, titled } = textOf(memory, undefined);
      await replaceTextFile(await placeBelow(this.root, name), undefined, text);
      await this.keep(memory, { name, fileId: id, title, titled, gone: false });
      this.step({ what: 'written', name, id });
      return;
    }
    const mustMove = isArchived(file.name) !== (memory.status !== 'active');
    const name = mustMove ? nameFor(memory, this.taken) : file.name;
    if (mustMove) await this.move(file, name, id);
    else this.step({ what: 'written', name, id });
    if (!this.dry) await this.settle(memory, synced, { ...file, name });
  }

  /** Both sides say the same: the file gets what else the memory has, and both are noted as synced. */
  private async settle(memory: Memory, synced: Synced, file: Readable): Promise<void> {
    const { text, title, titled } = textOf(memory, { text: file.text, synced });
    await replaceTextFile(await placeBelow(this.root, file.name), file.text, text);
    await this.keep(memory, { ...synced, name: file.name, title, titled, gone: false });
  }

  private async move(file: MirrorFile, name: string, id?: string): Promise<void> {
    const free = this.taken.has(name.toLowerCase()) ? name.replace(/\.md$/iu, `-${this.taken.size}.md`) : name;
    this.taken.add(free.toLowerCase());
    if (!this.dry) await moveFile(this.root, file.name, free);
    this.step({ what: 'moved', name: free, ...(id === undefined ? {} : { id }) });
  }

  /** Notes that both sides are as the memory is. */
  private async keep(memory: Memory, its: Omit<Synced, 'memory' | 'print' | 'lane'>): Promise<void> {
    const synced: Synced = { ...its, memory: memory.id, print: printOf(sharedOf(memory)), lane: memory.lane };
    this.records.set(synced.memory, synced);
    if (this.dry) return;
    await this.store.write(this.ctx.host.client, tx => tx.putRecord('syncedFile', this.key + synced.memory, synced));
  }

  private async forgetRecord({ memory }: Synced): Promise<void> {
    this.records.delete(memory);
    await this.store.write(this.ctx.host.client, tx => tx.deleteRecord('syncedFile', this.key + memory));
  }

  private byFact(content: string): Promise<Memory[]> {
    return this.store.write(this.ctx.host.client, tx => tx.byFacts([factHash(content)], ''));
  }

  private step(it: SyncStep): void {
    this.steps.push(it);
  }

  private refuse({ name }: { readonly name: string }, reason: string): void {
    this.refused.push({ name, reason });
  }

  private get dry(): boolean {
    return this.input.dryRun === true;
  }
}

/** Code is in the files it comes from; what is isolated or sensitive stays in the store. */
function isMirrored({ scopeId, sensitive, kind }: Memory): boolean {
  return scopeId === undefined && !sensitive && kind !== 'code' && kind !== 'code-description';
}

function isReadable(file: MirrorFile): file is Readable {
  return !('refused' in file.read);
}

function reasonOf({ read }: MirrorFile): string {
  return 'refused' in read ? read.refused : '';
}

function sameAs(id: string): string {
  return `The memory #${handle({ id })} says the same already.`;
}

function conflictOf(memory: Memory, synced: Synced, file: MirrorFile | undefined): SyncConflict {
  const name = file?.name ?? synced.name;
  const text = file?.text ?? '';
  const other = textOf(memory, file && { text: file.text, synced }).text;
  const diff = createTwoFilesPatch(name, name, text, other, 'file', `memory, ${memory.status}`, { context: 3 });
  return { name, id: memory.id, file: text, memory: other, diff };
}

/** Where the mirror of a folder lies. @throws EngineError invalidInput */
export function mirrorOf(folder: string, mirror = path.join('.recollect', 'memory')): string {
  const root = path.resolve(folder, mirror);
  if (root !== path.resolve(folder)) return root;
  throw new EngineError('invalidInput', 'Name a folder of its own for the Markdown, not the project itself.');
}
