import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EngineError } from '../engine/base/errors.js';
import { openEngine } from '../engine/engine.js';
import { cleanClientName } from '../mcp/connectedClient.js';
import type { MemoryServerOptions } from '../mcp/memoryServer.js';
import { isFields, toolErrorMessage, type Fields } from '../operations/tool.js';
import { EnginePool } from './enginePool.js';
import { HttpError, toHttpError } from './httpError.js';
import { McpEndpoint } from './mcpEndpoint.js';
import { createOpenApiDocument } from './openApi.js';
import { parseJsonBody, readBody } from './requestBody.js';
import { RequestGuard } from './requestGuard.js';
import { findRoutes } from './routes.js';
import { callRoute } from './toolCall.js';
import { sendResponse, toWebRequest } from './webExchange.js';

export interface HttpServerOptions extends MemoryServerOptions {
  /** Token that every request must bring, except for the OpenAPI document. */
  readonly token: string;
  /** Whether clients may forget notes and run maintenance without a person's yes. */
  readonly ownerDecides?: boolean;
}

const loopback = '127.0.0.1';
/** Requests at once; more are asked to come again. */
const maxRequests = 64;
const maxConnections = 256;
/** Of a request line and its headers, before anything is known of the client. */
const headersTimeoutMs = 10_000;
/** Between requests: a client that reuses a connection must not find it closed in the same moment. */
const keepAliveTimeoutMs = 60_000;
/** How long the rest of a body that is refused is read, and not kept. */
const discardMs = 5_000;
/** Of a body of which nothing more comes. */
const slowBodyStatus = 408;
/** How long requests under way may take when the server ends. */
const drainTimeoutMs = 5_000;

const mcpPath = '/mcp';
const mcpMethods = ['GET', 'POST', 'DELETE'];
const openApiPath = '/openapi.json';

interface RouteRequest {
  readonly method: string;
  readonly path: string;
  readonly searchParams: URLSearchParams;
  readonly signal: AbortSignal;
}

/** The memory for other programs: HTTP on loopback, behind a token. */
export class MemoryHttpServer {
  private readonly server: Server;
  private readonly pool: EnginePool;
  private readonly mcp: McpEndpoint;
  private readonly openApi: Fields;
  private guard: RequestGuard | undefined;
  private isEnding = false;
  private readonly requests = new Set<Promise<void>>();
  private placesTaken = 0;

  constructor(private readonly options: HttpServerOptions) {
    const { host } = options;
    this.pool = new EnginePool(
      ({ client, folders, onlyStore, comparesMeaning }) =>
        openEngine(
          { ...host, workspaceFolders: folders, client, onlyStore, needsProject: true },
          { prewarm: true, comparesMeaning },
        ),
      host.log,
    );
    this.mcp = new McpEndpoint(options, this.pool);
    this.openApi = createOpenApiDocument(options.version);
    this.server = createServer(
      { headersTimeout: headersTimeoutMs, requestTimeout: 0, keepAliveTimeout: keepAliveTimeoutMs },
      (request, response) => {
        void this.handle(request, response);
      },
    );
    this.server.maxConnections = maxConnections;
  }

  /** @param port 0 = a free one @returns the port @throws EngineError invalidInput where it cannot be had */
  async listen(port: number): Promise<number> {
    this.server.listen({ host: loopback, port, exclusive: true });
    await once(this.server, 'listening').catch((error: unknown) => {
      throw portError(port, error as NodeJS.ErrnoException);
    });
    const { port: listening } = this.server.address() as AddressInfo;
    this.guard = new RequestGuard(listening, this.options.token);
    return listening;
  }

  /** Takes no more requests, answers those under way, and closes the stores. */
  async close(): Promise<void> {
    this.isEnding = true;
    this.server.close();
    await Promise.race([this.whenDone(), delay(drainTimeoutMs)]);
    await this.mcp.close();
    await this.pool.close();
    this.server.closeAllConnections();
  }

  private async whenDone(): Promise<void> {
    while (this.requests.size > 0) await Promise.all(this.requests);
  }

  /** Never rejects. */
  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const controller = new AbortController();
    response.once('close', () => {
      controller.abort();
    });
    const startedAt = performance.now();
    let path = '';
    const answer = async (): Promise<void> => {
      try {
        this.admit(request);
        path = parseUrl(request).pathname;
        await this.answer(request, response, controller.signal);
      } catch (error) {
        await this.sendError(request, response, error);
      }
    };
    const work = answer();
    this.requests.add(work);
    await work;
    this.requests.delete(work);
    const [found] = findRoutes(path);
    const name = found?.route.path ?? ([mcpPath, openApiPath].includes(path) ? path : 'another path');
    const ms = Math.round(performance.now() - startedAt);
    this.options.host.log.info(`${request.method} ${name}: ${response.statusCode}, ${ms} ms`);
  }

  /** @throws HttpError */
  private admit(request: IncomingMessage): void {
    this.guard!.checkSource(request);
    if (this.isEnding) throw new HttpError(503, 'closed', 'The server is ending. Start it again to go on.');
  }

  /**
   * Work within the limit of requests at once. Only a request with the token takes one of these places.
   * @throws HttpError 503 where all are taken
   */
  private async inPlace<T>(work: () => Promise<T>): Promise<T> {
    if (this.placesTaken >= maxRequests)
      throw new HttpError(503, 'busy', 'Too many requests at once. Send it again in a second.', {
        headers: { 'retry-after': '1' },
      });
    this.placesTaken++;
    try {
      return await work();
    } finally {
      this.placesTaken--;
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    // Node leaves the body of an answer to HEAD out.
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const { pathname: path, searchParams } = parseUrl(request);
    if (path === openApiPath && method === 'GET') {
      sendJson(response, 200, this.openApi);
      return;
    }
    this.guard!.checkToken(request);
    await this.inPlace(() =>
      path === mcpPath
        ? this.answerMcp(request, response, signal)
        : this.answerRoute(request, response, { method, path, searchParams, signal }),
    );
  }

  private async answerRoute(
    request: IncomingMessage,
    response: ServerResponse,
    { method, path, searchParams, signal }: RouteRequest,
  ): Promise<void> {
    const found = findRoutes(path);
    const methods = path === openApiPath ? ['GET'] : found.map(it => it.route.method);
    if (methods.length === 0) throw notFoundError();
    const match = found.find(it => it.route.method === method);
    if (match === undefined) throw methodError(methods);
    const { route, id } = match;
    const body = parseJsonBody(await readBody(request), request.headers['content-type']);
    const query = readQuery(searchParams);
    const fields = id === undefined ? query : { ...query, id };
    const isMerged = Object.keys(fields).length > 0 && (body === undefined || isFields(body));
    const input = isMerged ? { ...body, ...fields } : body;
    try {
      const client = clientName(request);
      const answered = await callRoute(
        {
          host: this.options.host,
          projects: this.options,
          pool: this.pool,
          ownerDecides: this.options.ownerDecides === true,
        },
        { route, input, client, signal },
      );
      sendJson(response, answered.status, answered.body);
    } catch (error) {
      const hint = 'Start the server with --verbose to see why.';
      throw this.toLoggedError(error, toolErrorMessage(error, route.tool, hint));
    }
  }

  private async answerMcp(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    if (!mcpMethods.includes(request.method ?? '')) throw methodError(mcpMethods);
    const bytes = await readBody(request);
    const answer = await this.mcp.handle(toWebRequest(request, bytes, signal), parseMessage(bytes));
    const sending = sendResponse(response, answer.response).finally(() => answer.end());
    // A stream is open for hours, and no request under way.
    if (answer.isStream) void sending;
    else await sending;
  }

  private toLoggedError(error: unknown, sentence: string): HttpError {
    if (!EngineError.is(error) && !(error instanceof HttpError))
      this.options.host.log.error('A request failed.', error);
    return toHttpError(error, sentence);
  }

  private async sendError(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
    const { status, body, extra } = this.toLoggedError(error, 'The request failed inside Recollect.');
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    // A client that still sends would see its connection break, and not the answer.
    if (!request.complete && status !== slowBodyStatus) await discardBody(request);
    if (!request.complete) response.setHeader('connection', 'close');
    for (const [name, value] of Object.entries(extra.headers ?? {})) response.setHeader(name, value);
    sendJson(response, status, body);
  }
}

/** Reads on for a while, to the end of the body at most. Never rejects. */
async function discardBody(request: IncomingMessage): Promise<void> {
  const ended = new Promise<void>(resolve => {
    for (const event of ['end', 'close', 'error']) request.once(event, resolve);
  });
  request.resume();
  await Promise.race([ended, delay(discardMs)]);
}

function sendJson(response: ServerResponse, status: number, body: Fields): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(JSON.stringify(body));
}

/** @throws HttpError 404 for what is no path of this server */
function parseUrl({ url = '' }: IncomingMessage): URL {
  const address = `http://${loopback}${url}`;
  if (!url.startsWith('/') || !URL.canParse(address)) throw notFoundError();
  const parsed = new URL(address);
  parsed.pathname = parsed.pathname.replace(/(?<=.)\/$/u, '');
  return parsed;
}

/** A name that is given more than once makes a list. */
function readQuery(params: URLSearchParams): Fields {
  return Object.fromEntries(
    [...new Set(params.keys())].map(name => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** As provenance has it. */
function clientName({ headers }: IncomingMessage): string {
  const name = cleanClientName(String(headers['recollect-client'] ?? ''));
  return name === '' ? 'http' : `http:${name}`;
}

function parseMessage(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function notFoundError(): HttpError {
  return new HttpError(404, 'notFound', `There is no such path. ${openApiPath} lists those that there are.`);
}

function methodError(methods: readonly string[]): HttpError {
  const allowed = methods.join(', ');
  return new HttpError(405, 'wrongMethod', `This path takes ${allowed} only.`, { headers: { allow: allowed } });
}

function portError(port: number, { code }: NodeJS.ErrnoException): EngineError {
  const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be had (${code})`;
  return new EngineError('invalidInput', `Port ${port} ${reason}. Name another one with --port, or leave it out.`);
}

const delay = (ms: number): Promise<void> => new Promise(resolve => void setTimeout(resolve, ms).unref());
