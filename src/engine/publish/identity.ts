import { storesOf, type Context } from '../context.js';
import type { Gate, Memory, Scope } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { disputed } from './disputed.js';
import { listItem, ranked } from './ranked.js';

/** One page. */
export const identityLines = 60;

export interface IdentityOptions {
  readonly scope?: Scope;
  /** Memories at most; one page when left out. */
  readonly lines?: number;
  /** What a model noted and nobody confirmed is left out unless this is set. */
  readonly withNotes?: boolean;
}

interface Section {
  readonly heading: string;
  readonly holds: (memory: Memory) => boolean;
}

/** In this order; a memory goes to the first section that holds it. */
const sections: readonly Section[] = [
  { heading: 'How I work', holds: it => it.gate === 'behavioral' },
  { heading: 'Mistakes not to repeat', holds: it => it.gate === 'correction' },
  { heading: 'What always holds', holds: it => it.pinned || it.decayClass === 'permanent' },
];

/**
 * One page about the person (cmk), as Markdown: behavioral memories, corrections and what never fades, best publish rank
 * first, a line each. Nothing sensitive, nothing isolated by a scopeId, and nothing that contradicts another one of them
 * until a person has settled it. The same memories at the same time give the same
 * page.
 */
export async function identity(ctx: Context, options: IdentityOptions = {}): Promise<string> {
  const { parts: found } = await identityParts(ctx, options);
  const parts = found.map(it => `## ${it.heading}\n\n${it.items.map(item => `${item}\n`).join('')}`);
  const nothing = 'Nothing is remembered about how you work yet. Say "remember that I prefer…", or pin what matters.\n';
  return `# Identity\n\n${parts.length === 0 ? nothing : parts.join('\n')}`;
}

/** A heading and items of a list, never none. */
interface Part {
  readonly heading: string;
  readonly items: readonly string[];
}

/** The same in its parts, and how many memories are left out because they contradict each other. */
export async function identityParts(
  ctx: Context,
  options: IdentityOptions = {},
): Promise<{ readonly parts: readonly Part[]; readonly contradicting: number }> {
  const { scope = 'project-then-global', lines = identityLines, withNotes = false } = options;
  const memories: Memory[] = [];
  let contradicting = 0;
  for (const store of storesOf(ctx, scope)) {
    const its = (await read(store)).filter(it => !it.sensitive && (withNotes || it.lane === 'confirmed'));
    const left = await disputed(store, its);
    contradicting += left.size;
    memories.push(...its.filter(it => !left.has(it.id)));
  }
  const chosen = ranked(ctx, memories).slice(0, lines);
  const parts = sections.flatMap(({ heading, holds }, i) => {
    const its = chosen.filter(it => sections.findIndex(other => other.holds(it)) === i && holds(it));
    return its.length === 0 ? [] : [{ heading, items: its.map(listItem) }];
  });
  return { parts, contradicting };
}

async function read(store: Store): Promise<readonly Memory[]> {
  const gates: readonly Gate[] = ['behavioral', 'correction'];
  const found = new Map<string, Memory>();
  for (const filter of [{ gates }, { pinned: true }, { decayClasses: ['permanent'] as const }]) {
    for await (const page of store.all({ ...filter, scopeId: '', statuses: ['active'] }))
      for (const it of page) found.set(it.id, it);
  }
  return [...found.values()];
}
