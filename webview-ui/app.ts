import type { AsyncValue } from './asyncValue.js';
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
