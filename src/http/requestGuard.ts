import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpError } from './httpError.js';

const httpPort = 80;

/**
 * Decides which requests are let in. A page in a browser on this machine reaches loopback too: under a name of its own that it lets point
 * there (DNS rebinding, so the Host is checked), or across sites (so the Origin is). Everything else needs the token.
 */
export class RequestGuard {
  private readonly hosts: readonly string[];
  private readonly tokenHash: Buffer;

  /** @param port that the server listens on */
  constructor(port: number, token: string) {
    const names = ['127.0.0.1', 'localhost'];
    this.hosts = [...names.map(it => `${it}:${port}`), ...(port === httpPort ? names : [])];
    this.tokenHash = hash(token);
  }

  /** @throws HttpError 403 for a Host or an Origin that is not this server */
  checkSource({ headersDistinct, headers: { origin } }: IncomingMessage): void {
    const hosts = headersDistinct.host ?? [];
    if (hosts.length !== 1 || !this.hosts.includes(hosts[0]!.toLowerCase()))
      throw new HttpError(
        403,
        'foreignHost',
        `The Host of the request is not this server. Ask for http://${this.hosts[0]} by this address.`,
      );
    if (origin !== undefined && !this.hosts.some(it => origin.toLowerCase() === `http://${it}`))
      throw new HttpError(403, 'foreignOrigin', 'A page of another origin may not read or write these memories.');
  }

  /** @throws HttpError 401 */
  checkToken({ headers: { authorization } }: IncomingMessage): void {
    const [, token] = /^bearer +(\S+) *$/iu.exec(authorization ?? '') ?? [];
    // Of hashes, which are of one length: how long it takes says nothing of the token.
    if (token !== undefined && timingSafeEqual(hash(token), this.tokenHash)) return;
    const problem =
      authorization === undefined ? 'The request has no token.' : 'The token is not the one of this server.';
    throw new HttpError(
      401,
      'unauthorized',
      `${problem} Send the one that recollect serve printed at its start: Authorization: Bearer TOKEN`,
      { headers: { 'www-authenticate': 'Bearer realm="recollect"' } },
    );
  }
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
