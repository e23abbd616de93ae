import assert from 'node:assert/strict';
import { newUuid } from '../../../src/engine/base/uuid.js';

describe('newUuid', () => {
  it('returns distinct, ascending ids for the same millisecond', () => {
    const at = new Date('2026-03-02T09:00:00Z');
    const ids = Array.from({ length: 1_000 }, () => newUuid(at));
    assert.deepEqual([...ids].sort(), ids);
    assert.equal(new Set(ids).size, 1_000);
  });

  it('returns ids that sort by their time', () => {
    const later = newUuid(new Date('2026-03-02T09:00:00.001Z'));
    const earlier = newUuid(new Date('2026-03-02T09:00:00Z'));
    assert.ok(earlier < later);
  });

  it('encodes the time and version 7', () => {
    assert.match(newUuid(new Date(0x0123456789ab)), /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
  });
});
