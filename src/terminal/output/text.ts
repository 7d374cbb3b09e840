/** Characters that would control a terminal or reorder its text: names come from players, who are not trusted. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function escaped(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
}

/** Text that is safe for a terminal. */
export function printable(text: string): string {
  return text.replace(STEERING, escaped);
}

/** JSON text that is safe for a terminal and parses to the same value. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[^\P{Cc}\n]/gu, escaped);
}

/** Text of any value in a cell or a field. */
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
