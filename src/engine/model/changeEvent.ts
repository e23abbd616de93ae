import type { StoreKind } from './memory.js';
import type { ModelStatus } from './modelStatus.js';

/** Emitted after every commit, including commits of other processes, which have no ids. */
export interface ChangeEvent {
  readonly store: StoreKind;
  readonly ids: readonly string[];
  /** Present when the use of a language model changed and no memory did. */
  readonly model?: ModelStatus;
  /** Present when the use of the embedding endpoint changed, or it stopped answering, and no memory changed. */
  readonly isEndpointUse?: true;
  /** Present when the server that has the store stopped answering, or its file was deleted or replaced, and no memory changed. */
  readonly isAway?: true;
}
