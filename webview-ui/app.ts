import type { InitialState } from '../src/protocol.js';
import type { HostConnection } from './hostConnection.js';
import type { Formatter } from './formatter.js';
import type { InspectorState } from './inspectorState.js';

/** What every page is given. */
export interface App {
  readonly connection: HostConnection;
  readonly labels: InitialState['labels'];
  readonly formatter: Formatter;
  readonly state: InspectorState;
  /** Whether any memory is in use; asked by a page that has nothing to show. */
  readonly hasMemories: AsyncValue<boolean>;
  /** Changes what is shown, keeps it for the next time, and draws. */
  setState(change: Partial<InspectorState>): void;
  /** Draws soon; many calls are one drawing. */
  scheduleRender(): void;
  /** Tells a screen reader what happened. */
  announce(sentence: string): void;
}

/** One value that is asked for: the newest question wins, and the last answer stays until the next one is there. */
export class AsyncValue<T> {
  value: T | undefined;
  /** A sentence for a person. */
  failure: string | undefined;
  loading = false;
  private latestRequestId = 0;

  constructor(private readonly onChange: () => void) {}

  async load(request: Promise<T>): Promise<void> {
    const requestId = ++this.latestRequestId;
    this.loading = true;
    this.onChange();
    try {
      const value = await request;
      if (requestId !== this.latestRequestId) return;
      this.value = value;
      this.failure = undefined;
    } catch (error) {
      if (requestId !== this.latestRequestId) return;
      this.failure = error instanceof Error ? error.message : String(error);
    }
    this.loading = false;
    this.onChange();
  }

  /** Gives up what was asked for and what is known. */
  clear(): void {
    this.latestRequestId++;
    this.value = undefined;
    this.failure = undefined;
    this.loading = false;
  }
}
