/** How a file writes fractions. */
export const DECIMALS = ['point', 'comma'] as const;
export type Decimal = (typeof DECIMALS)[number];

/** The unit of a board whose runs a file writes as clock times. */
export type ClockUnit = 's' | 'ms';

/** Thrown with the reason why a value cannot be read. */
export class BadValue extends Error {}

// 1:12.340 · 1:02:03 · 1'12"340 · 12,340
const COLONS = /^(?:(?:(\d+)[:h])?(\d+)[:'′])?(\d+)(?:[.,"″](\d+))?["″]?$/;
// 1h 2m 3s 456ms · 72.34s
const LETTERS =
  /^(?:(\d+)\s*h(?:ours?|rs?)?\s*)?(?:(\d+)\s*m(?:in(?:ute)?s?)?\s*)?(?:(\d+)(?:[.,](\d+))?\s*s(?:ec(?:ond)?s?)?\s*)?(?:(\d{1,3})\s*ms)?$/i;
// PT1M12.34S
const ISO = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d+))?S)?$/i;

/** True for a time as a clock shows it, which is no number. */
export function isClockTime(text: string): boolean {
  return !/^[-+]?[\d.,]*$/.test(text) && readClock(text) !== undefined;
}

/** The whole seconds of a clock time, and the digits after the point. */
function readClock(text: string): { seconds: number; fraction: string } | undefined {
  const match = COLONS.exec(text) ?? ISO.exec(text) ?? (text === '' ? null : LETTERS.exec(text));
  if (!match || match.slice(1).every((part) => part === undefined)) return undefined;
  const [hours, minutes, seconds] = match.slice(1, 4);
  // Minutes and seconds below a larger unit are fewer than sixty.
  if (hours !== undefined && Number(minutes ?? 0) > 59) return undefined;
  if ((hours ?? minutes) !== undefined && Number(seconds ?? 0) > 59) return undefined;
  if (match[4] !== undefined && match[5] !== undefined) return undefined;
  return {
    seconds: (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0),
    fraction: match[4] ?? match[5]?.padStart(3, '0') ?? '',
  };
}

/** The number of a clock time, digit by digit: nothing is rounded. @throws BadValue */
export function clockNumber(text: string, unit: ClockUnit): string {
  const read = readClock(text.trim());
  if (!read) throw new BadValue(`value "${text}" is not a clock time like 1:12.340`);
  const { seconds, fraction } = read;
  if (unit === 's') return fraction === '' ? String(seconds) : `${seconds}.${fraction}`;
  const beyond = fraction.slice(3);
  const millis = seconds * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return beyond === '' ? String(millis) : `${millis}.${beyond}`;
}

/** Numbers with thousands apart: groups of three, with a mark or a blank between them. */
const GROUPED: Record<Decimal, RegExp> = {
  point: /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$|^[-+]?\d{1,3}(?:[\s\u00a0\u202f]\d{3})+(?:\.\d*)?$/,
  comma: /^[-+]?\d{1,3}(?:\.\d{3})+(?:,\d*)?$|^[-+]?\d{1,3}(?:[\s\u00a0\u202f]\d{3})+(?:,\d*)?$/,
};
const PLAIN: Record<Decimal, RegExp> = { point: /^[^,]*$/, comma: /^[^.]*$/ };

/** The number that a text with commas is. @throws BadValue it may be two, or is not written as it was said */
export function plainNumber(text: string, decimal: Decimal | undefined): string {
  const trimmed = text.trim();
  if (decimal === undefined) {
    if (/^[-+]?\d+(?:\.\d+){2,}$/.test(trimmed))
      throw new BadValue(
        `value "${text}" has several points. Use --decimal comma if they separate thousands`,
      );
    if (!trimmed.includes(',')) return trimmed;
    throw new BadValue(
      `value "${text}" has a comma. Use --decimal comma if it is the decimal separator, --decimal point if it separates thousands`,
    );
  }
  const [thousands, fraction] = decimal === 'comma' ? ['.', ','] : [',', '.'];
  if (!PLAIN[decimal].test(trimmed) && !GROUPED[decimal].test(trimmed)) {
    throw new BadValue(`value "${text}" is not a number with a decimal ${decimal}`);
  }
  const digits = GROUPED[decimal].test(trimmed) ? trimmed.replaceAll(/\s/g, '') : trimmed;
  return digits.replaceAll(thousands, '').replace(fraction, '.');
}
