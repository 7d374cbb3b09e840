import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** Alphabet without letters and digits that look alike (decisions.md section 8): 32 characters, 30 bits a code. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
export const CODE_LENGTH = 6;

const TOKEN_BYTES = 32;

/** A random code that a person reads in a mail and types. */
export function generateCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A verification token: 43 URL-safe characters of 32 random bytes. */
export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The stored form of a code. Bound to its address: equal codes of two addresses have different hashes. */
export function hashCode(secret: string, email: string, code: string): Buffer {
  return createHmac('sha256', secret).update(`code\0${email}\0${code.toUpperCase()}`).digest();
}

export function hashToken(secret: string, token: string): Buffer {
  return createHmac('sha256', secret).update(`verification token\0${token}`).digest();
}

export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
