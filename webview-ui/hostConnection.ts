import type { Draft, FromWebview, RequestMessage, RequestName, Requests, ToWebview } from '../src/protocol.js';
import { SlowRequests } from './slowRequests.js';

/** VS Code's API of a webview, which can be acquired once per document. */
interface WebviewApi {
  postMessage(message: FromWebview): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): WebviewApi;

/** The failure of a request, with a sentence for the user as its message. */
export class RequestError extends Error {}

/** These wait for a person, before whom VS Code has put a question. */
const requestsToPerson: ReadonlySet<RequestName> = new Set<RequestName>([
  'pickMemory',
  'remember',
  'recall',
  'runCommand',
  'editAids',
  'transfer',
  'setConnected',
  'runMaintenance',
]);

type HostNotification = Exclude<ToWebview, { type: 'response' | 'failure' }>;

/** Requests to the extension host, its notifications, and the stored state of the webview. */
export class HostConnection {
  private readonly api = acquireVsCodeApi();
  private readonly pendingRequests = new Map<
    number,
    { readonly resolve: (answer: unknown) => void; readonly reject: (error: RequestError) => void }
  >();
  private lastRequestId = 0;
  readonly slowRequests = new SlowRequests();

  constructor(onNotification: (message: HostNotification) => void) {
    window.addEventListener('message', ({ data }: MessageEvent<ToWebview>) => {
      if (data.type !== 'response' && data.type !== 'failure') {
        onNotification(data);
        return;
      }
      const pending = this.pendingRequests.get(data.requestId);
      this.pendingRequests.delete(data.requestId);
      if (data.type === 'response') pending?.resolve(data.result);
      else pending?.reject(new RequestError(data.message));
    });
    this.api.postMessage({ type: 'ready' });
  }

  /** @throws RequestError */
  request<Name extends RequestName>(name: Name, input: Requests[Name]['input']): Promise<Requests[Name]['result']> {
    const requestId = ++this.lastRequestId;
    const answer = new Promise<Requests[Name]['result']>((resolve, reject) => {
      // The response with this id has the result type of this request.
      this.pendingRequests.set(requestId, { resolve: resolve as (answer: unknown) => void, reject });
      this.api.postMessage({ type: 'request', requestId, name, input } as RequestMessage);
    });
    if (!requestsToPerson.has(name)) this.slowRequests.watch(answer);
    return answer;
  }

  get state(): unknown {
    return this.api.getState();
  }

  saveState(state: unknown): void {
    this.api.setState(state);
  }

  /** Makes the extension keep unsaved texts, which the webview's state loses with its tab. */
  keepDrafts(drafts: readonly Draft[]): void {
    this.api.postMessage({ type: 'drafts', drafts });
  }
}
