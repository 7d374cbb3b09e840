// Postgres cannot store NUL; UTF-8 cannot encode a lone surrogate.
const MALFORMED = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/** One character that {@link hasControl} permits, as JSON Schema patterns write it. */
export const NO_CONTROL = '[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]';

export function isWellFormed(text: string): boolean {
  return !MALFORMED.test(text);
}

/** True if `text` contains a C0 or C1 control character or a line separator. */
export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

// Fonts draw nothing for these, though Unicode counts them as letters and symbols: all that is ignorable by default (Hangul fillers and
// the like), and the blanks of Braille, of musical notation and of hieroglyphs.
const VISIBLE =
  /(?![\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}])[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * True if `text` contains a visible character: a letter, digit, sign or symbol, not only blanks and invisible
 * characters.
 */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Characters as people count them (grapheme clusters): an emoji of a family is one. */
function charactersIn(text: string): number {
  let characters = 0;
  for (const _ of graphemes.segment(text)) characters += 1;
  return characters;
}

/** Most code points of a name by its characters, on average: what is stored of it is bounded (migrations/102_names.sql). */
export const POINTS_A_CHARACTER = 4;

/**
 * The reason why a value is not a name of so many characters without blanks around it; undefined: it is one. The message follows the
 * field's name.
 */
export function nameFault(value: unknown, min: number, max: number): string | undefined {
  const sentence = `must be ${min} to ${max} visible characters without control characters`;
  if (typeof value !== 'string' || hasControl(value) || !isVisible(value)) return sentence;
  const name = value.trim();
  const points = lengthOf(name);
  // Hardly any name needs to be looked at for its characters, and no endless one is.
  if (points <= max && min === 1) return undefined;
  const most = max * POINTS_A_CHARACTER;
  if (points > 4 * most) return sentence;
  const characters = charactersIn(name);
  if (characters < min || characters > max) return `${sentence}, not ${characters}`;
  return points > most ? `${sentence}, of at most ${most} code points` : undefined;
}

/** True for a label: no control characters, a visible one, and the length in code points without blanks around it. */
export function isLabel(value: unknown, min: number, max: number): value is string {
  if (typeof value !== 'string' || hasControl(value) || !isVisible(value)) return false;
  const length = lengthOf(value.trim());
  return length >= min && length <= max;
}

/** The text, or null where there is nothing to see in it: a value's own text must not hide the value. */
export function seenText(text: string | null | undefined): string | null {
  return text != null && isVisible(text) ? text : null;
}

/** Returns the length in code points, as Postgres' char_length does. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Most nesting levels of a JSON value: far above real data, far below a stack overflow. */
const DEEPEST = 64;

/** The part of a JSON value that cannot be stored: a detail of the 422 that refuses it. */
export interface Unkeepable {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/**
 * Returns the first string or key in a JSON value with a NUL or an unpaired surrogate, at any depth, the first number
 * that no double holds (`1e400` is read as Infinity, and would be stored as null), or the first value that is nested too
 * deeply.
 */
export function findUnkeepable(value: unknown, depth = 0): Unkeepable | undefined {
  if (typeof value === 'string') return isWellFormed(value) ? undefined : malformed([]);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : INFINITE;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === DEEPEST)
    return { loc: [], msg: `must not be nested deeper than ${DEEPEST} levels`, type: 'depth' };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = findUnkeepable(value[index], depth + 1);
      if (found) return { ...found, loc: [index, ...found.loc] };
    }
    return undefined;
  }
  for (const [key, member] of Object.entries(value)) {
    // The key itself cannot be shown: it would make the response malformed, too.
    if (!isWellFormed(key)) return malformed(['(key)']);
    const found = findUnkeepable(member, depth + 1);
    if (found) return { ...found, loc: [key, ...found.loc] };
  }
  return undefined;
}

const INFINITE: Unkeepable = { loc: [], msg: 'must be a finite number', type: 'number' };

function malformed(loc: (string | number)[]): Unkeepable {
  return { loc, msg: 'must not contain NUL or an unpaired surrogate', type: 'text' };
}
