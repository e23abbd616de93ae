import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toCalendarRanges, parseTimeWindow } from '../../../src/engine/text/timeWindow.js';
import { arbitraryText } from './arbitraryText.js';

/** A Wednesday. */
const now = new Date('2026-11-18T10:00:00Z');

describe('parseTimeWindow', () => {
  /** From the first day to the last; '' is open. */
  const table: readonly (readonly [query: string, days: string | undefined])[] = [
    ['which token expires after 5 min', undefined],
    ['what is valid for 15 minutes', undefined],
    ['the lock is free after 30 s', undefined],
    ['what happened last week', '2026-11-09 2026-11-15'],
    ['what did I say this week', '2026-11-16 2026-11-22'],
    ['what happened yesterday', '2026-11-17 2026-11-17'],
    ['the day before yesterday', '2026-11-16 2026-11-16'],
    ['notes from today', '2026-11-18 2026-11-18'],
    ['decisions in March', '2026-03-01 2026-03-31'],
    ['decisions in march', '2026-03-01 2026-03-31'],
    ['in December', '2025-12-01 2025-12-31'],
    ['in May 2024', '2024-05-01 2024-05-31'],
    ['June 2025', '2025-06-01 2025-06-30'],
    ['what broke since Tuesday', '2026-11-17 '],
    ['since last Friday', '2026-11-13 '],
    ['on Wednesday', '2026-11-11 2026-11-11'],
    ['between May and June 2025', '2025-05-01 2025-06-30'],
    ['from March to April', '2026-03-01 2026-04-30'],
    ['before 2025', ' 2024-12-31'],
    ['in 2025', '2025-01-01 2025-12-31'],
    ['after 7 May 2026', '2026-05-08 '],
    ['on May 7th, 2026', '2026-05-07 2026-05-07'],
    ['on 7 May', '2026-05-07 2026-05-07'],
    ['on 20 November', '2025-11-20 2025-11-20'],
    ['on 2026-03-02', '2026-03-02 2026-03-02'],
    ['in the last 3 days', '2026-11-15 2026-11-18'],
    ['over the past two weeks', '2026-11-04 2026-11-18'],
    ['the past month', '2026-10-18 2026-11-18'],
    ['last month', '2026-10-01 2026-10-31'],
    ['last quarter', '2026-07-01 2026-09-30'],
    ['last year', '2025-01-01 2025-12-31'],
    ['last weekend', '2026-11-14 2026-11-15'],
    ['three days ago', '2026-11-15 2026-11-15'],
    ['two weeks ago', '2026-11-01 2026-11-07'],
    ['a month ago', '2026-10-01 2026-10-31'],
    ['until yesterday', ' 2026-11-17'],
    ['what may I do', undefined],
    ['they march on', undefined],
    ['port 2025', undefined],
    ['next week', undefined],
    ['next Saturday', undefined],
    ['in March 2027', undefined],
    ['the last test', undefined],
    ['upgrade to 20.11', undefined],
    ['at 12:30', undefined],
    ['payments port', undefined],
  ];
  for (const [query, days] of table) {
    it(`${query} → ${days ?? 'none'}`, () => {
      const found = parseTimeWindow(query, now);
      const last = found?.until && new Date(Date.parse(found.until) - 1).toISOString();
      assert.equal(found && [found.since, last].map(it => it?.slice(0, 10) ?? '').join(' '), days);
    });
  }

  const tellings: readonly (readonly [query: string, ofTelling: boolean])[] = [
    ['what did I say last week', true],
    ['what have we decided since Tuesday', true],
    ['which port I mentioned yesterday', true],
    ['decisions in March', true],
    ['notes from last week', true],
    ['memories made in March', true],
    ['What did Caroline do on 7 May 2026?', false],
    ['What did Melanie say last week?', false],
    ['when did we ship last month', false],
    ['the release in March', false],
  ];
  for (const [query, ofTelling] of tellings) {
    it(`${query} asks for what was ${ofTelling ? 'told' : 'so'} then`, () => {
      assert.equal(parseTimeWindow(query, now)?.refersToAssertionTime, ofTelling);
    });
  }

  it('returns the days of the year, also across its end', () => {
    const ranges = (query: string, at: string): unknown => {
      const window = parseTimeWindow(query, new Date(at));
      return toCalendarRanges(window!, new Date(at)).map(it => [it.from >> 5, it.from & 31, it.to >> 5, it.to & 31]);
    };
    assert.deepEqual(ranges('last week', '2026-11-18'), [[11, 9, 11, 15]]);
    assert.deepEqual(ranges('the last 5 days', '2026-01-03'), [
      [12, 29, 12, 31],
      [0, 0, 1, 3],
    ]);
    assert.deepEqual(ranges('since Tuesday', '2026-11-18T10:00:00Z'), [[11, 17, 11, 18]]);
    assert.deepEqual(ranges('last year', '2026-11-18'), []);
    assert.deepEqual(ranges('before May', '2026-11-18'), []);
  });

  it('never throws and returns no window in the future', () => {
    const words = fc.constantFrom(
      'last',
      'week',
      'May',
      'since',
      'between',
      'and',
      '2025',
      '31',
      'Feb',
      'ago',
      '0',
      'the',
    );
    const text = fc.oneof(
      arbitraryText(),
      fc.array(words, { maxLength: 8 }).map(it => it.join(' ')),
    );
    fc.assert(
      fc.property(text, query => {
        const found = parseTimeWindow(query, now);
        assert.ok(found?.since === undefined || found.since <= now.toISOString());
        if (found !== undefined) toCalendarRanges(found, now);
      }),
    );
  });

  it('does not depend on the time zone of the machine', () => {
    const zone = process.env.TZ;
    try {
      for (const tz of ['Pacific/Auckland', 'America/Los_Angeles']) {
        process.env.TZ = tz;
        assert.equal(parseTimeWindow('yesterday', now)?.since, '2026-11-17T00:00:00.000Z', tz);
        assert.equal(parseTimeWindow('on 7 May', now)?.since, '2026-05-07T00:00:00.000Z', tz);
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});
