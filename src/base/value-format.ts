/** How a board shows its values. Shared by service, pages, console and terminal: pure, and without imports. */
export interface Format {
  /** In either case: GraphQL's enum values are in upper case. */
  kind: Kind | Uppercase<Kind>;
  /** 0 to 6; null: the kind's own. */
  decimals: number | null;
  /** The unit of the values of `time`; null: seconds. */
  timeUnit: TimeUnit | Uppercase<TimeUnit> | null;
}

export const MOST_DECIMALS = 6;

type Kind = 'number' | 'time' | 'percent' | 'compact';
type TimeUnit = 'seconds' | 'milliseconds';

/** Decimals without a choice: at least and at most. Times of one list have equally many; of millionths three are enough. */
const DECIMALS: Record<Kind, readonly [least: number, most: number]> = {
  number: [0, 3],
  time: [3, 3],
  percent: [0, 3],
  compact: [0, 2],
};

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const THOUSAND = 1_000;
const NAMES = ['', 'K', 'M', 'B', 'T', 'Qa', 'Qi', 'Sx', 'Sp', 'Oc', 'No', 'Dc'];

const TEN = 10n;

const DIGITS = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * The size of a value times a power of ten, in units of the last of its decimals; halves are rounded up. By the digits that JSON shows
 * of the value, as people calculate: products and quotients of doubles would round some halves down.
 */
function rounded(value: number, decimals: number, power = 0): bigint {
  // A difference of two values may be beyond all numbers.
  const size = Math.min(Math.abs(value), Number.MAX_VALUE);
  const [, whole = '0', fraction = '', exponent = '0'] = DIGITS.exec(String(size)) ?? [];
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length + power + decimals;
  if (shift >= 0) return digits * TEN ** BigInt(shift);
  const divisor = TEN ** BigInt(-shift);
  return (digits * 2n + divisor) / (divisor * 2n);
}

/** Thousands apart: `1,234`. */
function inGroups(whole: string): string {
  const first = whole.length % 3 || 3;
  return [whole.slice(0, first), ...(whole.slice(first).match(/\d{3}/g) ?? [])].join(',');
}

/** A number of such units as text, with at least so many of its decimals. */
function decimalText(isNegative: boolean, units: bigint, least: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const end = digits.length - decimals;
  const fraction = digits.slice(end, end + least) + digits.slice(end + least).replace(/(?<!0)0+$/, '');
  const sign = isNegative && units !== 0n ? '-' : '';
  return `${sign}${inGroups(digits.slice(0, end))}${fraction && `.${fraction}`}`;
}

/** @param power of ten that the value is multiplied by */
function grouped(value: number, least: number, most: number, power = 0): string {
  return decimalText(value < 0, rounded(value, most, power), least, most);
}

/** A number in readable form, however large or small: `1,234.5`. */
export function shownNumber(value: number): string {
  return grouped(value, 0, MOST_DECIMALS);
}

function kindOf({ kind }: Format): Kind {
  return kind.toLowerCase() as Kind;
}

function decimalsOf(format: Format): readonly [least: number, most: number] {
  const { decimals } = format;
  return decimals === null ? DECIMALS[kindOf(format)] : [decimals, decimals];
}

function isMillis({ timeUnit }: Format): boolean {
  return timeUnit?.toLowerCase() === 'milliseconds';
}

/** `1:12.340`, `1:02:03`. Rounded before it is split, so that no second is the sixtieth. @param power of ten that makes it seconds */
function clock(value: number, decimals: number, power: number): string {
  const units = rounded(value, decimals, power);
  const second = TEN ** BigInt(decimals);
  const [hour, minute] = [BigInt(HOUR), BigInt(MINUTE)];
  const all = units / second;
  const two = (part: bigint) => String(part).padStart(2, '0');
  const minutes = (all % hour) / minute;
  const head = all >= hour ? `${inGroups(String(all / hour))}:${two(minutes)}` : String(minutes);
  const fraction = decimals === 0 ? '' : `.${String(units % second).padStart(decimals, '0')}`;
  return `${value < 0 && units > 0n ? '-' : ''}${head}:${two(all % minute)}${fraction}`;
}

function compact(value: number, least: number, most: number): string {
  let step = 0;
  const units = () => rounded(value, most, -3 * step);
  const thousand = BigInt(THOUSAND) * TEN ** BigInt(most);
  // By what is shown: 999,999 is no 1,000 K.
  while (step < NAMES.length - 1 && units() >= thousand) step += 1;
  const name = NAMES[step];
  return `${decimalText(value < 0, units(), least, most)}${name && ` ${name}`}`;
}

/** The value in its format, without the board's unit. */
export function formattedNumber(format: Format, value: number): string {
  const [least, most] = decimalsOf(format);
  switch (kindOf(format)) {
    case 'time':
      return clock(value, most, isMillis(format) ? -3 : 0);
    case 'percent':
      return `${grouped(value, least, most, 2)} %`;
    case 'compact':
      return compact(value, least, most);
    default:
      return grouped(value, least, most);
  }
}

/** The unit that stands behind a value: times and shares have their own. */
export function unitBehind(format: Format | null, unit: string | null): string | null {
  const kind = format && kindOf(format);
  return kind === 'time' || kind === 'percent' ? null : unit;
}

/** The text of a value: `1:12.340`, `45.2 %`, `1.23 M coins`. */
export function valueText(format: Format, unit: string | null, value: number): string {
  const behind = unitBehind(format, unit);
  return `${formattedNumber(format, value)}${behind === null ? '' : ` ${behind}`}`;
}

/** A value with its unit where people read it: by its board's format, or plain. */
export function measuredText({ format, unit }: Measure, value: number): string {
  if (format) return valueText(format, unit, value);
  return unit === null ? shownNumber(value) : `${shownNumber(value)} ${unit}`;
}

/** A value as a face shows it. */
export interface ShownValue {
  /** The game's own text, or the number. */
  text: string;
  unit: string | null;
  /** The number that the text rounds; undefined: it does not. */
  exact?: string;
}

/** What a board's values are shown in. */
export interface Measure {
  format: Format | null;
  unit: string | null;
}

/** True if the text is the game's own, and not that of the board's format. */
export function isOwnText({ format, unit }: Measure, value: number, display: string | null): boolean {
  return display !== null && (format === null || display !== valueText(format, unit, value));
}

/** A value with the text that the service sent with it, which may be the board's own. */
export function shownValue(measure: Measure, value: number, display: string | null): ShownValue {
  const { format, unit } = measure;
  if (isOwnText(measure, value, display)) return { text: display!, unit: null };
  if (format === null) return { text: shownNumber(value), unit };
  const shown = { text: formattedNumber(format, value), unit: unitBehind(format, unit) };
  const isRounded = kindOf(format) === 'compact' && Math.abs(value) >= THOUSAND;
  return isRounded ? { ...shown, exact: shownNumber(value) } : shown;
}

/** A difference of two values, without a sign: `0:01.250`. */
export function gapText({ format }: Pick<Measure, 'format'>, difference: number): string {
  const size = Math.abs(difference);
  return format === null ? shownNumber(size) : formattedNumber(format, size);
}

const CLOCK = /^([-+\u2212]?)(?:(\d+):([0-5]\d)|(\d+)):([0-5]\d)(?:\.(\d+))?$/;
const SHARE = /^([-+\u2212]?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?\s?%$/;

/**
 * The number of a text in a board's format, as text that keeps its digits: `1:12.340` is `72.340`, `45.2 %` is `45.2e-2`. Undefined: it
 * is no such text.
 */
export function numberText(format: Format, text: string): string | undefined {
  const kind = kindOf(format);
  const [, sign = '', ...parts] =
    (kind === 'time' ? CLOCK : kind === 'percent' ? SHARE : undefined)?.exec(text) ?? [];
  if (parts.length === 0) return undefined;
  const minus = sign === '' || sign === '+' ? '' : '-';
  if (kind === 'percent') return `${minus}${parts[0]!.replaceAll(',', '')}.${parts[1] ?? '0'}e-2`;
  const [hours = '0', minutes, onlyMinutes, seconds, fraction = '0'] = parts;
  const all = Number(hours) * HOUR + Number(minutes ?? onlyMinutes) * MINUTE + Number(seconds);
  return `${minus}${all}.${fraction}${isMillis(format) ? 'e3' : ''}`;
}

const ROUNDED = new RegExp(`^[-+]?[\\d.,]+\\s?(?:${NAMES.slice(1).join('|')})\\b`, 'i');

/** True for a text such as `1.23 M`, which is not the number it was made from. */
export function isRoundedText(text: string): boolean {
  return ROUNDED.test(text);
}
