import { SetupError } from '../base/errors.js';
import type { Queryable } from '../db/pool.js';
import type { Directory } from './directory.js';
import { ALL_NAMES } from './held-names.js';

const PORTION = 2_000;
/** Names shown of those that another cell has. */
const SHOWN = 5;

const KNOWN = `insert into cells (id) values ($1) on conflict do nothing`;
const ADOPTED = 'select adopted_at from cells where id = $1 for update';
const NOTE_ADOPTED = 'update cells set adopted_at = now() where id = $1';

/** The records of one kind of name, by id. */
const page = (sql: string) =>
  `select * from (${sql}) n where not local and record_id > $1::uuid order by record_id limit ${PORTION}`;

/** Names of one kind, $1, of records, of the cell $5. @returns those that another record has */
export const REGISTER = `
  with given as (select * from unnest($2::text[], $3::uuid[], $4::uuid[]) g(name, record_id, account_id)),
  account as (
    insert into accounts (id, cell) select record_id, $5 from given where $1 = 'account_name' on conflict do nothing),
  record as (
    insert into records (id, kind, account_id)
    select record_id, case $1 when 'game_slug' then 'game' else 'board' end, account_id from given
    where $1 in ('game_slug', 'short_code') on conflict do nothing),
  made as (
    insert into names (kind, name, record_id, account_id, cell, claim_id, state, creates, reserved_at)
    select $1, name, record_id, account_id, $5, gen_random_uuid(), 'held', false, now() from given order by name
    on conflict do nothing returning name)
  select g.name from given g left join made using (name) left join names n on n.kind = $1 and n.name = g.name
  where made.name is null and n.record_id is distinct from g.record_id`;

interface NamedRow {
  name: string;
  record_id: string;
  account_id: string | null;
}

/**
 * Registers a cell and, once, all names that its database already has. After a kill, running it again resumes. All processes
 * on the database must have the directory from here on.
 * @returns how many names; undefined when it was done before
 * @throws SetupError when another cell has some of them
 */
export async function adoptCell(
  directory: Directory,
  cell: string,
  database: Queryable,
): Promise<number | undefined> {
  const { pool } = directory.database;
  await pool.query(KNOWN, [cell]);
  const { rows } = await pool.query<{ adopted_at: Date | null }>(ADOPTED, [cell]);
  if (rows[0]?.adopted_at) return undefined;
  let count = 0;
  const taken: string[] = [];
  for (const [kind, sql] of Object.entries(ALL_NAMES)) {
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      const { rows: portion } = await database.query<NamedRow>(page(sql), [after]);
      if (portion.length === 0) break;
      const columns = [
        portion.map((row) => row.name),
        portion.map((row) => row.record_id),
        portion.map((row) => row.account_id),
      ];
      const lost = await pool.query<{ name: string }>(REGISTER, [kind, ...columns, cell]);
      taken.push(...lost.rows.map(({ name }) => `${kind} ${name}`));
      count += portion.length;
      after = portion.at(-1)!.record_id;
    }
  }
  if (taken.length > 0) {
    throw new SetupError(
      `The cell ${cell} cannot join the directory: ${taken.length} of its names are used by other cells ` +
        `(${taken.slice(0, SHOWN).join(', ')}). Start it without DIRECTORY_URL, change these names, ` +
        `then start it with DIRECTORY_URL again.`,
    );
  }
  await pool.query(NOTE_ADOPTED, [cell]);
  return count;
}
