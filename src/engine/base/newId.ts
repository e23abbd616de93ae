import { v7 as uuidv7 } from 'uuid';

/** Half of what a sequence holds (32 bits), so that it does not run over within a millisecond. */
const startBelow = 2 ** 31;

let last = { msecs: -1, seq: 0 };

/**
 * A UUIDv7 of a moment (RFC 9562). Of one process, those of the same millisecond are in the order they were made, so that
 * what is sorted by time and id keeps the order in which it was told.
 */
export function newId(at: Date): string {
  const msecs = at.getTime();
  const seq = msecs === last.msecs ? last.seq + 1 : Math.floor(Math.random() * startBelow);
  last = { msecs, seq };
  return uuidv7({ msecs, seq });
}
