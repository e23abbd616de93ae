import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { EngineError } from '../base/errors.js';
import type { Calls } from '../calls.js';
import type { Context } from '../context.js';
import type { ImportInput, ImportReport } from '../model/importing.js';
import type { Memory } from '../model/memory.js';
import {
  publishedId,
  type ProjectTarget,
  type Publication,
  type Published,
  type PublishInput,
  type PublishTarget,
} from '../model/publishing.js';
import type { SyncInput, SyncReport } from '../model/sync.js';
import type { Store } from '../store/store.js';
import { disputed } from './disputed.js';
import { identityParts } from './identity.js';
import { importFrom } from './importing.js';
import { mirrorOf, MirrorSync } from './mirror.js';
import { ranked } from './ranked.js';
import { placeSection, sectionIn } from './section.js';
import { choose, personSection, projectSection, publishedKinds } from './selection.js';
import { readTextFile, replaceTextFile } from './textFile.js';

/** Sections of a target that are known for ours: as many as somebody has checkouts of. */
const sectionsKnown = 100;

/** What a file's section says, and how it came about. */
interface Section {
  readonly lines: readonly string[];
  readonly memories: number;
  readonly contradicting: number;
}

/** Memories in the files where assistants look: previewed, written after a yes, undone. Part of the façade. */
export class Publishing {
  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
  ) {}

  /**
   * What publishing would make of each target's file; writes nothing. Two targets that are one file, by a link, are one.
   * @throws EngineError invalidInput (no such folder), unsupportedFile (broken markers, a file that is no text)
   */
  preview(input: PublishInput = {}): Promise<readonly Publication[]> {
    return this.calls.run(async () => {
      const found: Publication[] = [];
      const sections = new Map<'user' | 'project', Section>();
      for (const target of new Set(input.targets ?? this.ctx.host.config().publish.targets)) {
        const sort = target === 'user' ? 'user' : 'project';
        const section = sections.get(sort) ?? (await this.section(sort, input));
        sections.set(sort, section);
        const folder = target === 'user' ? undefined : this.folder(input.folder);
        const { file, text } = await readTextFile(fileOf(target, folder));
        if (found.some(it => it.file === file)) continue;
        const before = text ?? '';
        const after = placeSection(before, section.lines, file);
        const { memories, contradicting } = section;
        found.push({
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
      return found;
    });
  }

  /**
   * Writes what was previewed, for a person who has agreed. A publication that changes nothing writes nothing.
   * @throws EngineError unsupportedFile (it has changed since, it is read-only): the file is as it was
   */
  write({ target, folder, file, before, after, memories, withNotes }: Publication): Promise<void> {
    return this.calls.run(async () => {
      if (after === (before ?? '')) return;
      await replaceTextFile(file, before, after);
      const store = this.store(folder);
      if (store.readOnly) return;
      await store.write(this.ctx.host.client, async tx => {
        const before = (await tx.record<Published>('state', publishedId(target)))?.body.sections ?? [];
        const sections = [hashOfSection(after, file)!, ...before].slice(0, sectionsKnown);
        await tx.putRecord('state', publishedId(target), { sections, withNotes } satisfies Published);
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
      const record = await this.store(this.folder(folder)).record<Published>('state', publishedId(target));
      const { file, text = '' } = await readTextFile(fileOf(target, this.folder(folder)));
      const section = hashOfSection(text, file);
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
  undo({ file, before, after }: Publication): Promise<void> {
    return this.calls.run(async () => {
      if (after !== (before ?? '')) await replaceTextFile(file, after, before);
    });
  }

  /**
   * Takes in what another memory, or our own export, holds: as notes unless a person vouches for it. Importing the same
   * twice changes nothing.
   * @throws EngineError invalidInput | unsupportedFile | aborted, and what writing a store throws; what was taken stays
   */
  importFrom(input: ImportInput): Promise<ImportReport> {
    return this.calls.change(changed => importFrom(this.ctx, input, changed));
  }

  /**
   * Carries changes between a project's memories and a folder of Markdown (lerim), both ways; what has changed on both
   * sides is a conflict, and neither side is touched before a person has decided.
   * @throws EngineError invalidInput | storeReadOnly | aborted, and what writing a store throws; what was done stays
   */
  sync(input: SyncInput = {}): Promise<SyncReport> {
    return this.calls.change(changed => {
      const folder = this.folder(input.folder);
      const root = mirrorOf(folder, input.mirror);
      return new MirrorSync(this.ctx, this.store(folder), root, input, changed).run();
    });
  }

  private async section(sort: 'user' | 'project', { folder, withNotes = false }: PublishInput): Promise<Section> {
    if (sort === 'user') {
      const { parts, contradicting } = await identityParts(this.ctx, { scope: 'global-only', withNotes });
      const memories = parts.reduce((sum, it) => sum + it.items.length, 0);
      return { lines: personSection(parts), memories, contradicting };
    }
    const store = this.store(this.folder(folder));
    const candidates = (await published(store)).filter(it => this.mayBePublished(it, withNotes));
    const contradicting = await disputed(store, candidates);
    const chosen = choose(
      ranked(
        this.ctx,
        candidates.filter(it => !contradicting.has(it.id)),
      ),
    );
    return { lines: projectSection(chosen), memories: chosen.length, contradicting: contradicting.size };
  }

  private mayBePublished({ sensitive, lane, expiresAt }: Memory, withNotes: boolean): boolean {
    if (sensitive || (lane === 'note' && !withNotes)) return false;
    return expiresAt === undefined || Date.parse(expiresAt) > this.ctx.host.now().getTime();
  }

  /** One of the host's folders; what is published into it is its project's alone. */
  private folder(wanted: string | undefined): string {
    const folders = this.ctx.host.workspaceFolders;
    const folder = wanted === undefined ? folders[0] : folders.find(it => it === wanted);
    if (folder !== undefined) return folder;
    throw new EngineError('invalidInput', 'There is no project to publish into. Open its folder first.');
  }

  private store(folder: string | undefined): Store {
    const { stores } = this.ctx;
    const found = stores.find(it => (folder === undefined ? it.store.kind === 'global' : it.folders.includes(folder)));
    return found!.store;
  }
}

/** Whatever the lines end with, which git may change; undefined where the text has no section. */
function hashOfSection(text: string, file: string): string | undefined {
  const section = sectionIn(text, file)?.replaceAll('\r\n', '\n');
  return section === undefined ? undefined : createHash('sha256').update(section).digest('hex');
}

async function published(store: Store): Promise<Memory[]> {
  const found: Memory[] = [];
  const filter = { kinds: publishedKinds, scopeId: '', statuses: ['active'] as const };
  for await (const page of store.all(filter)) found.push(...page);
  return found;
}

function fileOf(target: PublishTarget, folder: string | undefined): string {
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
