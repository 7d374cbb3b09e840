import { randomInt } from 'node:crypto';
import anyAscii from 'any-ascii';
import { DomainError } from './errors.js';
import { lengthOf } from './text.js';

/** Lower-case letters and digits in groups joined by single hyphens, 2–50 characters. */
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST_SLUG = 50;

/** The rule of slugs in JSON Schema. */
export const SLUG_SCHEMA = { pattern: SLUG.source, minLength: 2, maxLength: LONGEST_SLUG };

/** Returns the caller's slug if it is valid. @throws DomainError INVALID_SLUG */
export function checkedSlug(slug: string): string {
  if (SLUG.test(slug) && slug.length >= 2 && slug.length <= LONGEST_SLUG) return slug;
  throw new DomainError(
    'INVALID_SLUG',
    'A slug must be 2 to 50 characters: lowercase letters and digits, with single hyphens between them.',
  );
}

/** The alphabet of short codes: characters that are not mistaken for others. */
const RANDOM = '23456789abcdefghjkmnpqrstuvwxyz';
const RANDOM_LENGTH = 6;

/**
 * Returns the slug of a name: ASCII letters in lower case, blanks and underscores as hyphens, all other characters
 * dropped. A name of one character gets a number; a longer name without a slug, e.g. of emoji, becomes the kind of the
 * record and a random word.
 */
export function slugify(name: string, kind: 'account' | 'game' | 'board'): string {
  const slug = anyAscii(name.normalize('NFC'))
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, '');
  if (slug.length >= 2) return slug;
  if (slug.length === 1 && lengthOf(name.trim()) === 1) return `${slug}-1`;
  const word = Array.from({ length: RANDOM_LENGTH }, () => RANDOM[randomInt(RANDOM.length)]);
  return `${kind}-${word.join('')}`;
}

/** Returns the n-th candidate when `slug` is taken: itself, then `-2`, `-3`, …, cut to the length limit. */
export function numberedSlug(slug: string, n: number): string {
  if (n === 1) return slug;
  const tail = `-${n}`;
  return slug.slice(0, LONGEST_SLUG - tail.length).replace(/-$/, '') + tail;
}
