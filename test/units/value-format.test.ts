import fc from 'fast-check';
import {
  type Format,
  gapText,
  isOwnText,
  isRoundedText,
  numberText,
  shownNumber,
  shownValue,
  valueText,
} from '../../src/base/value-format.js';

const of = (kind: Format['kind'], more: Partial<Format> = {}): Format => ({
  ...{ kind, decimals: null, timeUnit: null },
  ...more,
});
const text = (format: Format, value: number, unit: string | null = null) => valueText(format, unit, value);

test('a number is plain, however large or small', () => {
  const shown = [0, -0, 1234.5, -1234.5, 1.0000004, 1.234568e15, 5.551115e-17, -1e-9, 1e21].map(shownNumber);
  expect(shown).toEqual([
    ...['0', '0', '1,234.5', '-1,234.5', '1', '1,234,568,000,000,000', '0', '0'],
    '1,000,000,000,000,000,000,000',
  ]);
});

test('numbers have as many decimals as their values, at most three, or as many as are chosen', () => {
  expect([1200, 0.5, 0.12345, -2].map((value) => text(of('number'), value, 'points'))).toEqual([
    ...['1,200 points', '0.5 points', '0.123 points', '-2 points'],
  ]);
  const fixed = [0, 1, 6].map((decimals) => text(of('number', { decimals }), 1234.56));
  expect(fixed).toEqual(['1,235', '1,234.6', '1,234.560000']);
});

test('times are rounded before they are split', () => {
  const shown = [72.34, 59.9996, 3599.9996, 3723.456, 0, 12.8, 3600, 359999].map((value) =>
    text(of('time'), value),
  );
  expect(shown).toEqual([
    ...[
      '1:12.340',
      '1:00.000',
      '1:00:00.000',
      '1:02:03.456',
      '0:00.000',
      '0:12.800',
      '1:00:00.000',
      '99:59:59.000',
    ],
  ]);
  const millis = of('time', { timeUnit: 'milliseconds' });
  expect([72340, 59999.6, 1].map((value) => text(millis, value, 'ms'))).toEqual([
    '1:12.340',
    '1:00.000',
    '0:00.001',
  ]);
  const [whole, tenth] = [0, 1].map((decimals) => text(of('time', { decimals }), 59.96));
  expect([whole, tenth]).toEqual(['1:00', '1:00.0']);
  expect([-72.34, -0.0001, -3600].map((value) => text(of('time'), value))).toEqual([
    '-1:12.340',
    '0:00.000',
    '-1:00:00.000',
  ]);
});

test('shares are a hundred times their value', () => {
  const shown = [0.452, 0.07, 1, -0.5, 12.345678, 1e-9].map((value) => text(of('percent'), value, 'hits'));
  expect(shown).toEqual(['45.2 %', '7 %', '100 %', '-50 %', '1,234.568 %', '0 %']);
  expect(text(of('percent', { decimals: 1 }), 0.07)).toBe('7.0 %');
});

test('compact numbers go by what they are rounded to', () => {
  const values = [999, 999.996, 1000, 1234567, 999_999, 999_994, -2_500_000, 1e12, 1e33, 1e36];
  expect(values.map((value) => text(of('compact'), value, 'coins'))).toEqual([
    ...['999 coins', '1 K coins', '1 K coins', '1.23 M coins', '1 M coins', '999.99 K coins', '-2.5 M coins'],
    ...['1 T coins', '1 Dc coins', '1,000 Dc coins'],
  ]);
  expect([0, 1].map((decimals) => text(of('compact', { decimals }), 1_949_999))).toEqual(['2 M', '1.9 M']);
});

test('no text has an exponent, whatever the value', () => {
  const kinds = ['number', 'time', 'percent', 'compact'] as const;
  const value = fc.double({ noNaN: true, noDefaultInfinity: true });
  const decimals = fc.option(fc.integer({ min: 0, max: 6 }));
  fc.assert(
    fc.property(fc.constantFrom(...kinds), decimals, value, (kind, decimals, value) => {
      expect(text(of(kind, { decimals }), value)).toMatch(
        /^-?[\d,:.]+( %| [KMBT]| Qa| Qi| S[xp]| Oc| No| Dc)?$/,
      );
    }),
  );
});

/** The plain digits of a number as JSON has them, times a power of ten, rounded half up: by long hand, digit for digit. */
function byHand(value: number, decimals: number, power = 0): { whole: string; fraction: string } {
  const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e');
  const [before = '', after = ''] = mantissa.split('.');
  const point = before.length + Number(exponent) + power;
  const digits = point < 1 ? '0'.repeat(1 - point) + before + after : before + after;
  const end = Math.max(point, 1);
  const padded = digits.padEnd(end + decimals + 1, '0');
  const kept = [...padded.slice(0, end + decimals)].map(Number);
  let carry = Number(padded[end + decimals]) >= 5;
  for (let i = kept.length - 1; carry && i >= 0; i -= 1) {
    kept[i] = (kept[i]! + 1) % 10;
    carry = kept[i] === 0;
  }
  const whole = (carry ? '1' : '') + kept.slice(0, end).join('');
  return { whole: whole.replace(/^0+(?=\d)/, ''), fraction: kept.slice(end).join('') };
}

function handText({ whole, fraction }: { whole: string; fraction: string }, least: number): string {
  let kept = fraction;
  while (kept.length > least && kept.endsWith('0')) kept = kept.slice(0, -1);
  let apart = '';
  for (const [i, digit] of [...whole].entries())
    apart += (i > 0 && (whole.length - i) % 3 === 0 ? ',' : '') + digit;
  return kept === '' ? apart : `${apart}.${kept}`;
}

const MOST = { number: 3, time: 3, percent: 3, compact: 2 };
const SHORT = ['', ' K', ' M', ' B', ' T', ' Qa', ' Qi', ' Sx', ' Sp', ' Oc', ' No', ' Dc'];

function expected(
  kind: keyof typeof MOST,
  decimals: number | null,
  isMillis: boolean,
  value: number,
): string {
  const most = decimals ?? MOST[kind];
  const least = decimals ?? (kind === 'time' ? most : 0);
  const signed = (size: string) => `${value < 0 && /[1-9]/.test(size) ? '-' : ''}${size}`;
  if (kind === 'number') return signed(handText(byHand(value, most), least));
  if (kind === 'percent') return `${signed(handText(byHand(value, most, 2), least))} %`;
  if (kind === 'compact') {
    let step = 0;
    while (step < 11 && byHand(value, most, -3 * step).whole.length > 3) step += 1;
    return signed(handText(byHand(value, most, -3 * step), least)) + SHORT[step];
  }
  const { whole, fraction } = byHand(value, most, isMillis ? -3 : 0);
  const all = BigInt(whole);
  const [hours, minutes, seconds] = [all / 3600n, (all / 60n) % 60n, all % 60n];
  const two = (part: bigint) => String(part).padStart(2, '0');
  const head =
    hours > 0n ? `${handText({ whole: String(hours), fraction: '' }, 0)}:${two(minutes)}` : minutes;
  return signed(`${head}:${two(seconds)}${fraction && `.${fraction}`}`);
}

test('every text is that of decimal arithmetic, whatever size, sign and format', () => {
  /** As people type them: halves at the last decimal are frequent. */
  const typed = fc
    .tuple(
      fc.boolean(),
      fc.integer({ min: 0, max: 99_999_999 }),
      fc.integer({ min: -9, max: 34 }),
      fc.boolean(),
    )
    .map(([minus, digits, power, half]) => Number(`${minus ? '-' : ''}${digits}${half ? '5' : ''}e${power}`));
  const value = fc.oneof(typed, typed, fc.double({ noNaN: true, noDefaultInfinity: true }));
  const kind = fc.constantFrom(...(Object.keys(MOST) as (keyof typeof MOST)[]));
  const decimals = fc.option(fc.integer({ min: 0, max: 6 }));
  fc.assert(
    fc.property(kind, decimals, fc.boolean(), value, (kind, decimals, isMillis, value) => {
      const format = of(kind, { decimals, timeUnit: isMillis ? 'milliseconds' : null });
      expect(text(format, value)).toBe(expected(kind, decimals, isMillis, value));
    }),
    { numRuns: 5_000 },
  );
  // Products and quotients of doubles round these halves down.
  expect(text(of('number', { decimals: 2 }), 1.005)).toBe('1.01');
  expect(text(of('time'), 1.0005)).toBe('0:01.001');
  expect(text(of('time', { timeUnit: 'milliseconds' }), 72_340.5)).toBe('1:12.341');
  expect(text(of('percent', { decimals: 0 }), 0.145)).toBe('15 %');
  expect(text(of('compact', { decimals: 1 }), 1_150)).toBe('1.2 K');
});

test('a value is shown with its unit, and its exact number where its text is short', () => {
  const show = (format: Format | null, value: number, display: string | null = null) =>
    shownValue({ format, unit: 'pts' }, value, display);
  expect(show(null, 1200)).toEqual({ text: '1,200', unit: 'pts' });
  expect(show(null, 1200, 'gold')).toEqual({ text: 'gold', unit: null });
  expect(show(of('compact'), 1234567)).toEqual({ text: '1.23 M', unit: 'pts', exact: '1,234,567' });
  expect(show(of('compact'), 12)).toEqual({ text: '12', unit: 'pts' });
  // The service has sent the text.
  expect(show(of('compact'), 1234567, '1.23 M pts')).toEqual(show(of('compact'), 1234567));
  expect(show(of('TIME', { timeUnit: 'MILLISECONDS' }), 72340, '1:12.340')).toEqual({
    text: '1:12.340',
    unit: null,
  });
  expect([
    isOwnText({ format: of('time'), unit: null }, 72.34, '1:12.340'),
    isOwnText({ format: of('time'), unit: null }, 72.34, '72 s'),
  ]).toEqual([false, true]);
});

test('a difference has the format of the values', () => {
  expect(
    [of('time'), of('percent'), of('compact'), null].map((format) => gapText({ format }, -1250)),
  ).toEqual([...['20:50.000', '125,000 %', '1.25 K', '1,250']]);
});

test('a text is read as the number that it shows', () => {
  const read = (format: Format, text: string) => {
    const found = numberText(format, text);
    return found === undefined ? undefined : Number(found);
  };
  const time = of('time');
  expect(['1:12.340', '1:02:03.5', '-0:05', '120:00', '\u22120:01'].map((text) => read(time, text))).toEqual([
    72.34, 3723.5, -5, 7200, -1,
  ]);
  expect(read(of('time', { timeUnit: 'milliseconds' }), '1:12.340')).toBe(72_340);
  expect(['1:60', '1:2', '72.34', 'x', '1:72:00', '1:00:5'].map((text) => read(time, text))).toEqual(
    Array(6).fill(undefined),
  );
  const share = of('percent');
  expect(['45.2 %', '45.2%', '-1,234.5 %', '100 %'].map((text) => read(share, text))).toEqual([
    0.452, 0.452, -12.345, 1,
  ]);
  expect(['45.2', '4,5 %', '%'].map((text) => read(share, text))).toEqual([undefined, undefined, undefined]);
  expect(read(of('number'), '1,200')).toBeUndefined();
  expect(['1.23 M', '999 K', '2Qa', '1 M coins', '1200', '12 coins'].map(isRoundedText)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('times and shares that are written are read as they were, as far as they are written', () => {
  const cents = fc.integer({ min: -1e9, max: 1e9 });
  fc.assert(
    fc.property(
      cents,
      fc.constantFrom('time', 'percent'),
      fc.constantFrom('seconds', 'milliseconds'),
      (cents, kind, timeUnit) => {
        const format = of(kind as 'time', { timeUnit: timeUnit as 'seconds' });
        const value = kind === 'percent' || timeUnit === 'seconds' ? cents / 1_000 : cents;
        expect(Number(numberText(format, text(format, value))) + 0).toBeCloseTo(value, 6);
      },
    ),
  );
});
