import { randomInt } from 'node:crypto';

/** No 0, O, 1, I: codes are read out and typed. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const LENGTH = 6;

export function generateShortCode(): string {
  let code = '';
  for (let index = 0; index < LENGTH; index += 1) code += ALPHABET[randomInt(ALPHABET.length)];
  return code;
}

/** True if a supplied code is well-formed, in either case. */
export function isShortCode(code: unknown): boolean {
  return typeof code === 'string' && /^[A-Za-z0-9]{3,16}$/.test(code);
}
