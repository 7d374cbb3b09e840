import { idOf, isId, kindOf, uuid7, uuidOf } from '../../src/base/ids.js';
import { readDateTime } from '../../src/base/moments/date-time.js';
import { retryAfterMillis } from '../../src/base/moments/retry-after.js';
import { checkedSlug, numberedSlug, slugify } from '../../src/base/slug.js';
import { findUnkeepable, isLabel, isVisible, isWellFormed, lengthOf } from '../../src/base/text.js';

test('ids have one spelling', () => {
  const uuid = uuid7();
  expect(uuidOf(idOf('board', uuid))).toBe(uuid);
  expect(kindOf(idOf('apiKey', uuid))).toBe('apiKey');
  expect(isId('board', idOf('game', uuid))).toBe(false);
  for (const text of [
    uuid,
    `brd_${uuid.toUpperCase()}`,
    `brd_${uuid} `,
    `BRD_${uuid}`,
    `brd-${uuid}`,
    '',
    5,
    null,
  ]) {
    expect(isId('board', text)).toBe(false);
  }
  expect(kindOf(`xyz_${uuid}`)).toBeUndefined();
});

test('ids of one process sort in the order they were made, also within a millisecond and back in time', () => {
  const start = Date.now() + 60_000;
  const ids = Array.from({ length: 10_000 }, (_, n) => uuid7(start - (n % 3)));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('slugs are made of names', () => {
  expect(slugify('  Crème  Brûlée_2000! ', 'game')).toBe('creme-brulee-2000');
  expect(slugify('a--b___c', 'game')).toBe('a-b-c');
  expect(slugify('-- x y --', 'game')).toBe('x-y');
  expect(slugify('x'.repeat(80), 'game')).toHaveLength(50);
  expect(slugify(`${'x'.repeat(49)} y`, 'game')).toBe('x'.repeat(49));
  expect(slugify(' A ', 'game')).toBe('a-1');
  expect(slugify('Straße', 'game')).toBe('strasse');
  expect(slugify('Привет, мир', 'game')).toBe('privet-mir');
  expect(slugify('日本語', 'game')).toBe('ribenyu');
  expect(slugify('ｆｕｌｌ１', 'game')).toBe('full1');
  for (const name of ['★★★', 'A!', '\u{10ffff}\u{10ffff}']) {
    const made = slugify(name, 'board');
    expect(checkedSlug(made)).toMatch(/^board-[2-9a-z]{6}$/);
    expect(slugify(name, 'board')).not.toBe(made);
  }
  for (const name of ['語'.repeat(100), `${'語'.repeat(24)} 語`, '🎮'.repeat(100)]) {
    expect(checkedSlug(slugify(name, 'account')).length).toBeGreaterThan(30);
  }
  expect(checkedSlug('a1-b2')).toBe('a1-b2');
  expect(numberedSlug('name', 1)).toBe('name');
  expect(numberedSlug('name', 12)).toBe('name-12');
  expect(numberedSlug('x'.repeat(50), 2)).toBe(`${'x'.repeat(48)}-2`);
  expect(numberedSlug(`${'x'.repeat(47)}-yy`, 2)).toBe(`${'x'.repeat(47)}-2`);
});

test('a name or label has a character that can be seen', () => {
  const invisible = [
    '',
    ' \u00a0\u3000\u2003',
    '\u200b\u200d\ufeff\u2060',
    '\u3164',
    '\u115f\u1160\uffa0',
    '\u2800\u2800',
    '\u{e0041}\u{e0042}',
    '\u180e',
    '\u034f',
    '\u{1d159}',
    '\u{13441}',
    '\ufe0f\u0301',
    '\u{f0000}',
  ];
  for (const text of invisible)
    expect([text, isVisible(text), isLabel(text, 1, 64)]).toEqual([text, false, false]);
  for (const text of ['Ann', '.', '语', 'ᄒ', '⠓', '😀', '\u3164Ann', '٣', 'é', '★'])
    expect([text, isLabel(text, 1, 64)]).toEqual([text, true]);
  expect([
    isLabel(' x ', 2, 3),
    isLabel('x\u0007', 1, 3),
    isLabel(5, 1, 3),
    isLabel('x'.repeat(4), 1, 3),
  ]).toEqual([false, false, false, false]);
});

test('malformed text is found at any depth, in keys, too', () => {
  expect(findUnkeepable({ a: ['fine', { b: '😀', c: null, d: 1 }] })).toBeUndefined();
  expect(findUnkeepable({ a: ['fine', { b: 'nul\u0000' }] })).toMatchObject({
    loc: ['a', 1, 'b'],
    type: 'text',
  });
  expect(findUnkeepable({ a: { 'k\ud800': 1 } })).toMatchObject({ loc: ['a', '(key)'] });
  expect(findUnkeepable('\udc00')).toMatchObject({ loc: [] });
  const nested = (levels: number) => JSON.parse(`${'[1,'.repeat(levels)}2${']'.repeat(levels)}`);
  expect(findUnkeepable(nested(64))).toBeUndefined();
  expect(findUnkeepable(nested(20_000))).toMatchObject({ type: 'depth' });
  for (const text of ['\ud83d', '\ude00', '\ude00\ud83d', 'a\ud83db', '\0'])
    expect(isWellFormed(text)).toBe(false);
  expect(lengthOf('a😀é')).toBe(3);
});

test('Retry-After is a number of seconds, at most an hour, or a date with a day or month by name', () => {
  const now = Date.UTC(1994, 10, 6, 8, 0, 0);
  const seconds = (text: string | null) => {
    const millis = retryAfterMillis(text, now);
    return millis === null ? null : millis / 1_000;
  };
  expect(['36.5', ' 7 ', '0', '3601', '99999999999', '2030'].map(seconds)).toEqual([
    ...[36.5, 7, 0],
    ...[3_600, 3_600, 2_030],
  ]);
  const dates = [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    '6 November 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
  ];
  expect(dates.map(seconds)).toEqual(dates.map(() => 2_977));
  expect(seconds('Sun, 06 Nov 1994 07:49:37 GMT')).toBe(0);
  expect(seconds('Mon, 07 Nov 1994 08:00:00 GMT')).toBe(86_400);
  for (const text of [
    ...[null, '', '-1', '+1', '.5', '5.', '1e3', '0x10', '1, 2', '36,5', 'soon', 'May', 'Sun 6'],
    ...['1994-11-06', '1994-11-06T08:49:37Z', '06.11.1994', '11/6/1994', '36.5.2'],
    ...['Sun, 31 Feb 1994 08:49:37 GMT', 'Sun, 06 Nix 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 25:00:00 GMT'],
  ]) {
    expect([text, retryAfterMillis(text, now)]).toEqual([text, null]);
  }
});

test('a date-time has any offset, UTC without one, and is a real moment', () => {
  const iso = (text: string) => readDateTime(text)?.toISOString();
  expect(iso('2030-01-31T18:00:00Z')).toBe('2030-01-31T18:00:00.000Z');
  expect(iso('2030-01-31T18:00:00')).toBe('2030-01-31T18:00:00.000Z');
  expect(iso('2030-01-31T18:00')).toBe('2030-01-31T18:00:00.000Z');
  expect(iso('2030-01-31t18:00:00.1239z')).toBe('2030-01-31T18:00:00.123Z');
  expect(iso('2030-01-31T23:30:00-02:30')).toBe('2030-02-01T02:00:00.000Z');
  expect(iso('2030-01-31T18:00:00+0530')).toBe('2030-01-31T12:30:00.000Z');
  expect(iso('2028-02-29T00:00:00Z')).toBe('2028-02-29T00:00:00.000Z');
  for (const text of [
    '2030-02-29T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:60:00Z',
    '2030-01-01T00:00:60Z',
    '2030-01-01T00:00:00+25:00',
    '1969-12-31T23:59:59Z',
    '10000-01-01T00:00:00Z',
    '2030-01-01',
    '1893456000',
    'tomorrow',
    '',
  ]) {
    expect(readDateTime(text)).toBeUndefined();
  }
});
