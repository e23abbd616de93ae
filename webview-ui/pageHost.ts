import type { AsyncValue } from './asyncValue.js';
import type { InitialState, NavigationTarget } from '../src/protocol.js';
import type { HostConnection } from './hostConnection.js';
import type { Formatter } from './formatter.js';
import type { InspectorState } from './inspectorState.js';

/** What the pages need of the inspector. */
export interface PageHost {
  readonly connection: HostConnection;
  readonly labels: InitialState['labels'];
  readonly formatter: Formatter;
  readonly state: InspectorState;
  /** Whether any memory is active; loaded by pages that have nothing to show. */
  readonly hasMemories: AsyncValue<boolean>;
  /** Shows a page, at a trace or a memory where the target names one. */
  navigate(target: NavigationTarget): void;
  /** Changes and stores the state, and schedules a render. */
  setState(change: Partial<InspectorState>): void;
  /** Renders in the next animation frame, once for any number of calls. */
  scheduleRender(): void;
  /** Announces a sentence to screen readers. */
  announce(sentence: string): void;
}
