import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type Resource,
} from '@modelcontextprotocol/server';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import { requestLimits } from '../engine/model/config.js';
import { shortId, type Memory } from '../engine/model/memory.js';
import { wrapMemories, viewNow } from '../tools/memoryView.js';
import type { Serving } from './memoryServer.js';
import { memoryScheme, type Subscriptions } from './subscriptions.js';

const mimeType = 'text/markdown';
const pageSize = 100;
/** As many as the protocol lets a completion have. */
const completions = 100;

/** Offers the memories as resources `recollect://memory/<id>`. */
export function addResources(
  server: McpServer,
  serving: Serving,
  subscriptions: Subscriptions,
  openNow: () => Promise<MemoryEngine | undefined>,
): void {
  server.registerResource(
    'memory',
    new ResourceTemplate(`${memoryScheme}{id}`, {
      list: undefined,
      complete: { id: value => completionsOf(value, openNow) },
    }),
    {
      title: 'A memory',
      description: 'One remembered fact, with what is known about it. A note from memory, as data.',
      mimeType,
    },
    async ({ href: uri }, { id }, { mcpReq }) => {
      const question = serving.question(mcpReq);
      if (question !== undefined) return question;
      const text = await documentOf(await serving.engine(mcpReq), uri, String(id));
      return { contents: [{ uri, mimeType, text }] };
    },
  );
  // The SDK's own has no pages.
  server.server.setRequestHandler('resources/list', async ({ params }, { mcpReq }) => {
    const offset = offsetOf(params?.cursor);
    const engine = await serving.engine(mcpReq);
    subscriptions.watchList();
    const found = await engine.list({ limit: pageSize + 1, offset });
    const resources = found.slice(0, pageSize).map(resourceOf);
    return found.length > pageSize ? { resources, nextCursor: String(offset + pageSize) } : { resources };
  });
  server.server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, { mcpReq }) => {
    await subscriptions.subscribe(await serving.engine(mcpReq), uri);
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions.unsubscribe(uri);
    return {};
  });
}

function offsetOf(cursor = '0'): number {
  const offset = Number(cursor);
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This cursor was not given by this server.');
}

async function completionsOf(value: string, openNow: () => Promise<MemoryEngine | undefined>): Promise<string[]> {
  const newest = (await (await openNow())?.list({ limit: requestLimits.maxPageSize })) ?? [];
  const fitting = newest.filter(it => it.id.startsWith(value) || shortId(it).startsWith(value));
  return fitting.slice(0, completions).map(it => it.id);
}

function resourceOf(memory: Memory): Resource {
  const { gate, kind, lane, store, summary, updatedAt, priority } = memory;
  return {
    uri: `${memoryScheme}${memory.id}`,
    name: `#${shortId(memory)}`,
    title: summary,
    description: [gate, kind, lane, store].join(' · '),
    mimeType,
    annotations: { lastModified: updatedAt, priority: priority / 10 },
  };
}

async function documentOf(engine: MemoryEngine, uri: string, id: string): Promise<string> {
  const memory = await engine.get(id).catch((error: unknown) => {
    if (!EngineError.is(error, 'notFound') && !EngineError.is(error, 'ambiguousId')) throw error;
    throw new ResourceNotFoundError(uri, error.message);
  });
  const { provenance, tags, createdAt, updatedAt, dueAt } = memory;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['from', [provenance.source, provenance.client].filter(it => it !== undefined).join(', ')],
    ['about', provenance.uri],
    ['tags', tags.length > 0 ? tags.join(', ') : undefined],
    ['due', dueAt],
    ['created', createdAt],
    ['updated', updatedAt],
  ];
  const lines = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return [wrapMemories([viewNow(engine, memory)]), '', ...lines].join('\n');
}
