import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { readTextFile, replaceTextFile } from '../base/atomicFile.js';
import { extractSection, upsertSection } from '../base/markedSection.js';
import type { CallTracker } from '../callTracker.js';
import { requireWorkspaceFolder, storeOfFolder, type Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import {
  publishedRecordId,
  type ProjectTarget,
  type PublishPreview,
  type PublishedRecord,
  type PublishInput,
  type PublishTarget,
} from '../model/publishing.js';
import type { Store } from '../store/store.js';
import { findConflictingIds } from './conflictFilter.js';
import { buildIdentitySections } from './identityPage.js';
import { sortForPublishing } from './sortForPublishing.js';
import { selectForPublishing, renderUserSection, renderProjectSection, publishedKinds } from './selectForPublishing.js';

/** Remembered hashes per target, one for each checkout with an older section. */
const maxKnownSections = 100;

/** The lines of a section with its counts. */
interface RenderedSection {
  readonly lines: readonly string[];
  readonly memories: number;
  readonly contradicting: number;
}

/** Publishes memories into the instructions files of assistants: preview, write, undo. Part of the façade. */
export class Publishing {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Renders each target's file without writing it. Targets that are links to the same file are rendered once.
   * @throws EngineError invalidInput (no such folder), unsupportedFile (damaged markers, no text file)
   */
  preview(input: PublishInput = {}): Promise<readonly PublishPreview[]> {
    return this.calls.run(async () => {
      const previews: PublishPreview[] = [];
      const sections = new Map<'user' | 'project', RenderedSection>();
      for (const target of new Set(input.targets ?? this.ctx.host.config().publish.targets)) {
        const audience = target === 'user' ? 'user' : 'project';
        const section = sections.get(audience) ?? (await this.renderSection(audience, input));
        sections.set(audience, section);
        const folder = target === 'user' ? undefined : requireWorkspaceFolder(this.ctx, input.folder);
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
   * Writes a preview that the person has accepted; an unchanged file is not written.
   * @throws EngineError unsupportedFile (changed since the preview, or read-only), with the file unchanged
   */
  write({ target, folder, file, before, after, memories, withNotes }: PublishPreview): Promise<void> {
    return this.calls.run(async () => {
      if (after === (before ?? '')) return;
      await replaceTextFile(file, before, after);
      const store = storeOfFolder(this.ctx, folder);
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
   * Updates a target's section without asking, where the person has published it from this store before. Creates no file
   * and no section, and leaves a section that was edited or comes from another store.
   * @returns whether the file has changed
   * @throws EngineError as `preview` and `write` do
   */
  async refresh(target: ProjectTarget, folder?: string): Promise<boolean> {
    const published = await this.calls.run(async () => {
      const record = await storeOfFolder(this.ctx, requireWorkspaceFolder(this.ctx, folder)).record<PublishedRecord>(
        'state',
        publishedRecordId(target),
      );
      const { file, text = '' } = await readTextFile(targetFile(target, requireWorkspaceFolder(this.ctx, folder)));
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

  /** Restores the file as it was before `write`. @throws EngineError unsupportedFile where it was changed since */
  undo({ file, before, after }: PublishPreview): Promise<void> {
    return this.calls.run(async () => {
      if (after !== (before ?? '')) await replaceTextFile(file, after, before);
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
    const store = storeOfFolder(this.ctx, requireWorkspaceFolder(this.ctx, folder));
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
}

/** SHA-256 of a text's section with LF line ends, since git may convert them; undefined without a section. */
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
