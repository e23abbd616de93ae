import type { FromWebview, RequestMessage, RequestName, Requests, ToWebview } from '../src/protocol.js';

/** What VS Code gives a webview; once per document. */
interface WebviewApi {
  postMessage(message: FromWebview): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): WebviewApi;

/** A request that failed; the message is a sentence for a person. */
export class RequestError extends Error {}

type Pushed = Exclude<ToWebview, { type: 'answer' | 'failure' }>;

/** The only way out of the webview: requests with their answers, and the state that outlives it. */
export class Connection {
  private readonly api = acquireVsCodeApi();
  private readonly waiting = new Map<
    number,
    { readonly resolve: (answer: unknown) => void; readonly reject: (error: RequestError) => void }
  >();
  private requests = 0;

  /** @param onPushed gets what the host says unasked. */
  constructor(onPushed: (message: Pushed) => void) {
    window.addEventListener('message', ({ data }: MessageEvent<ToWebview>) => {
      if (data.type !== 'answer' && data.type !== 'failure') {
        onPushed(data);
        return;
      }
      const asked = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if (data.type === 'answer') asked?.resolve(data.answer);
      else asked?.reject(new RequestError(data.sentence));
    });
    this.api.postMessage({ type: 'ready' });
  }

  /** @throws RequestError */
  ask<Name extends RequestName>(name: Name, input: Requests[Name]['input']): Promise<Requests[Name]['answer']> {
    const number = ++this.requests;
    return new Promise((resolve, reject) => {
      // The number belongs to a request of this name, and so does its answer.
      this.waiting.set(number, { resolve: resolve as (answer: unknown) => void, reject });
      this.api.postMessage({ type: 'request', number, name, input } as RequestMessage);
    });
  }

  get state(): unknown {
    return this.api.getState();
  }

  keep(state: unknown): void {
    this.api.setState(state);
  }
}
