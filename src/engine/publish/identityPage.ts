import { storesInScope, type Context } from '../context.js';
import type { Gate, Memory, StoreScope } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { findConflictingIds } from './conflictFilter.js';
import { formatListItem, sortForPublishing } from './sortForPublishing.js';

/** One page. */
export const maxIdentityLines = 60;

export interface IdentityOptions {
  readonly scope?: StoreScope;
  /** Memories at most; one page when left out. */
  readonly maxMemories?: number;
  /** What a model noted and nobody confirmed is left out unless this is set. */
  readonly withNotes?: boolean;
}

interface SectionRule {
  readonly heading: string;
  readonly matches: (memory: Memory) => boolean;
}

/** In this order; a memory goes to the first section that holds it. */
const sectionRules: readonly SectionRule[] = [
  { heading: 'How I work', matches: it => it.gate === 'behavioral' },
  { heading: 'Mistakes not to repeat', matches: it => it.gate === 'correction' },
  { heading: 'What always holds', matches: it => it.pinned || it.decayClass === 'permanent' },
];

/**
 * One page about the person (cmk), as Markdown: behavioral memories, corrections and what never fades, best publish rank
 * first, a line each. Nothing sensitive, nothing isolated by a scopeId, and nothing that contradicts another one of them
 * until a person has settled it. The same memories at the same time give the same
 * page.
 */
export async function renderIdentityPage(ctx: Context, options: IdentityOptions = {}): Promise<string> {
  const { parts: found } = await buildIdentitySections(ctx, options);
  const parts = found.map(it => `## ${it.heading}\n\n${it.items.map(item => `${item}\n`).join('')}`);
  const emptyText =
    'Nothing is remembered about how you work yet. Say "remember that I prefer…", or pin what matters.\n';
  return `# Identity\n\n${parts.length === 0 ? emptyText : parts.join('\n')}`;
}

/** A heading and items of a list, never none. */
interface IdentitySection {
  readonly heading: string;
  readonly items: readonly string[];
}

/** The same in its parts, and how many memories are left out because they contradict each other. */
export async function buildIdentitySections(
  ctx: Context,
  options: IdentityOptions = {},
): Promise<{ readonly parts: readonly IdentitySection[]; readonly contradicting: number }> {
  const { scope = 'project-then-global', maxMemories = maxIdentityLines, withNotes = false } = options;
  const memories: Memory[] = [];
  let contradicting = 0;
  for (const store of storesInScope(ctx, scope)) {
    const candidates = (await readIdentityMemories(store)).filter(
      it => !it.sensitive && (withNotes || it.lane === 'confirmed'),
    );
    const conflicting = await findConflictingIds(store, candidates);
    contradicting += conflicting.size;
    memories.push(...candidates.filter(it => !conflicting.has(it.id)));
  }
  const selected = sortForPublishing(ctx, memories).slice(0, maxMemories);
  const parts = sectionRules.flatMap(({ heading, matches }, i) => {
    const candidates = selected.filter(it => sectionRules.findIndex(other => other.matches(it)) === i && matches(it));
    return candidates.length === 0 ? [] : [{ heading, items: candidates.map(formatListItem) }];
  });
  return { parts, contradicting };
}

async function readIdentityMemories(store: Store): Promise<readonly Memory[]> {
  const gates: readonly Gate[] = ['behavioral', 'correction'];
  const found = new Map<string, Memory>();
  for (const filter of [{ gates }, { pinned: true }, { decayClasses: ['permanent'] as const }]) {
    for await (const page of store.scanAll({ ...filter, scopeId: '', statuses: ['active'] }))
      for (const it of page) found.set(it.id, it);
  }
  return [...found.values()];
}
