import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Number of leading characters of a key that are public and unique; keys are looked up by them. */
export const PREFIX_LENGTH = 14;

/** A new key: the configured prefix and 43 URL-safe characters of 32 random bytes. */
export function generateKey(keyPrefix: string): string {
  return keyPrefix + randomBytes(32).toString('base64url');
}

export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/** The stored form of a key. A keyed hash: a stolen table alone confirms no guess. */
export function hashKey(secret: string, key: string): Buffer {
  return createHmac('sha256', secret).update(key).digest();
}

export function matchesHash(secret: string, key: string, hash: Buffer): boolean {
  return timingSafeEqual(hashKey(secret, key), hash);
}
