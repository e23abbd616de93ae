import type { StoreKind } from './memory.js';

/**
 * A text that a person keeps encrypted, without its text. It is no memory: nothing searches, ranks, publishes, syncs or
 * exports it, and no model receives it.
 */
export interface SensitiveMemory {
  /** UUIDv7. */
  readonly id: string;
  readonly store: StoreKind;
  /** When it was kept, ISO-8601 UTC. */
  readonly createdAt: string;
  /** Not encrypted: the person's name for it, else what kind of secret or personal data it is. */
  readonly label: string;
  /** Name of the key that opens it. */
  readonly key: string;
  /** Whether that key is available. */
  readonly isReadable: boolean;
  readonly client: string;
}

/** A sensitive memory with its text, for the person who asked for this one. */
export interface RevealedMemory extends SensitiveMemory {
  readonly content: string;
}

/** A text that a person wants kept encrypted. */
export interface SensitiveInput {
  readonly content: string;
  readonly label?: string | undefined;
  /** Default: the project's store, else the global one. */
  readonly store?: StoreKind | undefined;
}
