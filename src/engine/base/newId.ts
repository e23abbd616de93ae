import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** Half of what a sequence holds (32 bits), so that it does not run over within a millisecond. */
const startBelow = 2 ** 31;

/** Bytes of an id that are random or may be. */
const randomBytes = 16;
/** Asking the system takes as long for many as for few. */
const pool = new Uint8Array(256 * randomBytes);
let used = pool.length;

let last = { msecs: -1, seq: 0 };

/**
 * A UUIDv7 of a moment (RFC 9562). Of one process, those of the same millisecond are in the order they were made, so that
 * what is sorted by time and id keeps the order in which it was told.
 */
export function newId(at: Date): string {
  const msecs = at.getTime();
  const seq = msecs === last.msecs ? last.seq + 1 : Math.floor(Math.random() * startBelow);
  last = { msecs, seq };
  return uuidv7({ msecs, seq, random: randomOnes() });
}

function randomOnes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += randomBytes;
  return pool.subarray(used - randomBytes, used);
}
