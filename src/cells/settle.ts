import { type Queryable } from '../db/pool.js';
import type { Directory } from './directory.js';

/** Waits for a transaction that is writing one of the claims. */
const ABANDON = {
  name: 'abandon_claims',
  text: `
    insert into name_claims (claim_id, outcome) select c, 'abandoned' from unnest($1::uuid[]) c order by c
    on conflict (claim_id) do nothing`,
};

/** Another statement, so that it sees what the first one has waited for. */
const DONE = {
  name: 'done_claims',
  text: `select claim_id as id from name_claims where claim_id = any($1::uuid[]) and outcome = 'done'`,
};

/**
 * Decides claims by the rows of their transactions: written, or never to be written. The one way in which claims end,
 * of a write that has just ended as of one whose process died.
 */
export async function settleClaims(cell: Queryable, directory: Directory, claims: string[]): Promise<void> {
  if (claims.length === 0) return;
  await cell.query({ ...ABANDON, values: [claims] });
  const { rows } = await cell.query<{ id: string }>({ ...DONE, values: [claims] });
  const done = new Set(rows.map(({ id }) => id));
  await directory.settle(
    [...done],
    claims.filter((claim) => !done.has(claim)),
  );
}

const OLD = {
  name: 'old_claims',
  text: `select claim_id as id from name_claims where noted_at < now() - interval '1 day' order by noted_at limit 1000`,
};
const FORGET = { name: 'forget_claims', text: 'delete from name_claims where claim_id = any($1::uuid[])' };

/** Deletes rows that no claim needs any more. A row is needed as long as the directory does not know the outcome. */
export async function forgetClaims(cell: Queryable, directory: Directory): Promise<void> {
  const { rows } = await cell.query<{ id: string }>(OLD);
  if (rows.length === 0) return;
  const claims = rows.map(({ id }) => id);
  const open = new Set(await directory.stillOpen(claims));
  await cell.query({ ...FORGET, values: [claims.filter((claim) => !open.has(claim))] });
}
