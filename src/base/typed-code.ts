import { randomInt } from 'node:crypto';

/** Without letters and digits that look alike: 32 characters, 5 bits each. */
export const TYPED_CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A random code that a person reads and types. */
export function typedCode(length: number): string {
  return Array.from({ length }, () => TYPED_CODE_ALPHABET[randomInt(TYPED_CODE_ALPHABET.length)]).join('');
}
