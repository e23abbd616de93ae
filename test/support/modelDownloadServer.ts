import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { LoopbackServer } from './loopbackServer.js';
import type { CatalogModel } from '../../src/engine/embeddings/modelCatalog.js';

/** Answers one request for a file whose content is `body`. */
export type DownloadResponder = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

export interface RecordedDownload {
  readonly url: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** A local download server of models. */
export class ModelDownloadServer extends LoopbackServer {
  readonly requests: RecordedDownload[] = [];
  /** Answers to the requests for `model.onnx` in order; `serve` when none is left. */
  readonly responders: DownloadResponder[] = [];

  constructor(readonly files: Readonly<Record<string, Buffer>>) {
    super();
  }

  get source(): string {
    return `${this.url}/`;
  }

  protected serve(request: IncomingMessage, response: ServerResponse): void {
    const { url = '', headers } = request;
    this.requests.push({ url, range: headers.range, ifRange: headers['if-range'] as string | undefined });
    const body = this.files[url.slice(1)];
    if (body === undefined) response.writeHead(404).end('no such file');
    else (url === '/model.onnx' ? (this.responders.shift() ?? serveFile) : serveFile)(request, response, body);
  }

  /** The catalog entry of the model. */
  catalogEntry(name = 'tiny'): CatalogModel {
    const file = (it: 'model.onnx' | 'tokenizer.json'): CatalogModel['files'][number] => ({
      name: it,
      path: it,
      pins: [{ bytes: this.files[it]!.length, sha256: sha256(this.files[it]!) }],
    });
    return {
      name,
      about: 'for tests',
      licence: 'MIT',
      source: this.source,
      files: [file('model.onnx'), file('tokenizer.json')],
      description: {
        name,
        dimensions: 8,
        maxTokens: 8,
        queryPrefix: '',
        passagePrefix: '',
        pooling: 'mean',
        thresholds: { related: 0.5, duplicate: 0.9 },
      },
    };
  }
}

export const etag = (body: Buffer): string => `"${sha256(body).slice(0, 16)}"`;

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

/** Serves a file with ranges and entity tags. */
export const serveFile: DownloadResponder = (request, response, body) => {
  const tag = etag(body);
  const from = rangeStart(request);
  const isSame = (request.headers['if-range'] ?? tag) === tag;
  if (from === undefined || !isSame) {
    response.writeHead(200, { 'content-length': body.length, etag: tag }).end(body);
  } else if (from >= body.length) {
    response.writeHead(416, { 'content-range': `bytes */${body.length}` }).end();
  } else {
    const range = `bytes ${from}-${body.length - 1}/${body.length}`;
    response.writeHead(206, { 'content-length': body.length - from, 'content-range': range, etag: tag });
    response.end(body.subarray(from));
  }
};

export const respondWithStatus =
  (code: number, headers: OutgoingHttpHeaders = {}): DownloadResponder =>
  (_request, response) => {
    response.writeHead(code, headers).end(`status ${code}`);
  };

/** Sends a number of bytes of the requested part, then cuts the connection or stalls. */
export const servePart =
  (bytes: number, then: 'cut' | 'silence'): DownloadResponder =>
  (request, response, body) => {
    const from = rangeStart(request);
    const rest = body.subarray(from ?? 0);
    const range = from === undefined ? {} : { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` };
    response.writeHead(from === undefined ? 200 : 206, { 'content-length': rest.length, etag: etag(body), ...range });
    response.write(rest.subarray(0, bytes), () => {
      // Gives the written bytes time to arrive before the connection ends.
      if (then === 'cut') setTimeout(() => response.destroy(), 20);
    });
    if (bytes === 0) response.flushHeaders();
  };

function rangeStart({ headers }: IncomingMessage): number | undefined {
  const found = /^bytes=(\d+)-$/u.exec(headers.range ?? '');
  return found === null ? undefined : Number(found[1]);
}
