// NUL cannot be stored by Postgres; a lone surrogate cannot be encoded as UTF-8.
const MALFORMED = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const CONTROL = /[\p{Cc}\u2028\u2029]/u;

export function isWellFormed(text: string): boolean {
  return !MALFORMED.test(text);
}

/** Whether `text` holds a C0 or C1 control character or a line separator. */
export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** Length as Postgres' char_length counts it: code points. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/**
 * Where the first string or key with NUL or an unpaired surrogate lies in a JSON value, at any depth.
 * @returns the path to it (to the key's object, then the key), or undefined when all text is well-formed.
 */
export function findMalformedText(value: unknown): (string | number)[] | undefined {
  if (typeof value === 'string') return isWellFormed(value) ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = findMalformedText(value[index]);
      if (found) return [index, ...found];
    }
    return undefined;
  }
  for (const [key, member] of Object.entries(value)) {
    // The key itself cannot be shown: it would be malformed in the answer, too.
    if (!isWellFormed(key)) return ['(key)'];
    const found = findMalformedText(member);
    if (found) return [key, ...found];
  }
  return undefined;
}
