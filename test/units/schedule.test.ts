import { intervalMillis, windowAt } from '../../src/boards/templates/interval.js';
import { boardName, longestName, patternFault } from '../../src/boards/templates/rules.js';

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

test('a window contains its start and not its end', () => {
  const first = new Date('2030-01-07T00:30:00Z');
  const at = (now: string) => {
    const { start, end } = windowAt(first, 7 * DAY, new Date(now));
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
  expect(boardName(pattern, new Date(start), 42)).toBe(name);
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
    const name = boardName(pattern, new Date(Date.UTC(2030, 0, 1 + day)), 1_000_000);
    expect(name.length).toBeLessThanOrEqual(longest);
  }
});
