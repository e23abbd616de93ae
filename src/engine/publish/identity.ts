import { storesOf, type Context } from '../context.js';
import type { Gate, Memory, Scope } from '../model/memory.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { publishRank } from '../scoring/publishRank.js';
import { summarise } from '../text/normalise.js';

/** A line of a page that is read at a glance, in characters. */
const lineCharacters = 160;
/** One page. */
export const identityLines = 60;
const pageSize = 1_000;

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
  const { scope = 'project-then-global', lines = identityLines, withNotes = false } = options;
  const memories = (await read(ctx, scope)).filter(it => !it.sensitive && (withNotes || it.lane === 'confirmed'));
  const chosen = ranked(ctx, memories).slice(0, lines);
  const parts = sections.flatMap(({ heading, holds }, i) => {
    const its = chosen.filter(it => sections.findIndex(other => other.holds(it)) === i && holds(it));
    return its.length === 0 ? [] : [`## ${heading}\n\n${its.map(line).join('')}`];
  });
  const nothing = 'Nothing is remembered about how you work yet. Say "remember that I prefer…", or pin what matters.\n';
  return `# Identity\n\n${parts.length === 0 ? nothing : parts.join('\n')}`;
}

async function read(ctx: Context, scope: Scope): Promise<Memory[]> {
  const gates: readonly Gate[] = ['behavioral', 'correction'];
  const found = new Map<string, Memory>();
  for (const store of storesOf(ctx, scope)) {
    for (const filter of [{ gates }, { pinned: true }, { decayClasses: ['permanent'] as const }]) {
      for (let offset = 0; ; offset += pageSize) {
        const page = await store.list({ ...filter, scopeId: '', statuses: ['active'] }, { limit: pageSize, offset });
        for (const it of page) found.set(it.id, it);
        if (page.length < pageSize) break;
      }
    }
  }
  return [...found.values()];
}

function ranked(ctx: Context, memories: readonly Memory[]): Memory[] {
  const { decayProfile: profile } = ctx.host.config();
  const now = ctx.host.now();
  const maxAccessCount = memories.reduce((most, it) => Math.max(most, it.accessCount), 0);
  const ranks = new Map(
    memories.map(it => {
      const { centrality, priority, accessCount } = it;
      const effective = effectiveConfidence(it, { profile, centrality, now });
      const rank = publishRank({ effectiveConfidence: effective, priority, centrality, accessCount, maxAccessCount });
      return [it.id, rank];
    }),
  );
  return [...memories].sort((a, b) => ranks.get(b.id)! - ranks.get(a.id)! || (a.id < b.id ? -1 : 1));
}

/** A memory is data: what looks like Markdown or HTML in it stays text. */
function line({ content }: Memory): string {
  const text = summarise(content, lineCharacters).replaceAll(/[\\<>[\]*_`#|~]/gu, String.raw`\$&`);
  return `- ${text}\n`;
}
