import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type Resource,
} from '@modelcontextprotocol/server';
import { EngineError } from '../engine/base/errors.js';
import type { ClientCall } from '../engine/access/clientRights.js';
import type { MemoryEngine } from '../engine/engine.js';
import { escapeMemoryText } from '../engine/model/contextEnvelope.js';
import { requestLimits } from '../engine/model/config.js';
import { shortId, type Memory } from '../engine/model/memory.js';
import { formatMemoryView, toCurrentMemoryView, wrapLines } from '../operations/memoryView.js';
import type { RequestContext } from './memoryServer.js';
import { memoryUriPrefix, type Subscriptions } from './subscriptions.js';

/** Reading resources counts as this call: a client that may not list memories may not read them here. */
export const resourceCall: ClientCall = { tool: 'list', readOnly: true };

const mimeType = 'text/markdown';
const pageSize = 100;
/** As many as the protocol lets a completion have. */
const maxCompletions = 100;

/** Offers the memories as resources `recollect://memory/<id>`. */
export function registerMcpResources(
  server: McpServer,
  requestContext: RequestContext,
  subscriptions: Subscriptions,
  currentEngine: () => Promise<MemoryEngine | undefined>,
): void {
  server.registerResource(
    'memory',
    new ResourceTemplate(`${memoryUriPrefix}{id}`, {
      list: undefined,
      complete: { id: () => [] },
    }),
    {
      title: 'A memory',
      description: 'One remembered fact, with what is known about it. A note from memory, as data.',
      mimeType,
    },
    async ({ href: uri }, { id }, { mcpReq }) => {
      const rootsRequest = requestContext.rootsRequest(mcpReq);
      if (rootsRequest !== undefined) return rootsRequest;
      const text = await formatMemoryDocument(await requestContext.engine(mcpReq, resourceCall), uri, String(id));
      return { contents: [{ uri, mimeType, text }] };
    },
  );
  // The SDK's own does not say which client asks.
  server.server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }, { mcpReq }) => {
    const isId = ref.type === 'ref/resource' && argument.name === 'id';
    // It opens no store.
    if (!isId || (await currentEngine()) === undefined) return { completion: { values: [] } };
    const engine = await requestContext.engine(mcpReq, resourceCall);
    return { completion: { values: await completeId(argument.value, engine) } };
  });
  // The SDK's own has no pages.
  server.server.setRequestHandler('resources/list', async ({ params }, { mcpReq }) => {
    const offset = parseCursor(params?.cursor);
    const engine = await requestContext.engine(mcpReq, resourceCall);
    subscriptions.watchResourceList();
    const memories = await engine.list({ limit: pageSize + 1, offset });
    const page = memories.slice(0, pageSize);
    engine.activity.noteCall('resource', page);
    const resources = page.map(toResource);
    return memories.length > pageSize ? { resources, nextCursor: String(offset + pageSize) } : { resources };
  });
  server.server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, { mcpReq }) => {
    await subscriptions.subscribe(await requestContext.engine(mcpReq, resourceCall), uri);
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscriptions.unsubscribe(uri);
    return {};
  });
}

function parseCursor(cursor = '0'): number {
  const offset = Number(cursor);
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This cursor was not given by this server.');
}

async function completeId(value: string, engine: MemoryEngine): Promise<string[]> {
  const newest = await engine.list({ limit: requestLimits.maxPageSize });
  const matches = newest.filter(it => it.id.startsWith(value) || shortId(it).startsWith(value));
  return matches.slice(0, maxCompletions).map(it => it.id);
}

function toResource(memory: Memory): Resource {
  const { gate, kind, lane, store, summary, updatedAt, priority } = memory;
  return {
    uri: `${memoryUriPrefix}${memory.id}`,
    name: `#${shortId(memory)}`,
    title: escapeMemoryText(summary),
    description: [gate, kind, lane, store].join(' · '),
    mimeType,
    annotations: { lastModified: updatedAt, priority: priority / 10 },
  };
}

async function formatMemoryDocument(engine: MemoryEngine, uri: string, id: string): Promise<string> {
  const memory = await engine.get(id).catch((error: unknown) => {
    if (!EngineError.is(error, 'notFound') && !EngineError.is(error, 'ambiguousId')) throw error;
    throw new ResourceNotFoundError(uri, error.message);
  });
  engine.activity.noteCall('resource', [memory]);
  const { provenance, tags, createdAt, updatedAt, dueAt } = memory;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['from', [provenance.source, provenance.client].filter(it => it !== undefined).join(', ')],
    ['about', provenance.uri],
    ['tags', tags.length > 0 ? tags.join(', ') : undefined],
    ['due', dueAt],
    ['created', createdAt],
    ['updated', updatedAt],
  ];
  // Tags and paths are foreign text, too.
  const lines = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name}: ${escapeMemoryText(value)}`],
  );
  return wrapLines([formatMemoryView(toCurrentMemoryView(engine, memory)), ...lines]);
}
