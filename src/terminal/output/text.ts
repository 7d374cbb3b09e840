/**
 * Characters that would steer a terminal or turn the order of what it shows: names come from players, who may be
 * anybody.
 */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function escaped(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
}

/** Text that a terminal can be given. */
export function printable(text: string): string {
  return text.replace(STEERING, escaped);
}

/** JSON text of a value that a terminal can be given and that says the same to a parser. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[^\P{Cc}\n]/gu, escaped);
}

/** What a cell or a field shows of any value. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(shown).join(', ');
  if (typeof value === 'object') return jsonText(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** A time to the minute, in UTC: `2026-03-01 18:00`. */
export function minute(time: string | null): string | null {
  return time === null ? null : time.slice(0, 16).replace('T', ' ');
}
