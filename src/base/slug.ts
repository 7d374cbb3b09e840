import { randomInt } from 'node:crypto';
import anyAscii from 'any-ascii';
import { DomainError } from './errors.js';
import { lengthOf } from './text.js';

/** Lower-case letters and digits in groups joined by single hyphens, 2–50 characters (decisions.md section 1). */
const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST = 50;

/** The slug as the caller gave it. @throws DomainError INVALID_SLUG */
export function checkedSlug(slug: string): string {
  if (SLUG.test(slug) && slug.length >= 2 && slug.length <= LONGEST) return slug;
  throw new DomainError(
    'INVALID_SLUG',
    'A slug is 2 to 50 lower-case letters and digits, with single hyphens between them',
  );
}

/** As of short codes: characters that are not mistaken for others. */
const RANDOM = '23456789abcdefghjkmnpqrstuvwxyz';
const RANDOM_LENGTH = 6;

/**
 * The slug of a name: in ASCII letters, lower case, blanks and underscores to hyphens, everything else dropped. A name of one
 * character gets a number; where a longer one leaves no slug, as emoji may, it is the kind of the record and a random word.
 */
export function slugify(name: string, kind: 'account' | 'game' | 'board'): string {
  const slug = anyAscii(name.normalize('NFC'))
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
  if (slug.length >= 2) return slug;
  if (slug.length === 1 && lengthOf(name.trim()) === 1) return `${slug}-1`;
  const word = Array.from({ length: RANDOM_LENGTH }, () => RANDOM[randomInt(RANDOM.length)]);
  return `${kind}-${word.join('')}`;
}

/** The n-th choice when `slug` is taken: itself, then `-2`, `-3`, …, cut so that it stays within the limit. */
export function numberedSlug(slug: string, n: number): string {
  if (n === 1) return slug;
  const tail = `-${n}`;
  return slug.slice(0, LONGEST - tail.length).replace(/-$/, '') + tail;
}
