import { storesOf, type Context } from '../context.js';
import type { Gate, Memory, Scope } from '../model/memory.js';
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
 * first, a line each. Nothing sensitive, nothing isolated by a scopeId. The same memories at the same time give the same
 * page.
 */
export async function identity(ctx: Context, options: IdentityOptions = {}): Promise<string> {
  const parts = (await identityParts(ctx, options)).map(
    it => `## ${it.heading}\n\n${it.items.map(item => `${item}\n`).join('')}`,
  );
  const nothing = 'Nothing is remembered about how you work yet. Say "remember that I prefer…", or pin what matters.\n';
  return `# Identity\n\n${parts.length === 0 ? nothing : parts.join('\n')}`;
}

/** The same in its parts: a heading and items of a list each, none of them empty. */
export async function identityParts(
  ctx: Context,
  options: IdentityOptions = {},
): Promise<readonly { readonly heading: string; readonly items: readonly string[] }[]> {
  const { scope = 'project-then-global', lines = identityLines, withNotes = false } = options;
  const memories = (await read(ctx, scope)).filter(it => !it.sensitive && (withNotes || it.lane === 'confirmed'));
  const chosen = ranked(ctx, memories).slice(0, lines);
  return sections.flatMap(({ heading, holds }, i) => {
    const its = chosen.filter(it => sections.findIndex(other => other.holds(it)) === i && holds(it));
    return its.length === 0 ? [] : [{ heading, items: its.map(listItem) }];
  });
}

async function read(ctx: Context, scope: Scope): Promise<Memory[]> {
  const gates: readonly Gate[] = ['behavioral', 'correction'];
  const found = new Map<string, Memory>();
  for (const store of storesOf(ctx, scope)) {
    for (const filter of [{ gates }, { pinned: true }, { decayClasses: ['permanent'] as const }]) {
      for await (const page of store.all({ ...filter, scopeId: '', statuses: ['active'] }))
        for (const it of page) found.set(it.id, it);
    }
  }
  return [...found.values()];
}
