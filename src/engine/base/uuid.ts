import { v7 as uuidv7 } from 'uuid';

/** Half of what a sequence holds (32 bits), so that it does not run over within a millisecond. */
const maxInitialSequence = 2 ** 31;

let previous = { msecs: -1, seq: 0 };

/**
 * A UUIDv7 of a moment (RFC 9562). Of one process, those of the same millisecond are in the order they were made, so that
 * what is sorted by time and id keeps the order in which it was told.
 */
export function newUuid(at: Date): string {
  const msecs = at.getTime();
  const seq = msecs === previous.msecs ? previous.seq + 1 : Math.floor(Math.random() * maxInitialSequence);
  previous = { msecs, seq };
  return uuidv7({ msecs, seq });
}
