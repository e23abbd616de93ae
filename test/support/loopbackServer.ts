import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a free port of this machine. */
export abstract class LoopbackServer {
  private readonly server = http.createServer((request, response) => void this.serve(request, response));

  async start(): Promise<void> {
    await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
  }

  /** Ends open connections too. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  /** Without a path. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  protected abstract serve(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
}
