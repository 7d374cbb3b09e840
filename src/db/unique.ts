import type { Knex } from 'knex';
import { numberedSlug } from '../base/slug.js';
import type { BareRow, Rows } from './row.js';

const UNIQUE_VIOLATION = '23505';

/** True if the database refused a row because of this unique index. */
export function violates(error: unknown, constraint: string): boolean {
  const fault = ((error as { nativeError?: unknown })?.nativeError ?? error) as Partial<
    Record<string, unknown>
  >;
  return fault?.code === UNIQUE_VIOLATION && fault.constraint === constraint;
}

/** More concurrent conflicts for one value are no coincidence. */
const TRIES = 20;

/**
 * Writes with a generated value that a concurrent write may take first: `next` returns a candidate, `write` runs in a
 * savepoint, and a violation of `constraint` leads to the next candidate.
 */
export async function writeUnique<T>(
  trx: Knex.Transaction,
  constraint: string,
  next: () => string | Promise<string>,
  write: (savepoint: Knex.Transaction, value: string) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const value = await next();
    try {
      return await trx.transaction((savepoint) => write(savepoint, value));
    } catch (error) {
      if (tries >= TRIES || !violates(error, constraint)) throw error;
    }
  }
}

/** Returns the first of `slug`, `slug-2`, `slug-3`, … that no row of `taken` (a query for the column slug) has. */
export async function freeSlug<R extends BareRow & { slug: string }>(
  taken: Rows<R>,
  slug: string,
): Promise<string> {
  // A candidate may be cut before its number, hence the shorter stem.
  const stem = slug.slice(0, 40);
  const rows = await taken.clone().select('slug').where('slug', 'like', `${stem}%`);
  const used = new Set(rows.map((row) => row.slug));
  let n = 1;
  while (used.has(numberedSlug(slug, n))) n += 1;
  return numberedSlug(slug, n);
}
