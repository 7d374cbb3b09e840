import { intervalMillis } from '../../src/boards/templates/interval.js';
import { boardName, longestName, patternFault } from '../../src/boards/templates/rules.js';
import { type Rhythm, windowAt, windowsFromOf } from '../../src/boards/templates/windows.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

test.each([
  ['1 minute', MINUTE],
  ['90 minutes', 90 * MINUTE],
  ['36 hours', 36 * 60 * MINUTE],
  ['1 day', DAY],
  ['2 day', 2 * DAY],
  ['1 weeks', 7 * DAY],
  ['36600 days', 36_600 * DAY],
])('the interval %s has its length', (text, millis) => {
  expect(intervalMillis(text)).toBe(millis);
});

test.each([
  '',
  '0 days',
  '-1 days',
  '1.5 days',
  '1 month',
  '1 year',
  '1  day',
  ' 1 day',
  '1 day ',
  '1 day\n',
  '1 Day',
  'day',
  '1day',
  '01 days',
  '1e3 days',
  '1 secondss',
  '36601 days',
  '99999999999999999999 days',
  'P1D',
  '1 constructor',
])('"%s" is no interval', (text) => {
  expect(intervalMillis(text)).toBeUndefined();
});

test('a window contains its start and not its end; without a moment to count from, it is one of UTC', () => {
  const first = new Date('2030-01-07T00:30:00Z');
  const at = (now: string) => {
    const rhythm = {
      repeatInterval: '1 week',
      nextRunAt: first,
      windowsFrom: null,
      timeZone: 'Europe/Berlin',
    };
    const { start, end } = windowAt(rhythm, new Date(now));
    expect(end.getTime() - start.getTime()).toBe(7 * DAY);
    return start.toISOString();
  };
  expect(at('2030-01-07T00:30:00Z')).toBe('2030-01-07T00:30:00.000Z');
  expect(at('2030-01-14T00:29:59.999Z')).toBe('2030-01-07T00:30:00.000Z');
  expect(at('2030-01-14T00:30:00Z')).toBe('2030-01-14T00:30:00.000Z');
  expect(at('2031-01-01T00:00:00Z')).toBe('2030-12-30T00:30:00.000Z');
});

test.each([
  ['{year}', '2027-01-01T00:00:00Z', '2027'],
  ['{week}', '2027-01-01T00:00:00Z', '53'],
  ['{week}', '2030-01-01T00:00:00Z', '1'],
  ['{week}', '2029-12-31T00:00:00Z', '1'],
  ['{month} {month_short}', '2030-09-30T23:59:59.999Z', 'September Sep'],
  ['{month} {month_short}', '2030-05-01T00:00:00Z', 'May May'],
  ['{quarter}', '2030-03-31T23:59:59Z', 'Q1'],
  ['{quarter}', '2030-04-01T00:00:00Z', 'Q2'],
  ['{quarter}', '2030-12-31T00:00:00Z', 'Q4'],
  ['{date}', '2030-01-01T00:30:00+01:00', '2029-12-31'],
  ['{series}/{series}', '2030-01-01T00:00:00Z', '42/42'],
  [' Cup of {year} ', '2030-01-01T00:00:00Z', 'Cup of 2030'],
  ['Weekly $& $1', '2030-01-01T00:00:00Z', 'Weekly $& $1'],
])('the pattern "%s" at %s gives a name', (pattern, start, name) => {
  expect(boardName(pattern, new Date(start), 'UTC', 42)).toBe(name);
});

test.each([
  ['{week}', 'Europe/Berlin', '2026-11-22T23:00:00Z', '48'],
  ['{week}', 'America/New_York', '2026-11-23T04:59:59Z', '47'],
  ['{date} {quarter} {year}', 'Pacific/Auckland', '2026-12-31T11:00:00Z', '2027-01-01 Q1 2027'],
  ['{month} {month_short}', 'America/Los_Angeles', '2026-10-01T06:00:00Z', 'September Sep'],
])('the pattern "%s" names a board by the date in %s', (pattern, zone, start, name) => {
  expect(boardName(pattern, new Date(start), zone, 1)).toBe(name);
});

/** Samoa left out the 30th of December 2011: what would begin that day begins then. */
const SAMOA_LEAP = Date.parse('2011-12-30T10:00:00Z');

const clocks = (zone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });

test.each([
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Asia/Kathmandu',
])('windows of days and weeks begin by the clock of %s, each where the one before ends', (zone) => {
  const clock = clocks(zone);
  for (const [interval, days, time] of [
    ['1 week', 7, '00:00'],
    ['1 days', 1, '18:30'],
    ['2 days', 2, '12:00'],
  ] as const) {
    // The first start is found as a person would: by trying.
    let first = Date.parse('2011-10-01T00:00:00Z');
    while (!clock.format(first).endsWith(time)) first += 15 * MINUTE;
    const rhythm: Rhythm = {
      ...{ repeatInterval: interval, timeZone: zone },
      ...{ nextRunAt: new Date(first), windowsFrom: new Date(first) },
    };
    let window = windowAt(rhythm, new Date(first));
    expect(window.start.getTime()).toBe(first);
    for (let n = 1; window.end.getTime() < first + 800 * DAY; n += 1) {
      const next = windowAt({ ...rhythm, nextRunAt: window.end }, window.end);
      expect(next.start).toEqual(window.end);
      const inside = new Date((next.start.getTime() + next.end.getTime()) / 2);
      expect(windowAt(rhythm, inside)).toEqual(next);
      const isLeftOut = next.start.getTime() === SAMOA_LEAP;
      expect(clock.format(next.start).slice(11)).toBe(isLeftOut ? '00:00' : time);
      const calendar =
        Date.parse(clock.format(next.start).slice(0, 10)) - Date.parse(clock.format(first).slice(0, 10));
      if (zone !== 'Pacific/Apia') expect(calendar).toBe(n * days * DAY);
      window = next;
    }
  }
});

test('a start that the clock leaves out does not move those after it; hours have one length in every zone', () => {
  const from = new Date('2026-03-22T01:30:00Z');
  const rhythm = (repeatInterval: string, nextRunAt: string): Rhythm => ({
    ...{ repeatInterval, timeZone: 'Europe/Berlin', windowsFrom: from, nextRunAt: new Date(nextRunAt) },
  });
  const startAt = (interval: string, at: string) =>
    windowAt(rhythm(interval, at), new Date(at)).start.toISOString();
  // 02:30 of the 29th of March is left out; the week after begins at 02:30 again, which is 00:30 UTC by then.
  expect(startAt('1 week', '2026-03-29T01:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(startAt('1 week', '2026-04-05T00:30:00Z')).toBe('2026-04-05T00:30:00.000Z');
  expect(startAt('168 hours', '2026-04-05T01:30:00Z')).toBe('2026-04-05T01:30:00.000Z');
  // Of a reading that the clock shows twice, the one that was given counts.
  const second = new Date('2026-10-25T01:30:00Z');
  const twice = { ...rhythm('1 week', '2026-10-25T01:30:00Z'), windowsFrom: second };
  const { start, end } = windowAt(twice, second);
  expect([start, end]).toEqual([second, new Date('2026-11-01T01:30:00Z')]);
});

test('a template is counted from where it was, unless its rhythm changes', () => {
  const [from, next] = [new Date('2026-03-22T01:30:00Z'), new Date('2026-03-29T01:00:00Z')];
  const same = { repeatInterval: '1 week', timeZone: 'Europe/Berlin', nextRunAt: next };
  const stored = { ...same, windowsFrom: from };
  expect(windowsFromOf(stored, same)).toBe(from);
  for (const other of [{ repeatInterval: '2 weeks' }, { timeZone: 'UTC' }])
    expect(windowsFromOf(stored, { ...same, ...other })).toBe(next);
  const later = new Date(next.getTime() + HOUR);
  expect(windowsFromOf(stored, { ...same, nextRunAt: later })).toBe(later);
  expect(windowsFromOf({ ...stored, windowsFrom: null }, same)).toBe(next);
  expect(windowsFromOf(undefined, same)).toBe(next);
});

test.each([
  ['{yaer}', 'unknown placeholder {yaer}'],
  ['{}', 'unknown placeholder {}'],
  ['{ year }', 'unknown placeholder { year }'],
  ['{Year}', 'unknown placeholder {Year}'],
  ['{toString}', 'unknown placeholder {toString}'],
  ['{year', 'brace'],
  ['year}', 'brace'],
  ['{{year}}', 'brace'],
  ['{series}', 'the field series is required'],
  ['{month} '.repeat(11), '100 characters'],
  ['x'.repeat(101), '100 characters'],
])('the pattern "%s" cannot name boards', (pattern, why) => {
  expect(patternFault(pattern, null)).toContain(why);
});

test('no start gives a name longer than the longest one', () => {
  const pattern = '{year}{month}{month_short}{week}{quarter}{date}{series}';
  expect(patternFault(pattern, 's')).toBeUndefined();
  const longest = longestName(pattern).length;
  for (let day = 0; day < 3 * 366; day += 1) {
    const name = boardName(pattern, new Date(Date.UTC(2030, 0, 1 + day)), 'UTC', 1_000_000);
    expect(name.length).toBeLessThanOrEqual(longest);
  }
});
