import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { LoopbackServer } from './loopbackServer.js';

/** A received request. */
export interface RecordedEmbeddingRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly input: readonly string[];
    readonly encoding_format?: string;
    readonly dimensions?: number;
  };
}

/** Answers one request; returns false to have it answered with vectors. */
export type EmbeddingResponder = (response: ServerResponse, seen: RecordedEmbeddingRequest) => unknown;

/** A local server with OpenAI's embeddings API. Texts that share words, or words of one meaning, are near each other. */
export class EmbeddingServer extends LoopbackServer {
  readonly seen: RecordedEmbeddingRequest[] = [];
  dimensions = 96;
  /** Answers instead of vectors; undefined for vectors. */
  respond: EmbeddingResponder | undefined;
  /** Each list is one meaning. */
  synonyms: readonly (readonly string[])[] = [];

  /** All texts that were received. */
  get texts(): string[] {
    return this.seen.flatMap(it => it.body.input);
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request;
    const body = (await json(request)) as RecordedEmbeddingRequest['body'];
    const seen = { method, url, headers, body };
    this.seen.push(seen);
    if (this.respond !== undefined && this.respond(response, seen) !== false) return;
    const data = body.input.map((it, index) => ({ object: 'embedding', index, embedding: this.vectorOf(it) }));
    const tokens = body.input.reduce((sum, it) => sum + it.split(/\s+/u).length, 0);
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    answerJson(response, 200, { object: 'list', data: data.reverse(), model: body.model, usage });
  }

  /** Three times a unit vector: not every server gives unit vectors. */
  private vectorOf(text: string): number[] {
    const vector = new Array<number>(this.dimensions).fill(0);
    for (const word of text.toLowerCase().match(/[a-z0-9]{2,}/gu) ?? []) {
      if (fillers.has(word)) continue;
      const meaning = this.synonyms.find(it => it.includes(word))?.[0] ?? word.replace(/s$/u, '');
      let hash = 2_166_136_261;
      for (const it of meaning) hash = Math.imul(hash ^ it.charCodeAt(0), 16_777_619) >>> 0;
      for (let i = 0; i < 8; i++) {
        hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519) >>> 0;
        vector[hash % this.dimensions]! += hash & 65_536 ? 1 : -1;
      }
    }
    const length = Math.hypot(...vector);
    return length === 0 ? vector : vector.map(it => (3 * it) / length);
  }
}

export function answerJson(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

const fillers = new Set(
  'the is are was be by of in on for from to an and or not no never we use used does do which what when why where who into it its this that before after because with must has have get there all each'.split(
    ' ',
  ),
);
