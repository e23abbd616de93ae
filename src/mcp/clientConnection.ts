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
const answerWithinMs = 2_500;

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
  private readonly inner: StdioServerTransport;
  private readonly unanswered = new Set<RequestId>();
  private readonly listening = new Map<RequestId, readonly string[]>();
  private over: ((reason: string) => void) | undefined;
  private readonly ended = new Promise<string>(resolve => {
    this.over = resolve;
  });
  private onIdle: (() => void) | undefined;

  constructor(
    private readonly stdin: Readable,
    stdout: Writable,
  ) {
    this.inner = new StdioServerTransport(this.inbound, stdout);
  }

  /** URIs of the resources that open `subscriptions/listen` requests name. */
  get listenedTo(): readonly string[] {
    return [...this.listening.values()].flat();
  }

  /**
   * Called when a client begins to listen to resources, with the envelope of its request, which is acknowledged when this
   * has resolved. Never rejects.
   */
  onListen: (envelope: object) => Promise<void> = () => Promise.resolve();

  /** Resolves with the reason when the connection has come to its end. */
  whenOver(): Promise<string> {
    return this.ended;
  }

  async start(): Promise<void> {
    this.inner.onmessage = message => {
      this.note(message);
      if (isJSONRPCRequest(message) && message.method === 'subscriptions/listen') void this.listen(message);
      else this.onmessage?.(message);
    };
    this.inner.onerror = error => {
      this.onerror?.(error);
    };
    this.inner.onclose = () => {
      this.over?.('the client closed the connection');
      this.onclose?.();
    };
    await this.inner.start();
    this.stdin.on('data', (chunk: Buffer) => this.inbound.write(chunk));
    const hangUp = (): void => void this.finish();
    for (const event of ['end', 'close', 'error']) this.stdin.once(event, hangUp);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.inner.send(message);
    } finally {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.settle(message.id);
    }
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /** The client will send no more: what it has asked is answered, then the connection ends. */
  private async finish(): Promise<void> {
    // What was read from stdin last is still on its way to the requests.
    do await new Promise(resolve => setImmediate(resolve));
    while (this.inbound.readableLength > 0);
    if (this.unanswered.size > 0) {
      await new Promise<void>(resolve => {
        this.onIdle = resolve;
        setTimeout(resolve, answerWithinMs).unref();
      });
    }
    this.inbound.end();
    await this.inner.close();
  }

  private note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      // An open subscription is answered when it ends.
      if (message.method !== 'subscriptions/listen') this.unanswered.add(message.id);
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as RequestId | undefined;
      this.listening.delete(id ?? '');
      this.settle(id);
    }
  }

  private async listen(message: JSONRPCRequest): Promise<void> {
    const wanted = message.params?.notifications as { readonly resourceSubscriptions?: unknown } | undefined;
    const uris = wanted?.resourceSubscriptions;
    this.listening.set(message.id, Array.isArray(uris) ? uris.filter(it => typeof it === 'string') : []);
    await this.onListen(message.params?._meta ?? {});
    // Cancelled meanwhile, it needs no answer.
    if (this.listening.has(message.id)) this.onmessage?.(message);
  }

  private settle(id: RequestId | undefined): void {
    if (id !== undefined) this.unanswered.delete(id);
    if (this.unanswered.size === 0) this.onIdle?.();
  }
}
