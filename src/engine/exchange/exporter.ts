import { storesInScope, type Context } from '../context.js';
import { gates, type Memory, type StoreScope } from '../model/memory.js';

export const exportFormats = ['jsonl', 'markdown'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Version of the JSON lines format, in its header line. Version 1 had no edges. */
export const exportVersion = 2;

/**
 * All memories of a scope's stores, including archived and isolated ones, as text in chunks. JSON lines are lossless: a
 * header line, then for each store one line per memory, with its search aids, and one per edge. Markdown is for people to
 * read. Each store's audit log records the export.
 */
export async function* exportMemories(ctx: Context, format: ExportFormat, scope: StoreScope): AsyncIterable<string> {
  const stores = storesInScope(ctx, scope);
  if (format === 'jsonl') {
    yield `${JSON.stringify({ recollect: 'export', version: exportVersion, at: ctx.host.now().toISOString() })}\n`;
  } else {
    yield '# Recollect memories\n';
  }
  for (const store of stores) {
    let count = 0;
    const groups = new Map<string, Memory[]>();
    for await (const page of store.scanAll()) {
      count += page.length;
      if (format === 'jsonl') {
        const aids = await store.aids(page.map(it => it.id));
        yield page.map(it => `${JSON.stringify({ ...it, aids: aids.get(it.id) })}\n`).join('');
      } else for (const it of page) groups.set(it.gate, [...(groups.get(it.gate) ?? []), it]);
    }
    if (format === 'jsonl') {
      for await (const page of store.scanAll()) {
        const ids = new Set(page.map(it => it.id));
        // Each edge is exported with the page of its source.
        const edges = (await store.edges([...ids])).filter(it => ids.has(it.source));
        if (edges.length > 0) yield edges.map(it => `${JSON.stringify({ edge: it })}\n`).join('');
      }
    }
    for (const gate of gates) {
      const memories = groups.get(gate);
      if (memories !== undefined) yield `\n## ${store.kind}: ${gate}\n\n${memories.map(formatMarkdownLine).join('')}`;
    }
    if (!store.readOnly) await store.write(ctx.host.client, tx => tx.log('export', { format, memories: count }));
  }
}

function formatMarkdownLine(memory: Memory): string {
  const labels = [
    memory.kind,
    memory.lane,
    memory.decayClass,
    `${Math.round(memory.confidence)}%`,
    ...(memory.pinned ? ['pinned'] : []),
    ...(memory.status === 'active' ? [] : [memory.status]),
    ...memory.tags.map(it => `#${it}`),
    memory.createdAt.slice(0, 10),
  ];
  return `- ${memory.content.replaceAll('\n', '\n  ')} *(${labels.join(', ')})*\n`;
}
