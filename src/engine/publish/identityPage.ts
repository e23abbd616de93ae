import { storesInScope, type Context } from '../context.js';
import type { Gate, Memory, StoreScope } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { findConflictingIds } from './conflictFilter.js';
import { formatListItem, mayPublish, sortForPublishing } from './sortForPublishing.js';

/** One page. */
const maxIdentityLines = 60;
/** In characters. */
const maxLineLength = 160;

export interface IdentityOptions {
  readonly scope?: StoreScope;
  /** Includes unconfirmed notes. */
  readonly withNotes?: boolean;
}

interface SectionRule {
  readonly heading: string;
  readonly matches: (memory: Memory) => boolean;
}

/** In the order of the page; the first matching section takes a memory. */
const sectionRules: readonly SectionRule[] = [
  { heading: 'How I work', matches: it => it.gate === 'behavioral' },
  { heading: 'Mistakes not to repeat', matches: it => it.gate === 'correction' },
  { heading: 'What always holds', matches: it => it.pinned || it.decayClass === 'permanent' },
];

/**
 * One page about the person (cmk) as Markdown: a line for each behavioral memory, correction and permanent memory, in the order
 * of a briefing. Isolated memories and open contradictions are left out. Deterministic for the same
 * memories and time.
 */
export async function renderIdentityPage(ctx: Context, options: IdentityOptions = {}): Promise<string> {
  const { parts } = await buildIdentitySections(ctx, options);
  const sections = parts.map(it => `## ${it.heading}\n\n${it.items.map(item => `${item}\n`).join('')}`);
  const emptyText =
    'Nothing is remembered about how you work yet. Say "remember that I prefer…", or pin what matters.\n';
  return `# Identity\n\n${sections.length === 0 ? emptyText : sections.join('\n')}`;
}

/** A heading with at least one list item. */
interface IdentitySection {
  readonly heading: string;
  readonly items: readonly string[];
}

/** The sections of the page, and the number of memories left out because they contradict each other. */
export async function buildIdentitySections(
  ctx: Context,
  options: IdentityOptions = {},
): Promise<{ readonly parts: readonly IdentitySection[]; readonly contradicting: number }> {
  const { scope = 'project-then-global', withNotes = false } = options;
  const memories: Memory[] = [];
  let contradicting = 0;
  for (const store of storesInScope(ctx, scope)) {
    const candidates = (await readIdentityMemories(store)).filter(it => mayPublish(it, withNotes));
    const conflicting = await findConflictingIds(store, candidates);
    contradicting += conflicting.size;
    memories.push(...candidates.filter(it => !conflicting.has(it.id)));
  }
  const selected = sortForPublishing(ctx, memories).slice(0, maxIdentityLines);
  const parts = sectionRules.flatMap(({ heading, matches }, i) => {
    const candidates = selected.filter(it => sectionRules.findIndex(other => other.matches(it)) === i && matches(it));
    return candidates.length === 0
      ? []
      : [{ heading, items: candidates.map(it => formatListItem(it, { maxLineLength })) }];
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
