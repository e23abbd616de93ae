import { v7 as uuidv7 } from 'uuid';

/** Half the range of the 32-bit sequence, so that it cannot overflow within a millisecond. */
const maxInitialSequence = 2 ** 31;

let previous = { msecs: -1, seq: 0 };

/**
 * A UUIDv7 (RFC 9562). Ids that one process creates in the same millisecond ascend, so that sorting by time and id keeps the
 * order of creation.
 */
export function newUuid(at: Date): string {
  const msecs = at.getTime();
  const seq = msecs === previous.msecs ? previous.seq + 1 : Math.floor(Math.random() * maxInitialSequence);
  previous = { msecs, seq };
  return uuidv7({ msecs, seq });
}
