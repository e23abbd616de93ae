import { createHash } from 'node:crypto';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { EngineError } from '../base/errors.js';
import type { Context } from '../context.js';
import { shortId, type Lane, type Memory } from '../model/memory.js';
import type { SyncConflict, SyncInput, SyncReport, SyncSide, SyncStep } from '../model/sync.js';
import { remember } from '../remember/remember.js';
import { hashContent } from '../store/contentHash.js';
import type { Store } from '../store/store.js';
import { findSecret } from '../secrets/secretScanner.js';
import { validateText } from '../text/validateText.js';
import type { LerimFile } from '../exchange/formats/lerimFile.js';
import { applyToStore } from './applyToStore.js';
import { matchFiles } from './matchFiles.js';
import {
  isArchivedPath,
  mergeFileOverMemory,
  listMirrorFiles,
  moveMirrorFile,
  chooseFileName,
  resolveInMirror,
  fingerprintFields,
  fieldsFromMemory,
  fieldsFromFile,
  renderMirrorFile,
  type MirrorFile,
  type SyncedFields,
  type SyncState,
} from './mirrorFiles.js';
import { replaceTextFile } from '../base/atomicFile.js';

/** A file that can be read. */
interface ParsedMirrorFile extends MirrorFile {
  readonly parsed: LerimFile;
}
type WriteListener = (store: Store, ids: readonly string[]) => void;

/**
 * One sync of a project's store with a folder of Markdown. What has changed on one side since the last time is carried to
 * the other; where both have, neither is touched unless the person has decided. It can end at any point: whatever was
 * done is found to be equal the next time.
 */
export class SyncEngine {
  private readonly steps: SyncStep[] = [];
  private readonly conflicts: SyncConflict[] = [];
  private readonly refused: { readonly name: string; readonly reason: string }[] = [];
  /** Lower case, for file systems that do not tell case apart. */
  private readonly takenNames = new Set<string>();
  private readonly memories = new Map<string, Memory>();
  private readonly states = new Map<string, SyncState>();
  private readonly recordPrefix: string;
  private readonly lane: Lane;

  constructor(
    private readonly ctx: Context,
    private readonly store: Store,
    private readonly root: string,
    private readonly input: SyncInput,
    private readonly onWritten: WriteListener,
  ) {
    this.recordPrefix = `${createHash('sha256').update(root).digest('hex').slice(0, 12)}:`;
    this.lane = input.lane ?? 'note';
  }

  async run(): Promise<SyncReport> {
    const files = await listMirrorFiles(this.root);
    for (const it of files) this.takenNames.add(it.name.toLowerCase());
    for (const it of await this.store.records<SyncState>('syncedFile', Number.MAX_SAFE_INTEGER)) {
      if (it.id.startsWith(this.recordPrefix)) this.states.set(it.body.memory, it.body);
    }
    for await (const page of this.store.scanAll()) {
      for (const it of page) if (isSyncable(it)) this.memories.set(it.id, it);
    }
    const { pairs, rest } = matchFiles([...this.states.values()], files);
    const unsyncedMemories = [...this.memories.values()].filter(
      it => it.status === 'active' && !this.states.has(it.id),
    );
    const total = pairs.length + rest.length + unsyncedMemories.length;
    let done = 0;
    const forEachItem = async <T extends { readonly name: string }>(
      items: readonly T[],
      work: (it: T) => Promise<void>,
    ) => {
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
    await forEachItem(pairs, it => this.syncPair(it.synced, it.file));
    await forEachItem(rest, it => this.importFile(it));
    await forEachItem(
      unsyncedMemories.map(memory => ({ name: memory.summary, memory })),
      async ({ memory }) => {
        // A new file may have turned out to be this one.
        if (!this.states.has(memory.id)) await this.writeMemoryToFile(memory, undefined, undefined);
      },
    );
    const { root: mirror, steps, conflicts, refused } = this;
    return { mirror, compared: total, steps, conflicts, refused };
  }

  /** What was synced before: each side as it was then, or not. */
  private async syncPair(synced: SyncState, file: MirrorFile | undefined): Promise<void> {
    const memory = this.memories.get(synced.memory);
    if (file !== undefined && !isParsed(file)) {
      this.refuseFile(file, refusalReasonOf(file));
      return;
    }
    if (memory === undefined) return this.archiveOrphanedFile(synced, file);
    const fileFields = file && fieldsFromFile(file.name, file.parsed, { synced, memory, lane: this.lane });
    const memoryFields = fieldsFromMemory(memory);
    const fileFingerprint = fileFields && fingerprintFields(fileFields);
    const memoryFingerprint = fingerprintFields(memoryFields);
    const fileChanged = fileFingerprint === undefined ? !synced.gone : fileFingerprint !== synced.print;
    const memoryChanged = memoryFingerprint !== synced.print;
    // A file that is not there and a memory that is archived say the same.
    const isEqual = fileFingerprint === memoryFingerprint || (file === undefined && memoryFields.archived);
    const side = isEqual ? undefined : this.chooseSide({ fileChanged, memoryChanged }, file?.name ?? synced.name);
    if (isEqual) {
      if (memoryChanged || fileChanged || file?.name !== synced.name) {
        const name = file?.name ?? synced.name;
        await this.saveState(memory, { ...synced, name, gone: file === undefined });
      }
    } else if (side === 'conflict') {
      this.conflicts.push(toConflict(memory, synced, file));
    } else if (side === 'memory') {
      await this.writeMemoryToFile(memory, synced, file);
    } else if (side === 'file') {
      const fields = fileFields ?? { ...memoryFields, archived: true };
      await this.applyFileToMemory(
        memory,
        synced,
        file,
        memoryChanged ? mergeFileOverMemory(fields, memory, synced) : fields,
      );
    }
  }

  private chooseSide(
    { fileChanged, memoryChanged }: { readonly fileChanged: boolean; readonly memoryChanged: boolean },
    name: string,
  ): SyncSide | 'conflict' | undefined {
    if (fileChanged && memoryChanged) return this.input.decisions?.[name] ?? 'conflict';
    return fileChanged ? 'file' : memoryChanged ? 'memory' : undefined;
  }

  /** The memory is deleted for good: its file goes to the archive, unless a person has written into it since. */
  private async archiveOrphanedFile(synced: SyncState, file: ParsedMirrorFile | undefined): Promise<void> {
    if (!this.isDryRun) await this.deleteState(synced);
    if (file === undefined || isArchivedPath(file.name)) return;
    const { lane = this.lane } = file.parsed;
    if (fingerprintFields(fieldsFromFile(file.name, file.parsed, { synced, lane })) !== synced.print)
      return this.importFile(file);
    await this.moveFile(file, `archived/${file.name}`);
  }

  private async importFile(file: MirrorFile): Promise<void> {
    // What another program, or a person, has put away is no news.
    if (isArchivedPath(file.name)) return;
    if (!isParsed(file)) {
      this.refuseFile(file, refusalReasonOf(file));
      return;
    }
    const fields = fieldsFromFile(file.name, file.parsed, { lane: this.lane });
    const validation = validateText(fields.content, this.ctx.host.config().remember.maxCharacters);
    if (!validation.ok) {
      this.refuseFile(file, validation.reason);
      return;
    }
    const { id = '' } = file.parsed;
    const stateFor = (memory: string): SyncState => {
      const isOwn = id === '' || /^[0-9a-f-]{36}$/u.test(id) || [...this.states.values()].some(it => it.fileId === id);
      const { title = '' } = file.parsed;
      const titled = title !== '' && validation.text.startsWith(`${title}\n\n`);
      const fileId = isOwn ? memory : id;
      return { memory, name: file.name, fileId, print: '', title, titled, gone: false };
    };
    const byId = this.states.has(id) ? undefined : this.memories.get(id);
    if (byId !== undefined) return this.syncPair(stateFor(byId.id), file);
    const [duplicate] = await this.findByContent(validation.text);
    if (duplicate !== undefined) {
      const hasFile = this.states.get(duplicate.id)?.gone === false;
      if (hasFile || !this.memories.has(duplicate.id)) {
        this.refuseFile(file, duplicateMessage(duplicate.id));
        return;
      }
      // A person has written down again what was put away, or what had no file yet.
      const tags = [...new Set([...duplicate.tags, ...fields.tags])];
      const { kind, lane } = duplicate;
      return this.applyFileToMemory(duplicate, stateFor(duplicate.id), file, {
        ...fields,
        content: duplicate.content,
        tags,
        kind,
        lane,
      });
    }
    if (findSecret(validation.text) !== undefined) {
      this.refuseFile(file, 'It contains a secret, and secrets are not kept.');
      return;
    }
    if (this.isDryRun) {
      this.addStep({ what: 'added', name: file.name });
      return;
    }
    await this.addMemory(file, { ...fields, content: validation.text }, stateFor);
  }

  private async addMemory(
    file: ParsedMirrorFile,
    fields: SyncedFields,
    stateFor: (memory: string) => SyncState,
  ): Promise<void> {
    const { content, kind, tags, lane } = fields;
    // In other words it may be known; telling it once more at every sync would make it ever stronger.
    const aliasId = `${this.recordPrefix}told:${hashContent(content)}`;
    const alias = await this.store.record<string>('syncedFile', aliasId);
    if (alias !== undefined) {
      this.refuseFile(file, duplicateMessage(alias.body));
      return;
    }
    const input = { content, kind, tags, lane, whole: true, source: 'import', store: 'project' } as const;
    const [[outcome] = []] = await remember(this.ctx, [input], this.onWritten);
    if (outcome === undefined || outcome.outcome === 'refused') {
      this.refuseFile(file, outcome?.reason ?? 'It says nothing.');
      return;
    }
    const { confidence, created } = file.parsed;
    const memory = await this.store.write(this.ctx.host.client, async tx => {
      const stored = await tx.get(outcome.id);
      if (stored === undefined || outcome.outcome === 'reinforced') {
        await tx.putRecord('syncedFile', aliasId, outcome.id);
        return undefined;
      }
      const updated = {
        ...stored,
        confidence: confidence ?? stored.confidence,
        createdAt: created ?? stored.createdAt,
      };
      if (confidence !== undefined || created !== undefined) await tx.update(updated, 'import');
      return updated;
    });
    if (memory === undefined) {
      this.refuseFile(file, duplicateMessage(outcome.id));
      return;
    }
    this.memories.set(memory.id, memory);
    await this.writeFileAndState(memory, stateFor(memory.id), file);
    this.addStep({ what: 'added', name: file.name, id: memory.id });
  }

  /** Carries what the file says to the memory. */
  private async applyFileToMemory(
    memory: Memory,
    synced: SyncState,
    file: ParsedMirrorFile | undefined,
    fields: SyncedFields,
  ): Promise<void> {
    const name = file?.name ?? synced.name;
    const what =
      fields.archived === fieldsFromMemory(memory).archived ? 'changed' : fields.archived ? 'archived' : 'restored';
    const validation = validateText(fields.content, this.ctx.host.config().remember.maxCharacters);
    if (!validation.ok) {
      this.refuseFile({ name }, validation.reason);
      return;
    }
    if (findSecret(`${validation.text}\n${fields.tags.join('\n')}`) !== undefined) {
      this.refuseFile({ name }, 'It contains a secret, and secrets are not kept.');
      return;
    }
    const duplicate = (await this.findByContent(validation.text)).find(it => it.id !== memory.id);
    if (duplicate !== undefined) {
      this.refuseFile({ name }, duplicateMessage(duplicate.id));
      return;
    }
    if (this.isDryRun) {
      this.addStep({ what, name, id: memory.id });
      return;
    }
    const after = await applyToStore(this.ctx, this.store, {
      expected: memory,
      fields: { ...fields, content: validation.text },
    });
    if (after === undefined) {
      this.refuseFile({ name }, 'The memory has just changed. Sync again.');
      return;
    }
    this.onWritten(this.store, [memory.id]);
    this.memories.set(memory.id, after);
    if (file === undefined) await this.saveState(after, { ...synced, gone: true });
    else await this.writeFileAndState(after, synced, file);
    this.addStep({ what, name, id: memory.id });
  }

  /** Carries what the memory says to its file, or makes one. */
  private async writeMemoryToFile(
    memory: Memory,
    synced: SyncState | undefined,
    file: ParsedMirrorFile | undefined,
  ): Promise<void> {
    const { id } = memory;
    if (file === undefined || synced === undefined) {
      const name = chooseFileName(memory, this.takenNames);
      this.takenNames.add(name);
      if (this.isDryRun) {
        this.addStep({ what: 'written', name, id });
        return;
      }
      const { text, title, titled } = renderMirrorFile(memory, undefined);
      await replaceTextFile(await resolveInMirror(this.root, name), undefined, text);
      await this.saveState(memory, { name, fileId: id, title, titled, gone: false });
      this.addStep({ what: 'written', name, id });
      return;
    }
    const mustMove = isArchivedPath(file.name) !== (memory.status !== 'active');
    const name = mustMove ? chooseFileName(memory, this.takenNames) : file.name;
    if (mustMove) await this.moveFile(file, name, id);
    else this.addStep({ what: 'written', name, id });
    if (!this.isDryRun) await this.writeFileAndState(memory, synced, { ...file, name });
  }

  /** Both sides say the same: the file gets what else the memory has, and both are noted as synced. */
  private async writeFileAndState(memory: Memory, synced: SyncState, file: ParsedMirrorFile): Promise<void> {
    const { text, title, titled } = renderMirrorFile(memory, { text: file.text, synced });
    await replaceTextFile(await resolveInMirror(this.root, file.name), file.text, text);
    await this.saveState(memory, { ...synced, name: file.name, title, titled, gone: false });
  }

  private async moveFile(file: MirrorFile, name: string, id?: string): Promise<void> {
    const availableName = this.takenNames.has(name.toLowerCase())
      ? name.replace(/\.md$/iu, `-${this.takenNames.size}.md`)
      : name;
    this.takenNames.add(availableName.toLowerCase());
    if (!this.isDryRun) await moveMirrorFile(this.root, file.name, availableName);
    this.addStep({ what: 'moved', name: availableName, ...(id === undefined ? {} : { id }) });
  }

  /** Notes that both sides are as the memory is. */
  private async saveState(memory: Memory, stateFields: Omit<SyncState, 'memory' | 'print' | 'lane'>): Promise<void> {
    const synced: SyncState = {
      ...stateFields,
      memory: memory.id,
      print: fingerprintFields(fieldsFromMemory(memory)),
      lane: memory.lane,
    };
    this.states.set(synced.memory, synced);
    if (this.isDryRun) return;
    await this.store.write(this.ctx.host.client, tx =>
      tx.putRecord('syncedFile', this.recordPrefix + synced.memory, synced),
    );
  }

  private async deleteState({ memory }: SyncState): Promise<void> {
    this.states.delete(memory);
    await this.store.write(this.ctx.host.client, tx => tx.deleteRecord('syncedFile', this.recordPrefix + memory));
  }

  private findByContent(content: string): Promise<Memory[]> {
    return this.store.write(this.ctx.host.client, tx => tx.findByHash([hashContent(content)], ''));
  }

  private addStep(it: SyncStep): void {
    this.steps.push(it);
  }

  private refuseFile({ name }: { readonly name: string }, reason: string): void {
    this.refused.push({ name, reason });
  }

  private get isDryRun(): boolean {
    return this.input.dryRun === true;
  }
}

/** Code is in the files it comes from; what is isolated or sensitive stays in the store. */
function isSyncable({ scopeId, sensitive, kind }: Memory): boolean {
  return scopeId === undefined && !sensitive && kind !== 'code' && kind !== 'code-description';
}

function isParsed(file: MirrorFile): file is ParsedMirrorFile {
  return !('refused' in file.parsed);
}

function refusalReasonOf({ parsed }: MirrorFile): string {
  return 'refused' in parsed ? parsed.refused : '';
}

function duplicateMessage(id: string): string {
  return `The memory #${shortId({ id })} says the same already.`;
}

function toConflict(memory: Memory, synced: SyncState, file: MirrorFile | undefined): SyncConflict {
  const name = file?.name ?? synced.name;
  const text = file?.text ?? '';
  const memoryText = renderMirrorFile(memory, file && { text: file.text, synced }).text;
  const diff = createTwoFilesPatch(name, name, text, memoryText, 'file', `memory, ${memory.status}`, { context: 3 });
  return { name, id: memory.id, file: text, memory: memoryText, diff };
}

/** Where the mirror of a folder lies. @throws EngineError invalidInput */
export function resolveMirrorFolder(folder: string, mirror = path.join('.recollect', 'memory')): string {
  const root = path.resolve(folder, mirror);
  if (root !== path.resolve(folder)) return root;
  throw new EngineError('invalidInput', 'Name a folder of its own for the Markdown, not the project itself.');
}
