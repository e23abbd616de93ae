import { PassThrough, type Readable, type Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** What a client that has closed its end is still answered takes this long at most. */
const drainTimeoutMs = 2_500;

/**
 * The transport to one client: the SDK's, which drops the answers to requests under way as soon as stdin ends; here they
 * are written first (`printf … | recollect mcp`). It also knows which resources the client subscribed to the way of
 * 2026-07-28, which the SDK keeps to itself.
 */
export class ClientConnection implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;

  private readonly inbound = new PassThrough();
  private readonly transport: StdioServerTransport;
  private readonly pendingRequests = new Set<RequestId>();
  private readonly resourceListeners = new Map<RequestId, readonly string[]>();
  private resolveClosed: ((reason: string) => void) | undefined;
  private readonly closed = new Promise<string>(resolve => {
    this.resolveClosed = resolve;
  });
  private onIdle: (() => void) | undefined;

  constructor(
    private readonly stdin: Readable,
    stdout: Writable,
  ) {
    this.transport = new StdioServerTransport(this.inbound, stdout);
  }

  /** URIs of the resources that open `subscriptions/listen` requests name. */
  get listenedUris(): readonly string[] {
    return [...this.resourceListeners.values()].flat();
  }

  /**
   * Called when a client begins to listen to resources, with the envelope of its request, which is acknowledged when this
   * has resolved. Never rejects.
   */
  onListen: (envelope: object) => Promise<void> = () => Promise.resolve();

  /** Resolves with the reason when the connection has come to its end. */
  whenClosed(): Promise<string> {
    return this.closed;
  }

  async start(): Promise<void> {
    this.transport.onmessage = message => {
      this.trackMessage(message);
      if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') void this.addListener(message);
      else this.onmessage?.(withoutNullArguments(message));
    };
    this.transport.onerror = error => {
      this.onerror?.(error);
    };
    this.transport.onclose = () => {
      this.resolveClosed?.('the client closed the connection');
      this.onclose?.();
    };
    await this.transport.start();
    this.stdin.on('data', (chunk: Buffer) => this.inbound.write(chunk));
    const onInputEnd = (): void => void this.drainAndClose();
    for (const event of ['end', 'close', 'error']) this.stdin.once(event, onInputEnd);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.transport.send(message);
    } finally {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.markAnswered(message.id);
    }
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  /** The client will send no more: what it has asked is answered, then the connection ends. */
  private async drainAndClose(): Promise<void> {
    // What was read from stdin last is still on its way to the requests.
    do await new Promise(resolve => setImmediate(resolve));
    while (this.inbound.readableLength > 0);
    if (this.pendingRequests.size > 0) {
      await new Promise<void>(resolve => {
        this.onIdle = resolve;
        setTimeout(resolve, drainTimeoutMs).unref();
      });
    }
    this.inbound.end();
    await this.transport.close();
  }

  private trackMessage(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      // An open subscription is answered when it ends.
      if (message.method !== 'subscriptions/listen') this.pendingRequests.add(message.id);
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as RequestId | undefined;
      this.resourceListeners.delete(id ?? '');
      this.markAnswered(id);
    }
  }

  private async addListener(message: JSONRPCRequest): Promise<void> {
    const notifications = message.params?.notifications as { readonly resourceSubscriptions?: unknown } | undefined;
    const uris = notifications?.resourceSubscriptions;
    this.resourceListeners.set(message.id, Array.isArray(uris) ? uris.filter(it => typeof it === 'string') : []);
    await this.onListen(message.params?._meta ?? {});
    // Cancelled meanwhile, it needs no answer.
    if (this.resourceListeners.has(message.id)) this.onmessage?.(message);
  }

  private markAnswered(id: RequestId | undefined): void {
    if (id !== undefined) this.pendingRequests.delete(id);
    if (this.pendingRequests.size === 0) this.onIdle?.();
  }
}

/** Some clients send `null` for the arguments of a call without any, which the protocol's schema refuses. */
function withoutNullArguments(message: JSONRPCMessage): JSONRPCMessage {
  if (!isJSONRPCRequest(message) || message.params?.arguments !== null) return message;
  const { arguments: absent, ...params } = message.params;
  return { ...message, params };
}
