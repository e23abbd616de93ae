import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server';
import { findMessageError, requestId, withKnownKeys, withoutNullArguments } from '../mcp/clientConnection.js';
import { MemoryServer, type MemoryServerOptions, type ServerConnection } from '../mcp/memoryServer.js';
import type { EnginePool } from './enginePool.js';
import { HttpError } from './httpError.js';

/** Of the revisions of 2025, each with a client of its own. */
const maxSessions = 32;
/** A client that is gone may not have said so. */
const sessionIdleMs = 30 * 60_000;
const sweepIntervalMs = 60_000;

const sessionNotFound = -32_001;

/** A message as far as it matters here. */
interface McpMessage {
  readonly method?: unknown;
  readonly params?: {
    readonly _meta?: object;
    readonly notifications?: { readonly resourceSubscriptions?: unknown };
  };
}

interface McpSession {
  readonly server: MemoryServer;
  readonly connection: ServerConnection;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Of `performance.now()`. */
  usedAt: number;
  openResponses: number;
}

/** An answer, and the work to do when it has been sent or its client is gone. */
export interface McpAnswer {
  readonly response: Response;
  readonly end: () => Promise<void>;
  /** Whether it stays open until one of the two ends it. */
  readonly isStream: boolean;
}

/**
 * MCP's Streamable HTTP over the server of `recollect mcp`. In the revisions of 2025 a client has a session, with a server of
 * its own; in that of 2026-07-28 each request stands alone, and so does its server.
 */
export class McpEndpoint {
  private readonly sessions = new Map<string, McpSession>();
  /** Ends what is open. */
  private readonly closers = new Set<() => Promise<void>>();
  private readonly sweep = setInterval(() => void this.closeIdleSessions(), sweepIntervalMs).unref();

  constructor(
    private readonly options: MemoryServerOptions,
    private readonly pool: EnginePool,
  ) {}

  /** @param body undefined where the request has none or it is no JSON, which the SDK answers @throws HttpError */
  async handle(request: Request, body: unknown): Promise<McpAnswer> {
    const given = request.headers.get('accept');
    const answer = await this.handleAccepting(acceptBoth(request), body);
    const wantsJson =
      request.method === 'POST' && given !== null && !/text\/event-stream|text\/\*|\*\/\*/iu.test(given);
    return wantsJson ? { ...answer, response: await toJsonResponse(answer.response) } : answer;
  }

  private async handleAccepting(request: Request, body: unknown): Promise<McpAnswer> {
    const error = isMessage(body) ? findMessageError(body) : undefined;
    if (error !== undefined)
      return answerOnce(Response.json({ jsonrpc: '2.0', id: requestId(body), error }, { status: 400 }));
    const parsedBody = toServedBody(body);
    const message = isMessage(body) ? body : {};
    return (await isLegacyRequest(request, parsedBody))
      ? this.handleSession(request, parsedBody, message)
      : this.handleAlone(request, parsedBody, message);
  }

  /** Ends sessions and streams; requests under way have been answered before. */
  async close(): Promise<void> {
    clearInterval(this.sweep);
    await Promise.all([...this.closers].map(close => close()));
  }

  private async handleSession(request: Request, parsedBody: unknown, message: McpMessage): Promise<McpAnswer> {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : this.sessions.get(id);
    if (id !== null && known === undefined) return answerOnce(sessionNotFoundResponse());
    const session = known ?? (await this.createSession());
    if (message.method === 'tools/list') session.connection.onToolsList({});
    session.openResponses++;
    session.usedAt = performance.now();
    const response = await session.transport.handleRequest(request, parsedBody === undefined ? {} : { parsedBody });
    return {
      response,
      isStream: request.method === 'GET' && response.ok,
      end: async () => {
        session.openResponses--;
        session.usedAt = performance.now();
        // No session came of it: the first message was not `initialize`.
        if (session.transport.sessionId === undefined) await session.transport.close();
      },
    };
  }

  private async createSession(): Promise<McpSession> {
    if (this.sessions.size >= maxSessions) await this.closeLongestIdle();
    const connection: ServerConnection = { listenedUris: [], onListen: () => Promise.resolve(), onToolsList: ignore };
    const server = this.createServer(connection);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => {
        this.sessions.set(id, session);
      },
    });
    const session: McpSession = { server, connection, transport, usedAt: performance.now(), openResponses: 0 };
    await server.createServer('legacy').connect(transport);
    const close = async (): Promise<void> => {
      this.closers.delete(close);
      await transport.close();
    };
    this.closers.add(close);
    // Whatever ended it: the client's DELETE, time, or the end of this server.
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      this.closers.delete(close);
      if (transport.sessionId !== undefined) this.sessions.delete(transport.sessionId);
      void server.close();
    };
    return session;
  }

  private async handleAlone(request: Request, parsedBody: unknown, message: McpMessage): Promise<McpAnswer> {
    const isListening = message.method === 'subscriptions/listen';
    const connection: ServerConnection = {
      listenedUris: isListening ? listenedUris(message) : [],
      onListen: () => Promise.resolve(),
      onToolsList: ignore,
      notifier: {
        resourceUpdated: uri => {
          handler.notify.resourceUpdated(uri);
          return Promise.resolve();
        },
        resourcesChanged: () => {
          handler.notify.resourcesChanged();
          return Promise.resolve();
        },
      },
    };
    const server = this.createServer(connection);
    const handler = createMcpHandler(() => server.createServer('modern'), {
      legacy: 'reject',
      onerror: error => {
        this.options.host.log.warn(`A message could not be handled: ${error.name}.`);
      },
    });
    const end = async (): Promise<void> => {
      this.closers.delete(end);
      await handler.close();
      await server.close();
    };
    this.closers.add(end);
    try {
      const envelope = message.params?._meta ?? {};
      if (message.method === 'tools/list') connection.onToolsList(envelope);
      if (isListening) {
        // It is made here, for the watch to speak through it.
        server.createServer('modern');
        await connection.onListen(envelope);
      }
      const response = await handler.fetch(request, parsedBody === undefined ? {} : { parsedBody });
      return { response, end, isStream: isListening };
    } catch (error) {
      await end();
      throw error;
    }
  }

  private createServer(connection: ServerConnection): MemoryServer {
    return new MemoryServer(this.options, connection, onDidChange => this.pool.createSource(onDidChange));
  }

  private async closeIdleSessions(): Promise<void> {
    const since = performance.now() - sessionIdleMs;
    const idle = [...this.sessions.values()].filter(it => it.openResponses === 0 && it.usedAt < since);
    await Promise.all(idle.map(it => it.transport.close()));
  }

  /** @throws HttpError 503 where every session is in use */
  private async closeLongestIdle(): Promise<void> {
    const [longest] = [...this.sessions.values()]
      .filter(it => it.openResponses === 0)
      .sort((a, b) => a.usedAt - b.usedAt);
    if (longest === undefined)
      throw new HttpError(503, 'busy', `${maxSessions} MCP clients are connected. Close one of them first.`);
    await longest.transport.close();
  }
}

const ignore = (): void => undefined;

/**
 * A request that names both forms of an answer, as the protocol wants of clients, where it accepts either: several send one of
 * them, any, or none.
 */
function acceptBoth(request: Request): Request {
  const accept = request.headers.get('accept');
  const isSatisfiable = accept === null || /application\/(?:json|\*)|text\/(?:event-stream|\*)|\*\/\*/iu.test(accept);
  if (isSatisfiable) request.headers.set('accept', 'application/json, text/event-stream');
  return request;
}

/** The answer of a stream of events as JSON, for a client that reads no events. Anything else stays. */
async function toJsonResponse(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  const events = (await response.text()).split('\n').filter(it => it.startsWith('data:'));
  const messages = events.map(it => it.slice('data:'.length).trim()).filter(it => it !== '');
  // Messages before the last one are notifications, which this client asked not to get.
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return new Response(messages.at(-1) ?? null, { status: response.status, headers });
}

function isMessage(body: unknown): body is McpMessage {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

/** Without what the SDK would refuse the whole body for: unknown keys, and what in a batch can have no answer. */
function toServedBody(body: unknown): unknown {
  if (isMessage(body)) return withoutNullArguments(withKnownKeys(body) as JSONRPCMessage);
  if (!Array.isArray(body)) return body;
  const served = body.filter(it => findMessageError(it) === undefined || requestId(it) !== null);
  return served.length === 0 ? body : served.map(toServedBody);
}

function listenedUris({ params }: McpMessage): readonly string[] {
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter(it => typeof it === 'string') : [];
}

function answerOnce(response: Response): McpAnswer {
  return { response, end: () => Promise.resolve(), isStream: false };
}

/** As the protocol has it, so that a client begins another session. */
function sessionNotFoundResponse(): Response {
  const error = { code: sessionNotFound, message: 'This session has ended. Begin another one with initialize.' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
