import { DomainError } from './errors.js';

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

/**
 * The slug of a name: lower case, accents stripped, blanks and underscores to hyphens, everything else dropped.
 * One character alone is too short for a slug and gets a number.
 * @throws DomainError INVALID_SLUG when nothing is left
 */
export function slugify(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
  if (slug.length >= 2) return slug;
  if (slug.length === 1) return `${slug}-1`;
  throw new DomainError('INVALID_SLUG', 'No slug can be made from this name: give a slug of your own');
}

/** The n-th choice when `slug` is taken: itself, then `-2`, `-3`, …, cut so that it stays within the limit. */
export function numberedSlug(slug: string, n: number): string {
  if (n === 1) return slug;
  const tail = `-${n}`;
  return slug.slice(0, LONGEST - tail.length).replace(/-$/, '') + tail;
}
