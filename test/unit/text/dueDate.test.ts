import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findDueDate } from '../../../src/engine/text/dueDate.js';

/** A Wednesday in the fourth quarter. */
const now = new Date('2026-11-18T10:00:00Z');

describe('findDueDate', () => {
  const table: readonly (readonly [text: string, day: string | undefined])[] = [
    ['I promised to refactor the auth middleware before Friday', '2026-11-20'],
    ['The API v2 launch is scheduled for March', '2027-03-31'],
    ['We decided to migrate to Postgres next sprint', '2026-12-16'],
    ['done this sprint', '2026-12-02'],
    ['by end of month', '2026-11-30'],
    ['by the end of the week', '2026-11-20'],
    ['tomorrow', '2026-11-19'],
    ['by EOD', '2026-11-18'],
    ['Q3 2027 is for billing', '2027-09-30'],
    ['by the end of Q1', '2027-03-31'],
    ['in Q4', '2026-12-31'],
    ['next week', '2026-11-27'],
    ['end of next week', '2026-11-27'],
    ['next month', '2026-12-31'],
    ['later this year', '2026-12-31'],
    ['in 2 weeks', '2026-12-02'],
    ['within 14 days', '2026-12-02'],
    ['by 2026-12-01', '2026-12-01'],
    ['on Dec 3rd', '2026-12-03'],
    ['by May', '2027-05-31'],
    ['before the 30th', '2026-11-30'],
    ['on the 14th', '2026-12-14'],
    ['by next summer', '2027-08-31'],
    ['in February 2028', '2028-02-29'],
    ['we may ship it', undefined],
    ['the troops march on', undefined],
    ['upgrade to version 1.2', undefined],
    ['Node 20.11 and 12.1', undefined],
    ['port 8080', undefined],
    ['tokens expire after 14 days', undefined],
    ['it takes 5 minutes', undefined],
    ['the beacon blinks twice in eight seconds', undefined],
    ['the smoke tests are done in 5 minutes', undefined],
    ['pass rate is 1/2', undefined],
    ['we moved last week', undefined],
    ['yesterday', undefined],
    ['in January 2020', undefined],
    ['no date here', undefined],
  ];
  for (const [text, day] of table) {
    it(`${text} → ${day ?? 'none'}`, () => {
      assert.equal(findDueDate(text, now), day === undefined ? undefined : `${day}T23:59:59.999Z`);
    });
  }

  it('counts in days of the calendar of the person, in every time zone', () => {
    const zone = process.env.TZ;
    const days: readonly (readonly [zone: string, tomorrow: string])[] = [
      ['Pacific/Auckland', '2026-11-20'],
      ['UTC', '2026-11-19'],
      ['America/Los_Angeles', '2026-11-19'],
      ['Pacific/Pago_Pago', '2026-11-19'],
    ];
    try {
      for (const [timeZone, tomorrow] of days) {
        process.env.TZ = timeZone;
        assert.equal(findDueDate('tomorrow', new Date('2026-11-18T23:30:00Z'))?.slice(0, 10), tomorrow, timeZone);
        assert.equal(
          findDueDate('before Friday', new Date('2026-11-18T15:30:00Z'))?.slice(0, 10),
          '2026-11-20',
          timeZone,
        );
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  for (const text of [
    'Invoices go out on the first of the month',
    'The report is due every Friday',
    'Backups run on Sundays at midnight',
    'The flag is on as of today',
    'Buoys are counted once a night',
    'The pumps run at night',
    'In the evening the depot is locked',
    'Never paint the hull on a Friday',
    'The ferry leaves Wednesday mornings',
    'The winter timetable is the default',
    'The Q3 chart shows net tonnage',
    'Night mode is on',
  ]) {
    it(`finds no deadline in: ${text}`, () => {
      assert.equal(findDueDate(text, new Date('2026-11-18T10:00:00Z')), undefined);
    });
  }

  it('never throws and never returns a past date', () => {
    const words = fc.constantFrom(
      'by',
      'in',
      'next',
      'Friday',
      'March',
      '12',
      '31',
      '/',
      '2026',
      '-',
      'week',
      'the',
      'May',
      '5pm',
      'ago',
      '\uD800',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), parts => {
        const due = findDueDate(parts.join(' '), now);
        assert.ok(due === undefined || (due === new Date(due).toISOString() && due >= now.toISOString()));
      }),
    );
  });
});
