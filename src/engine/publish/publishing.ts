import { createHash } from 'node:crypto';
import { realpath, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { replaceTextFile } from '../base/atomicFile.js';
import { extractSection, removeSection, sectionStartMarker, upsertSection } from '../base/markedSection.js';
import type { CallTracker } from '../store/callTracker.js';
import { requireReachable, requireWorkspaceFolder, storeOfFolder, type Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import {
  projectTargets,
  publishedRecordId,
  type ProjectTarget,
  type PublishPreview,
  type PublishedRecord,
  type PublishInput,
  type PublishTarget,
  type SectionInsertion,
} from '../model/publishing.js';
import { findConflictingIds } from './conflictFilter.js';
import { buildIdentitySections } from './identityPage.js';
import { isAlreadySaid, readSaidRules } from './saidRules.js';
import { mayPublish, sortForPublishing } from './sortForPublishing.js';
import { selectForPublishing, renderUserSection, renderProjectSection, listAgreed } from './selectForPublishing.js';
import { findLink, isUnused, locateTarget, readTarget, targetFiles, type TargetPlace } from './targetFiles.js';

/** Remembered hashes per target, one for each checkout with an older section. */
const maxKnownSections = 100;

/** The lines of a section with its counts. */
interface RenderedSection {
  readonly lines: readonly string[];
  readonly memories: number;
  readonly contradicting: number;
  readonly alreadySaid: number;
}

/** Memories that may go into the section of a project, best first. */
interface PublishableMemories {
  readonly memories: readonly Memory[];
  readonly contradicting: number;
}

/** Publishes memories into the instructions files of assistants: preview, write, undo, withdraw. Part of the façade. */
export class Publishing {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Renders each target's file without writing it. Targets that share a file are rendered once. A section that Claude Code
   * would read twice, or that hides an AGENTS.md, is taken out.
   * @throws EngineError invalidInput (no such folder), unsupportedFile (damaged markers, no text file)
   */
  preview(input: PublishInput = {}): Promise<readonly PublishPreview[]> {
    return this.calls.run(async () => {
      const targets = [...new Set(input.targets ?? this.ctx.host.config().publish.targets)];
      const previews: PublishPreview[] = [];
      let publishable: PublishableMemories | undefined;
      for (const target of targets) {
        const folder = this.folderOf(target, input);
        const place = await locateTarget(target, folder, targets);
        if (previews.some(it => it.file === place.file)) continue;
        if (target !== 'user') publishable ??= await this.listPublishable(input);
        previews.push(
          await this.previewPlace({ target, folder, place, publishable, withNotes: input.withNotes === true }),
        );
        for (const file of place.replaced) previews.push(...(await this.previewWithdrawal(target, folder, file)));
      }
      return previews;
    });
  }

  /**
   * Renders the files as they are without what was published, without writing them: every file that may hold a section of
   * the project, or of the chosen targets. Files without a section are left out.
   * @throws EngineError as `preview` does
   */
  previewWithdrawals(input: Omit<PublishInput, 'withNotes'> = {}): Promise<readonly PublishPreview[]> {
    return this.calls.run(async () => {
      const previews: PublishPreview[] = [];
      for (const target of new Set(input.targets ?? projectTargets)) {
        const folder = this.folderOf(target, input);
        for (const it of targetFiles(target, folder)) {
          const found = await this.previewWithdrawal(target, folder, it);
          previews.push(...found.filter(({ file }) => previews.every(other => other.file !== file)));
        }
      }
      return previews;
    });
  }

  /**
   * Writes a preview that the person has accepted; an unchanged file is not written, and one that holds nothing else is
   * removed.
   * @throws EngineError unsupportedFile (changed since the preview, or read-only), with the file unchanged
   */
  write(preview: PublishPreview): Promise<void> {
    return this.calls.run(async () => {
      const { target, folder, file, before, after, memories } = preview;
      if (after === before || preview.diff === '') return;
      await replaceTextFile(file, before, after);
      if (after === undefined) await removeEmptyFolders(file, folder);
      const store = storeOfFolder(this.ctx, folder);
      if (store.readOnly) return;
      await store.write(this.ctx.host.client, async tx => {
        const record = (await tx.record<PublishedRecord>('state', publishedRecordId(target)))?.body;
        const updated = updateRecord(record, preview);
        if (updated === undefined) await tx.deleteRecord('state', publishedRecordId(target));
        else await tx.putRecord('state', publishedRecordId(target), updated);
        await tx.log('export', { target, memories });
      });
    });
  }

  /**
   * Updates a target's section without asking, where the person has published it from this store before. Creates no file
   * and no section, and leaves a section that was edited or comes from another store.
   * @returns whether the file has changed
   * @throws EngineError as `preview` and `write` do
   */
  async refresh(target: ProjectTarget, requestedFolder?: string): Promise<boolean> {
    const found = await this.calls.run(async () => {
      const folder = requireWorkspaceFolder(this.ctx, requestedFolder);
      const record = (await storeOfFolder(this.ctx, folder).record<PublishedRecord>('state', publishedRecordId(target)))
        ?.body;
      if (record === undefined) return undefined;
      const place = await locateTarget(target, folder, [target]);
      const section = hashSection(place.text ?? '', place.file);
      if (section === undefined || !record.sections.includes(section)) return undefined;
      const { withNotes } = record;
      const publishable = await this.listPublishable({ folder, withNotes });
      return this.previewPlace({ target, folder, place, publishable, withNotes });
    });
    if (found === undefined || found.diff === '') return false;
    await this.write(found);
    return true;
  }

  /** Restores the file as it was before `write`. @throws EngineError unsupportedFile where it was changed since */
  undo({ folder, file, before, after, diff }: PublishPreview): Promise<void> {
    return this.calls.run(async () => {
      if (diff === '') return;
      await replaceTextFile(file, after, before);
      if (before === undefined) await removeEmptyFolders(file, folder);
    });
  }

  private folderOf(target: PublishTarget, { folder }: PublishInput): string | undefined {
    return target === 'user' ? undefined : requireWorkspaceFolder(this.ctx, folder);
  }

  private async previewPlace({
    target,
    folder,
    place: { file, text, header, otherTexts },
    publishable,
    withNotes,
  }: {
    readonly target: PublishTarget;
    readonly folder: string | undefined;
    readonly place: TargetPlace;
    readonly publishable: PublishableMemories | undefined;
    readonly withNotes: boolean;
  }): Promise<PublishPreview> {
    const section =
      publishable === undefined || target === 'user'
        ? await this.renderUserSection(withNotes)
        : renderProject(publishable, [removeSection(text ?? '', file), ...otherTexts]);
    const { lines, ...counts } = section;
    const after = text === undefined && lines.length === 0 ? undefined : upsertSection(text ?? header, lines, file);
    const link = await findLink(target, folder, file);
    return {
      target,
      ...(folder === undefined ? {} : { folder }),
      file,
      ...(link === undefined ? {} : { link }),
      ...(text === undefined ? {} : { before: text }),
      ...(after === undefined ? {} : { after }),
      withNotes,
      diff: renderDiff(file, text, after),
      ...counts,
      withdraws: false,
    };
  }

  /** One preview, or none where the file has no section. */
  private async previewWithdrawal(
    target: PublishTarget,
    folder: string | undefined,
    namedFile: string,
  ): Promise<readonly PublishPreview[]> {
    const { file, text } = await readTarget(namedFile, folder);
    if (text === undefined || extractSection(text, file) === undefined) return [];
    const record = (await storeOfFolder(this.ctx, folder).record<PublishedRecord>('state', publishedRecordId(target)))
      ?.body;
    const insertion = record?.insertions?.[file];
    const rest = removeSection(text, file, insertion?.gap);
    const after = insertion?.created !== false && isUnused(rest) ? undefined : rest;
    return [
      {
        target,
        ...(folder === undefined ? {} : { folder }),
        file,
        before: text,
        ...(after === undefined ? {} : { after }),
        diff: renderDiff(file, text, after),
        withNotes: false,
        memories: 0,
        contradicting: 0,
        alreadySaid: 0,
        withdraws: true,
      },
    ];
  }

  private async renderUserSection(withNotes: boolean): Promise<RenderedSection> {
    const { parts, contradicting } = await buildIdentitySections(this.ctx, { scope: 'global-only', withNotes });
    const memories = parts.reduce((sum, it) => sum + it.items.length, 0);
    return { lines: renderUserSection(parts), memories, contradicting, alreadySaid: 0 };
  }

  private async listPublishable({ folder, withNotes = false }: PublishInput): Promise<PublishableMemories> {
    const store = storeOfFolder(this.ctx, requireWorkspaceFolder(this.ctx, folder));
    requireReachable(this.ctx, store);
    const candidates = (await listAgreed(store)).filter(it => this.isPublishable(it, withNotes));
    const contradicting = await findConflictingIds(store, candidates);
    return {
      memories: sortForPublishing(
        this.ctx,
        candidates.filter(it => !contradicting.has(it.id)),
      ),
      contradicting: contradicting.size,
    };
  }

  private isPublishable(memory: Memory, withNotes: boolean): boolean {
    const { expiresAt } = memory;
    if (!mayPublish(memory, withNotes)) return false;
    return expiresAt === undefined || Date.parse(expiresAt) > this.ctx.host.now().getTime();
  }
}

/** @param ownTexts what the assistant reads anyway: a memory that says the same is left out */
function renderProject({ memories, contradicting }: PublishableMemories, ownTexts: readonly string[]): RenderedSection {
  const said = readSaidRules(ownTexts);
  const unsaid = said.length === 0 ? memories : memories.filter(it => !isAlreadySaid(it.content, said));
  const selected = selectForPublishing(unsaid);
  return {
    lines: renderProjectSection(selected),
    memories: selected.length,
    contradicting,
    alreadySaid: memories.length - unsaid.length,
  };
}

function renderDiff(file: string, before: string | undefined, after: string | undefined): string {
  return before === after
    ? ''
    : createTwoFilesPatch(file, file, before ?? '', after ?? '', 'now', 'then', { context: 3 });
}

/** The record after a write; undefined where no section of the target is left. */
function updateRecord(
  record: PublishedRecord | undefined,
  { file, before, after, withNotes, withdraws }: PublishPreview,
): PublishedRecord | undefined {
  const { [file]: known, ...others } = record?.insertions ?? {};
  if (withdraws) {
    if (record === undefined || Object.keys(others).length === 0) return undefined;
    return { ...record, insertions: others };
  }
  const sections = [hashSection(after!, file)!, ...(record?.sections ?? [])].slice(0, maxKnownSections);
  const isNew = extractSection(before ?? '', file) === undefined;
  const insertion = isNew ? describeInsertion(before, after!) : known;
  return { sections, withNotes, insertions: insertion === undefined ? others : { ...others, [file]: insertion } };
}

function describeInsertion(before: string | undefined, after: string): SectionInsertion {
  return before === undefined
    ? { created: true, gap: '' }
    : { created: false, gap: after.slice(before.length, after.indexOf(sectionStartMarker, before.length)) };
}

/** Removes the folders between a removed file and its project that are empty now. */
async function removeEmptyFolders(file: string, folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  const root = await realpath(folder);
  let parent = path.dirname(file);
  // A folder with other files is no error: it stays.
  while (parent.startsWith(root + path.sep)) {
    try {
      await rmdir(parent);
    } catch {
      return;
    }
    parent = path.dirname(parent);
  }
}

/** SHA-256 of a text's section with LF line ends, since git may convert them; undefined without a section. */
function hashSection(text: string, file: string): string | undefined {
  const section = extractSection(text, file)?.replaceAll('\r\n', '\n');
  return section === undefined ? undefined : createHash('sha256').update(section).digest('hex');
}
