/** A number that a double does not keep, as text: no text of a record begins so, since NUL is refused. */
const ROUNDED = /^\0(-?\d.*)/;
/** Most significant digits that a double keeps. */
const SIGNIFICANT = 17;

/** True if text of a number is the same number as a double: large whole numbers and long fractions are not. */
export function keepsDigits(text: string): boolean {
  const number = Number(text);
  if (!Number.isFinite(number) || Number.isSafeInteger(number)) {
    return !/[1-9]/.test(text) || number !== 0;
  }
  if (String(number) === text.replace('+', '')) return true;
  if (/^[-+]?\d+$/.test(text)) return BigInt(text.replace('+', '')) === BigInt(number);
  const [digits = ''] = text.split(/e/i);
  return digits.replace(/\D/g, '').replace(/^0+|0+$/g, '').length <= SIGNIFICANT;
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** JSON.parse, except that numbers which a double would round become marked text ({@link roundedNumber}). */
export function parseExactly(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!/\d[\d.]{15}/.test(text)) return parsed;
  const marked = text.replace(TOKEN, (token) =>
    token.startsWith('"') || keepsDigits(token) ? token : `"\\u0000${token}"`,
  );
  return marked === text ? parsed : JSON.parse(marked);
}

/** The digits of a number that {@link parseExactly} did not round; undefined for every other value. */
export function roundedNumber(value: unknown): string | undefined {
  return typeof value === 'string' ? ROUNDED.exec(value)?.[1] : undefined;
}
