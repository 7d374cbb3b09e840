import { DateTime } from 'luxon';
import { inSlices } from '../../src/base/pacer.js';
import { type Calendar, type Period, periodAt, periodsBetween } from '../../src/boards/views/calendar.js';
import type { NamedPeriod } from '../../src/boards/views/named-period.js';

/** Zones whose clocks change at or over midnight, by half an hour, or by Ramadan; all of them with CALENDAR_ZONES=all. */
const FEW = [
  'UTC',
  'Europe/Berlin',
  'Atlantic/Azores',
  'America/Havana',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'America/Santiago',
];
const ZONES = process.env.CALENDAR_ZONES === 'all' ? ['UTC', ...Intl.supportedValuesOf('timeZone')] : FEW;
/** One year has each kind of change; all years with all zones. */
const [FIRST, LAST] = process.env.CALENDAR_ZONES === 'all' ? [2024, 2030] : [2026, 2026];
const STEP = 30 * 60_000;
/** No day is shorter; a date that was skipped would be missed by the next one. */
const SHORTEST_DAY = 20 * 3_600_000;

const HINT: Record<NamedPeriod, (local: DateTime) => string> = {
  day: (local) => local.toFormat('yyyy-MM-dd'),
  week: (local) => local.toFormat("kkkk-'W'WW"),
  month: (local) => local.toFormat('yyyy-MM'),
  quarter: (local) => local.toFormat("yyyy-'Q'q"),
  year: (local) => local.toFormat('yyyy'),
};

function calendarOf(timeZone: string, more: Partial<Calendar> = {}): Calendar {
  return { timeZone, weekStart: 'monday', dayStart: '00:00', ...more };
}

const millisOf = (text: string) => Date.parse(text);
const spans = (periods: Period[]) =>
  periods.map(({ key, startsAt, endsAt }) => [
    key,
    new Date(startsAt).toISOString(),
    new Date(endsAt).toISOString(),
  ]);

describe('the calendar of views', () => {
  const [from, until] = [Date.UTC(FIRST, 0, 1), Date.UTC(LAST + 1, 0, 1)];

  it.each(ZONES)('has every instant in exactly one day, week, month, quarter and year: %s', (zone) => {
    const calendar = calendarOf(zone);
    const periods = (Object.keys(HINT) as NamedPeriod[]).map((period) => {
      const list = [...periodsBetween({ period }, calendar, from, until)];
      for (const [index, { startsAt, endsAt }] of list.entries()) {
        if (startsAt >= endsAt) throw new Error(`${period} ${startsAt} is empty`);
        if (index > 0 && list[index - 1]!.endsAt !== startsAt) throw new Error(`a gap before ${startsAt}`);
      }
      expect(new Set(list.map(({ key }) => key)).size).toBe(list.length);
      return { period, list, at: 0 };
    });
    // The earliest instant of a date begins it: a clock that is set back does not return to the day before.
    let newest = -Infinity;
    let next = from;
    for (let instant = from; instant < until; instant = next) {
      const local = DateTime.fromMillis(instant, { zone });
      const date = Math.floor((instant + local.offset * 60_000) / 86_400_000);
      const begins = date > newest;
      next = instant + (begins && instant > from ? SHORTEST_DAY : STEP);
      if (!begins) continue;
      if (instant > from && date !== newest + 1) throw new Error(`${local.toISO()} is not the next date`);
      newest = date;
      for (const one of periods) {
        while (one.list[one.at]!.endsAt <= instant) one.at += 1;
        const { key, startsAt } = one.list[one.at]!;
        const expected = HINT[one.period](local);
        if (key !== expected) throw new Error(`${local.toISO()} is in ${key} and not in ${expected}`);
        if (one.period === 'day' && instant > from && instant - startsAt >= STEP) {
          throw new Error(`the day ${key} begins at ${new Date(startsAt).toISOString()}`);
        }
        // The millisecond before shows an earlier date, at this instant and always before.
        const before = DateTime.fromMillis(startsAt - 1, { zone });
        if (HINT[one.period](before) >= key) throw new Error(`${key} begins too late`);
      }
    }
    expect(newest).toBeGreaterThan(0);
  });

  it('begins a day whose midnight is there twice at the first of them', () => {
    const [day] = periodsBetween(
      { period: 'day' },
      calendarOf('Atlantic/Azores'),
      millisOf('2026-10-25T00:30:00Z'),
      millisOf('2026-10-25T00:30:01Z'),
    );
    expect(spans([day!])).toEqual([['2026-10-25', '2026-10-25T00:00:00.000Z', '2026-10-26T01:00:00.000Z']]);
  });

  it('begins a day without a midnight when the clock is set forward', () => {
    const day = periodAt({ period: 'day' }, calendarOf('America/Havana'), millisOf('2026-03-08T12:00:00Z'));
    expect(spans([day!])).toEqual([['2026-03-08', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z']]);
  });

  it('knows other starts of day and week', () => {
    const calendar = calendarOf('Europe/Berlin', { dayStart: '04:00', weekStart: 'sunday' });
    const at = millisOf('2026-11-23T02:30:00Z');
    expect(spans([periodAt({ period: 'day' }, calendar, at)!])).toEqual([
      ['2026-11-22', '2026-11-22T03:00:00.000Z', '2026-11-23T03:00:00.000Z'],
    ]);
    expect(spans([periodAt({ period: 'week' }, calendar, at)!])).toEqual([
      ['2026-11-22', '2026-11-22T03:00:00.000Z', '2026-11-29T03:00:00.000Z'],
    ]);
  });

  it('counts intervals from their date on, over a change of the clock', () => {
    const rule = { interval: { every: 14, from: '2026-03-16' } };
    const calendar = calendarOf('Europe/Berlin');
    expect(periodAt(rule, calendar, millisOf('2026-03-15T22:59:59.999Z'))).toBeUndefined();
    expect(
      spans([
        ...periodsBetween(rule, calendar, millisOf('2026-03-01T00:00:00Z'), millisOf('2026-04-01T00:00:00Z')),
      ]),
    ).toEqual([
      ['#1', '2026-03-15T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
      ['#2', '2026-03-29T22:00:00.000Z', '2026-04-12T22:00:00.000Z'],
    ]);
  });

  it('has no period in a gap between seasons', () => {
    const rule = {
      seasons: [
        { name: 'two', startsAt: '2026-03-01T00:00:00Z', endsAt: '2026-04-01T00:00:00Z' },
        { name: 'one', startsAt: '2026-01-01T00:00:00Z', endsAt: '2026-02-01T00:00:00Z' },
      ],
    };
    const calendar = calendarOf('UTC');
    expect(periodAt(rule, calendar, millisOf('2026-01-31T23:59:59.999Z'))?.key).toBe('one');
    expect(periodAt(rule, calendar, millisOf('2026-02-01T00:00:00Z'))).toBeUndefined();
    expect(
      [...periodsBetween(rule, calendar, 0, millisOf('2027-01-01T00:00:00Z'))].map(({ key }) => key),
    ).toEqual(['one', 'two']);
  });

  it('leaves the event loop to other work while a century of days is made', async () => {
    const days = periodsBetween(
      { period: 'day' },
      calendarOf('Europe/Berlin'),
      0,
      millisOf('2070-01-01T00:00:00Z'),
    );
    // About 3,000 days on a fast machine; if the days were made at once, their list would pass in a few turns.
    const enough = 30;
    let turns = 0;
    const turn = () => {
      turns += 1;
      if (turns < enough) setImmediate(turn);
    };
    setImmediate(turn);
    for await (const _ of inSlices(days)) if (turns === enough) break;
    expect(turns).toBe(enough);
  });
});
