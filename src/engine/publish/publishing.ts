import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { EngineError } from '../base/errors.js';
import type { CallTracker } from '../callTracker.js';
import type { Context } from '../context.js';
import type { ImportInput, ImportReport } from '../model/importReport.js';
import type { Memory } from '../model/memory.js';
import {
  publishedRecordId,
  type ProjectTarget,
  type PublishPreview,
  type PublishedRecord,
  type PublishInput,
  type PublishTarget,
} from '../model/publishing.js';
import type { SyncInput, SyncReport } from '../model/sync.js';
import type { Store } from '../store/store.js';
import { findConflictingIds } from './conflictFilter.js';
import { buildIdentitySections } from './identityPage.js';
import { importMemories } from '../exchange/importer.js';
import { resolveMirrorFolder, SyncEngine } from '../sync/syncEngine.js';
import { sortForPublishing } from './sortForPublishing.js';
import { upsertSection, extractSection } from './markedSection.js';
import { selectForPublishing, renderUserSection, renderProjectSection, publishedKinds } from './selectForPublishing.js';
import { readTextFile, replaceTextFile } from '../base/atomicFile.js';

/** Sections of a target that are known for ours: as many as somebody has checkouts of. */
const maxKnownSections = 100;

/** What a file's section says, and how it came about. */
interface RenderedSection {
  readonly lines: readonly string[];
  readonly memories: number;
  readonly contradicting: number;
}

/** Memories in the files where assistants look: previewed, written after a yes, undone. Part of the façade. */
export class Publishing {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * What publishing would make of each target's file; writes nothing. Two targets that are one file, by a link, are one.
   * @throws EngineError invalidInput (no such folder), unsupportedFile (broken markers, a file that is no text)
   */
  preview(input: PublishInput = {}): Promise<readonly PublishPreview[]> {
    return this.calls.run(async () => {
      const previews: PublishPreview[] = [];
      const sections = new Map<'user' | 'project', RenderedSection>();
      for (const target of new Set(input.targets ?? this.ctx.host.config().publish.targets)) {
        const audience = target === 'user' ? 'user' : 'project';
        const section = sections.get(audience) ?? (await this.renderSection(audience, input));
        sections.set(audience, section);
        const folder = target === 'user' ? undefined : this.resolveFolder(input.folder);
        const { file, text } = await readTextFile(targetFile(target, folder));
        if (previews.some(it => it.file === file)) continue;
        const before = text ?? '';
        const after = upsertSection(before, section.lines, file);
        const { memories, contradicting } = section;
        previews.push({
          target,
          ...(folder === undefined ? {} : { folder }),
          file,
          ...(text === undefined ? {} : { before: text }),
          after,
          withNotes: input.withNotes === true,
          diff: after === before ? '' : createTwoFilesPatch(file, file, before, after, 'now', 'then', { context: 3 }),
          memories,
          contradicting,
        });
      }
      return previews;
    });
  }

  /**
   * Writes what was previewed, for a person who has agreed. A publication that changes nothing writes nothing.
   * @throws EngineError unsupportedFile (it has changed since, it is read-only): the file is as it was
   */
  write({ target, folder, file, before, after, memories, withNotes }: PublishPreview): Promise<void> {
    return this.calls.run(async () => {
      if (after === (before ?? '')) return;
      await replaceTextFile(file, before, after);
      const store = this.storeFor(folder);
      if (store.readOnly) return;
      await store.write(this.ctx.host.client, async tx => {
        const before = (await tx.record<PublishedRecord>('state', publishedRecordId(target)))?.body.sections ?? [];
        const sections = [hashSection(after, file)!, ...before].slice(0, maxKnownSections);
        await tx.putRecord('state', publishedRecordId(target), { sections, withNotes } satisfies PublishedRecord);
        await tx.log('export', { target, memories });
      });
    });
  }

  /**
   * Brings a target's section up to date where it is one that a person had written from this store; for who can ask
   * nobody. Makes no file and no section, and leaves one that was changed by hand or comes from another memory.
   * @returns whether the file has changed
   * @throws EngineError as `preview` and `write` do
   */
  async refresh(target: ProjectTarget, folder?: string): Promise<boolean> {
    const published = await this.calls.run(async () => {
      const record = await this.storeFor(this.resolveFolder(folder)).record<PublishedRecord>(
        'state',
        publishedRecordId(target),
      );
      const { file, text = '' } = await readTextFile(targetFile(target, this.resolveFolder(folder)));
      const section = hashSection(text, file);
      return section !== undefined && record?.body.sections.includes(section) === true ? record.body : undefined;
    });
    if (published === undefined) return false;
    const { withNotes } = published;
    const [found] = await this.preview({ targets: [target], ...(folder === undefined ? {} : { folder }), withNotes });
    if (found === undefined || found.diff === '') return false;
    await this.write(found);
    return true;
  }

  /** Makes the file what it was before. @throws EngineError unsupportedFile where somebody has changed it since */
  undo({ file, before, after }: PublishPreview): Promise<void> {
    return this.calls.run(async () => {
      if (after !== (before ?? '')) await replaceTextFile(file, after, before);
    });
  }

  /**
   * Takes in what another memory, or our own export, holds: as notes unless a person vouches for it. Importing the same
   * twice changes nothing.
   * @throws EngineError invalidInput | unsupportedFile | aborted, and what writing a store throws; what was taken stays
   */
  importMemories(input: ImportInput): Promise<ImportReport> {
    return this.calls.change(changed => importMemories(this.ctx, input, changed));
  }

  /**
   * Carries changes between a project's memories and a folder of Markdown (lerim), both ways; what has changed on both
   * sides is a conflict, and neither side is touched before a person has decided.
   * @throws EngineError invalidInput | storeReadOnly | aborted, and what writing a store throws; what was done stays
   */
  sync(input: SyncInput = {}): Promise<SyncReport> {
    return this.calls.change(changed => {
      const folder = this.resolveFolder(input.folder);
      const root = resolveMirrorFolder(folder, input.mirror);
      return new SyncEngine(this.ctx, this.storeFor(folder), root, input, changed).run();
    });
  }

  private async renderSection(
    audience: 'user' | 'project',
    { folder, withNotes = false }: PublishInput,
  ): Promise<RenderedSection> {
    if (audience === 'user') {
      const { parts, contradicting } = await buildIdentitySections(this.ctx, { scope: 'global-only', withNotes });
      const memories = parts.reduce((sum, it) => sum + it.items.length, 0);
      return { lines: renderUserSection(parts), memories, contradicting };
    }
    const store = this.storeFor(this.resolveFolder(folder));
    const candidates = (await listPublishable(store)).filter(it => this.isPublishable(it, withNotes));
    const contradicting = await findConflictingIds(store, candidates);
    const selected = selectForPublishing(
      sortForPublishing(
        this.ctx,
        candidates.filter(it => !contradicting.has(it.id)),
      ),
    );
    return { lines: renderProjectSection(selected), memories: selected.length, contradicting: contradicting.size };
  }

  private isPublishable({ sensitive, lane, expiresAt }: Memory, withNotes: boolean): boolean {
    if (sensitive || (lane === 'note' && !withNotes)) return false;
    return expiresAt === undefined || Date.parse(expiresAt) > this.ctx.host.now().getTime();
  }

  /** One of the host's folders; what is published into it is its project's alone. */
  private resolveFolder(requested: string | undefined): string {
    const folders = this.ctx.host.workspaceFolders;
    const folder = requested === undefined ? folders[0] : folders.find(it => it === requested);
    if (folder !== undefined) return folder;
    throw new EngineError('invalidInput', 'There is no project to publish into. Open its folder first.');
  }

  private storeFor(folder: string | undefined): Store {
    const { stores } = this.ctx;
    const found = stores.find(it => (folder === undefined ? it.store.kind === 'global' : it.folders.includes(folder)));
    return found!.store;
  }
}

/** Whatever the lines end with, which git may change; undefined where the text has no section. */
function hashSection(text: string, file: string): string | undefined {
  const section = extractSection(text, file)?.replaceAll('\r\n', '\n');
  return section === undefined ? undefined : createHash('sha256').update(section).digest('hex');
}

async function listPublishable(store: Store): Promise<Memory[]> {
  const found: Memory[] = [];
  const filter = { kinds: publishedKinds, scopeId: '', statuses: ['active'] as const };
  for await (const page of store.scanAll(filter)) found.push(...page);
  return found;
}

function targetFile(target: PublishTarget, folder: string | undefined): string {
  switch (target) {
    case 'claude':
      return path.join(folder!, 'CLAUDE.md');
    case 'agents':
      return path.join(folder!, 'AGENTS.md');
    case 'copilot':
      return path.join(folder!, '.github', 'copilot-instructions.md');
    case 'user':
      return path.join(process.env.CLAUDE_CONFIG_DIR ?? path.join(os.homedir(), '.claude'), 'CLAUDE.md');
  }
}
