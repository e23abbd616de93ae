import path from 'node:path';
import { replaceTextFile } from '../base/atomicFile.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { EngineError } from '../base/errors.js';
import { describeFileError, isFileError } from '../base/regularFile.js';
import type { Context } from '../context.js';
import { messageTemplates } from '../model/engineMessages.js';
import { shortId, type Lane, type Memory } from '../model/memory.js';
import type { SkippedFile, SyncConflict, SyncInput, SyncReport, SyncSide, SyncStep } from '../model/sync.js';
import { prepareText, type PreparedText } from '../remember/prepareFact.js';
import { remember } from '../remember/remember.js';
import { hasAids, type RefusedFact } from '../secrets/storableText.js';
import type { Store } from '../store/store.js';
import { applyToStore } from './applyToStore.js';
import { matchFiles } from './matchFiles.js';
import { mirrorRecordPrefix, type MirrorTarget } from './mirrorTarget.js';
import { isPersons, toConflict } from './syncConflict.js';
import {
  chooseFileName,
  findMissingReason,
  isArchivedPath,
  isParsed,
  listMirrorFiles,
  moveMirrorFile,
  resolveInMirror,
  refusalReasonOf,
  type MirrorFile,
  type ParsedMirrorFile,
} from './mirrorFiles.js';
import {
  dueAtOf,
  fieldsFromFile,
  fieldsFromMemory,
  keepPlan,
  fingerprintFields,
  mergeFileOverMemory,
  renderMirrorFile,
  type SyncedFields,
  type SyncedMemory,
  type SyncState,
  omitFileLane,
  stateOfNewFile,
} from './syncedFields.js';

type WriteListener = (store: Store, ids: readonly string[]) => void;

/**
 * One sync of a store with a folder of Markdown files. A change on one side since the last sync is carried to
 * the other; a change on both sides is a conflict, and neither is touched unless the person has decided. A sync may stop
 * at any point: the next one finds both sides equal for everything that is done.
 */
export class SyncEngine {
  private readonly steps: SyncStep[] = [];
  private readonly conflicts: SyncConflict[] = [];
  private readonly refused: SkippedFile[] = [];
  private held = 0;
  /** In lower case, for case-insensitive file systems. */
  private readonly takenNames = new Set<string>();
  private readonly memories = new Map<string, SyncedMemory>();
  private readonly states = new Map<string, SyncState>();
  /** States whose missing files are written again. */
  private readonly rewritten = new Set<SyncState>();
  private readonly recordPrefix: string;
  private readonly store: Store;
  private readonly root: string;
  private readonly lane: Lane;
  private readonly unaskedNames: Set<string>;

  constructor(
    private readonly ctx: Context,
    private readonly origin: MirrorTarget,
    private readonly input: SyncInput,
    private readonly onWritten: WriteListener,
  ) {
    ({ store: this.store, root: this.root } = origin);
    this.recordPrefix = mirrorRecordPrefix(this.root);
    this.lane = input.lane ?? 'note';
    this.unaskedNames = new Set(Object.keys(input.decisions ?? {}));
  }

  async run(): Promise<SyncReport> {
    const files = await listMirrorFiles(this.root);
    for (const it of files) this.takenNames.add(it.name.toLowerCase());
    for (const it of await this.store.records<SyncState>('syncedFile', Number.MAX_SAFE_INTEGER)) {
      if (it.id.startsWith(this.recordPrefix)) this.states.set(it.body.memory, it.body);
    }
    for await (const page of this.store.scanAll()) {
      const aids = await this.store.aids(page.map(it => it.id));
      for (const it of page) if (isSyncable(it)) this.memories.set(it.id, { ...it, aids: aids.get(it.id) });
    }
    const { pairs, unmatched } = matchFiles([...this.states.values()], files);
    const unsyncedMemories = [...this.memories.values()].filter(
      it => it.status === 'active' && !this.states.has(it.id),
    );
    const vanished = pairs.filter(({ state, file }) => file === undefined && this.isVanished(state));
    const why = vanished.length === 0 ? undefined : await findMissingReason(this.root, files.length);
    // The only file of a folder is deleted like any other one.
    const mustAsk = why !== undefined && (why !== 'empty' || vanished.length > 1);
    if (mustAsk && this.input.missing === undefined) {
      const missing = { why, memories: vanished.length };
      return { mirror: this.root, compared: pairs.length, steps: [], conflicts: [], refused: [], missing };
    }
    if (why !== undefined && this.input.missing === 'write') for (const it of vanished) this.rewritten.add(it.state);
    const total = pairs.length + unmatched.length + unsyncedMemories.length;
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
          // A problem with one file, or with a field of it, stops no other one.
          if (!isFileError(error) && !EngineError.is(error, 'invalidInput')) throw error;
          this.refused.push({ name: it.name, reason: describeFileError(path.join(this.root, it.name), error) });
        }
        this.input.onProgress?.({ done: ++done, total });
      }
    };
    await forEachItem(pairs, it => this.syncPair(it.state, it.file));
    await forEachItem(unmatched, it => this.importFile(it));
    await forEachItem(
      unsyncedMemories.map(memory => ({ name: memory.summary, memory })),
      async ({ memory }) => {
        // A new file may have matched this memory.
        if (!this.states.has(memory.id)) await this.writeMemoryToFile(memory, undefined, undefined);
      },
    );
    const { root: mirror, steps, conflicts, refused, held } = this;
    const undecided = [...this.unaskedNames].filter(name => refused.every(it => it.name !== name));
    const others = { ...(held === 0 ? {} : { held }), ...(undecided.length === 0 ? {} : { undecided }) };
    return { mirror, compared: total, steps, conflicts, refused, ...others };
  }

  /** Whether the file of an active memory was there at the last sync. */
  private isVanished(state: SyncState): boolean {
    return !state.gone && this.memories.get(state.memory)?.status === 'active';
  }

  /** Syncs a memory and a file that were synced before. */
  private async syncPair(state: SyncState, file: MirrorFile | undefined): Promise<void> {
    const memory = this.memories.get(state.memory);
    if (file !== undefined && !isParsed(file)) {
      this.refuseFile(file, refusalReasonOf(file));
      return;
    }
    if (memory === undefined) return this.archiveOrphanedFile(state, file);
    if (this.rewritten.has(state)) return this.writeMemoryToFile(memory, undefined, undefined);
    const fileFields = file && fieldsFromFile(file.name, file.parsed, { state, memory, lane: this.lane });
    const memoryFields = fieldsFromMemory(memory);
    const fileFingerprint = fileFields && fingerprintFields(fileFields);
    const memoryFingerprint = fingerprintFields(memoryFields);
    const fileChanged = fileFingerprint === undefined ? !state.gone : fileFingerprint !== state.print;
    const memoryChanged = memoryFingerprint !== state.print;
    // A deleted file and an archived memory are equal.
    const isEqual = fileFingerprint === memoryFingerprint || (file === undefined && memoryFields.archived);
    const name = file?.name ?? state.name;
    const side = isEqual ? undefined : this.chooseSide({ fileChanged, memoryChanged }, name);
    if (isEqual) {
      if (memoryChanged || fileChanged || file?.name !== state.name)
        await this.saveState(memory, { ...state, name, gone: file === undefined });
    } else if (side === 'conflict') {
      this.conflicts.push(toConflict(memory, state, file, this.origin));
    } else if (side === 'memory') {
      await this.writeMemoryToFile(memory, state, file);
    } else if (side === 'file') {
      const fields = fileFields ?? { ...memoryFields, archived: true };
      await this.applyFileToMemory(
        memory,
        state,
        file,
        memoryChanged ? mergeFileOverMemory(fields, memory, state) : fields,
      );
    }
  }

  private chooseSide(
    { fileChanged, memoryChanged }: { readonly fileChanged: boolean; readonly memoryChanged: boolean },
    name: string,
  ): SyncSide | 'conflict' | undefined {
    const decided = this.input.decisions?.[name];
    if (fileChanged) this.unaskedNames.delete(name);
    if (fileChanged && memoryChanged) return decided ?? 'conflict';
    // A file that proposes is written again where the memory holds.
    return fileChanged ? (decided ?? 'file') : memoryChanged ? 'memory' : undefined;
  }

  /** Archives the file of a permanently deleted memory; a file edited since then becomes a new memory. */
  private async archiveOrphanedFile(state: SyncState, file: ParsedMirrorFile | undefined): Promise<void> {
    if (!this.isDryRun) await this.deleteState(state);
    if (file === undefined || isArchivedPath(file.name)) return;
    const { lane = this.lane } = file.parsed;
    if (fingerprintFields(fieldsFromFile(file.name, file.parsed, { state, lane })) !== state.print)
      return this.importFile(file);
    await this.moveFile(file, `archived/${file.name}`);
  }

  private async importFile(file: MirrorFile): Promise<void> {
    // Archived files without a memory are not imported.
    if (isArchivedPath(file.name)) return;
    if (!isParsed(file)) {
      this.refuseFile(file, refusalReasonOf(file));
      return;
    }
    const fields = fieldsFromFile(file.name, file.parsed, { lane: this.lane });
    const prepared = this.prepare(fields);
    if ('refused' in prepared) {
      this.refuseFile(file, prepared.refused);
      return;
    }
    const { id = '' } = file.parsed;
    // A copy of a file gets an id of its own.
    const isTaken = this.memories.has(id) || [...this.states.values()].some(it => it.fileId === id);
    const stateFor = (memory: string): SyncState =>
      stateOfNewFile(file, { memory, content: prepared.content, isTaken });
    const byId = this.states.has(id) ? undefined : this.memories.get(id);
    if (byId !== undefined) return this.syncPair(stateFor(byId.id), file);
    const [duplicate] = await this.findByHash(prepared.contentHash);
    if (duplicate !== undefined) {
      const hasFile = this.states.get(duplicate.id)?.gone === false;
      if (hasFile || !this.memories.has(duplicate.id)) {
        this.refuseDuplicate(file, duplicate.id);
        return;
      }
      // The person wrote an archived memory again, or one that had no file yet.
      const known = this.memories.get(duplicate.id)!;
      const { content, tags, kind, lane, aids } = fieldsFromMemory(known);
      return this.applyFileToMemory(known, stateFor(known.id), file, {
        ...keepPlan(fields, known),
        content,
        tags: [...new Set([...tags, ...fields.tags])],
        kind,
        lane,
        aids: hasAids(fields.aids) ? fields.aids : aids,
      });
    }
    if (this.isDryRun) {
      this.addStep({ what: 'added', name: file.name });
      return;
    }
    await this.addMemory(file, { ...fields, ...prepared }, stateFor);
  }

  private async addMemory(
    file: ParsedMirrorFile,
    fields: SyncedFields & PreparedText,
    stateFor: (memory: string) => SyncState,
  ): Promise<void> {
    const { content, contentHash, kind, tags, lane, aids, priority, due } = fields;
    const plan = { priority, ...(due === undefined ? {} : { dueAt: dueAtOf(due) }) };
    // A text that merged into another memory would reinforce it at every sync without this record.
    const aliasId = `${this.recordPrefix}told:${contentHash}`;
    const alias = await this.store.record<string>('syncedFile', aliasId);
    if (alias !== undefined) {
      this.refuseDuplicate(file, alias.body);
      return;
    }
    const fact = { content, kind, tags, lane, aids, ...plan };
    const input = {
      ...fact,
      ...omitUndefined({ session: file.parsed.runId }),
      whole: true,
      source: 'import',
      store: this.store.kind,
    } as const;
    const [[outcome] = []] = await remember(this.ctx, [input], this.onWritten);
    if (outcome === undefined || outcome.outcome === 'refused') {
      this.refuseFile(file, outcome?.reason ?? messageTemplates.saysNothing);
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
        aids,
      };
      if (confidence !== undefined || created !== undefined) await tx.update(updated, 'import');
      return updated;
    });
    if (memory === undefined) {
      this.refuseDuplicate(file, outcome.id);
      return;
    }
    this.memories.set(memory.id, memory);
    await this.writeFileAndState(memory, stateFor(memory.id), file);
    this.addStep({ what: 'added', name: file.name, id: memory.id });
  }

  /** Carries the file's fields to the memory. */
  private async applyFileToMemory(
    memory: SyncedMemory,
    state: SyncState,
    file: ParsedMirrorFile | undefined,
    fields: SyncedFields,
  ): Promise<void> {
    const name = file?.name ?? state.name;
    const what =
      fields.archived === fieldsFromMemory(memory).archived ? 'changed' : fields.archived ? 'archived' : 'restored';
    if (what === 'archived' && this.input.isFollowing === true) {
      this.held++;
      return;
    }
    const prepared = this.prepare(fields);
    if ('refused' in prepared) {
      this.refuseFile({ name }, prepared.refused);
      return;
    }
    const duplicate = (await this.findByHash(prepared.contentHash)).find(it => it.id !== memory.id);
    if (duplicate !== undefined) {
      this.refuseDuplicate({ name }, duplicate.id);
      return;
    }
    const isDecided =
      this.input.decisions?.[name] === 'file' || (file === undefined && this.input.missing !== undefined);
    if (!isDecided && isPersons(memory, fields)) {
      this.conflicts.push({ ...toConflict(memory, state, file, this.origin), isProposal: true });
      return;
    }
    if (this.isDryRun) {
      this.addStep({ what, name, id: memory.id });
      return;
    }
    const after = await applyToStore(this.ctx, this.store, {
      expected: memory,
      fields: { ...fields, ...prepared },
    });
    if (after === undefined) {
      this.refuseFile({ name }, 'The memory has just changed. Sync again.');
      return;
    }
    this.onWritten(this.store, [memory.id]);
    this.memories.set(memory.id, after);
    if (file === undefined) await this.saveState(after, { ...state, gone: true });
    else await this.writeFileAndState(after, state, file);
    this.addStep({ what, name, id: memory.id });
  }

  /** Carries the memory's fields to its file, which is created if needed. */
  private async writeMemoryToFile(
    memory: SyncedMemory,
    state: SyncState | undefined,
    file: ParsedMirrorFile | undefined,
  ): Promise<void> {
    const { id } = memory;
    if (file === undefined || state === undefined) {
      const name = chooseFileName(memory, this.takenNames);
      this.takenNames.add(name);
      if (this.isDryRun) {
        this.addStep({ what: 'written', name, id });
        return;
      }
      const { text, title, titled } = renderMirrorFile(memory, undefined, this.origin);
      await replaceTextFile(await resolveInMirror(this.root, name), undefined, text);
      await this.saveState(memory, { name, fileId: id, title, titled, gone: false });
      this.addStep({ what: 'written', name, id });
      return;
    }
    const mustMove = isArchivedPath(file.name) !== (memory.status !== 'active');
    const name = mustMove ? chooseFileName(memory, this.takenNames) : file.name;
    if (mustMove) await this.moveFile(file, name, id);
    else this.addStep({ what: 'written', name, id });
    if (!this.isDryRun) await this.writeFileAndState(memory, state, { ...file, name });
  }

  /** Writes the memory's other fields, once both sides have the same content, and saves the state. */
  private async writeFileAndState(memory: SyncedMemory, state: SyncState, file: ParsedMirrorFile): Promise<void> {
    const existing = { text: file.text, state: { ...state, name: file.name } };
    const { text, title, titled } = renderMirrorFile(memory, existing, this.origin);
    await replaceTextFile(await resolveInMirror(this.root, file.name), file.text, text);
    const kept = text === file.text ? state : omitFileLane(state);
    await this.saveState(memory, { ...kept, name: file.name, title, titled, gone: false });
  }

  private async moveFile(file: MirrorFile, name: string, id?: string): Promise<void> {
    const availableName = this.takenNames.has(name.toLowerCase())
      ? name.replace(/\.md$/iu, `-${this.takenNames.size}.md`)
      : name;
    this.takenNames.add(availableName.toLowerCase());
    if (!this.isDryRun) await moveMirrorFile(this.root, file.name, availableName);
    this.addStep({ what: 'moved', name: availableName, ...(id === undefined ? {} : { id }) });
  }

  /** Saves that the file equals the memory. */
  private async saveState(
    memory: SyncedMemory,
    stateFields: Omit<SyncState, 'memory' | 'print' | 'lane'>,
  ): Promise<void> {
    const state: SyncState = {
      ...stateFields,
      memory: memory.id,
      print: fingerprintFields(fieldsFromMemory(memory)),
      lane: memory.lane,
    };
    this.states.set(state.memory, state);
    if (this.isDryRun) return;
    await this.store.write(this.ctx.host.client, tx =>
      tx.putRecord('syncedFile', this.recordPrefix + state.memory, state),
    );
  }

  private async deleteState({ memory }: SyncState): Promise<void> {
    this.states.delete(memory);
    await this.store.write(this.ctx.host.client, tx => tx.deleteRecord('syncedFile', this.recordPrefix + memory));
  }

  private prepare({ content, tags }: SyncedFields): PreparedText | RefusedFact {
    const { maxCharacters } = this.ctx.host.config().remember;
    return prepareText(content, { maxCharacters, alongside: tags });
  }

  private findByHash(contentHash: string): Promise<Memory[]> {
    return this.store.write(this.ctx.host.client, tx => tx.findByHash([contentHash], ''));
  }

  private addStep(it: SyncStep): void {
    this.steps.push(it);
  }

  private refuseFile({ name }: { readonly name: string }, reason: string): void {
    this.refused.push({ name, reason });
  }

  private refuseDuplicate({ name }: { readonly name: string }, id: string): void {
    const reason = `The memory #${shortId({ id })} says the same already.`;
    this.refused.push({ name, reason, isKnown: true });
  }

  private get isDryRun(): boolean {
    return this.input.dryRun === true;
  }
}

/** Code has source files already; isolated memories stay in the store. */
function isSyncable({ scopeId, kind }: Memory): boolean {
  return scopeId === undefined && kind !== 'code' && kind !== 'code-description';
}
