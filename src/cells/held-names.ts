import type { NameKind } from '../db/names.js';
import type { Queryable } from '../db/pool.js';
import type { Directory } from './directory.js';

/** Each cell has a superadmin of its own, whose account, users and keys need no names in the directory. */
const LOCAL = (account: string) =>
  `exists (select from users s where s.account_id = ${account} and s.super_admin) as local`;

/** Of accounts that were given to another cell the rows stay for a while. */
const HERE = (account: string) =>
  `not exists (select from accounts m where m.id = ${account} and m.status = 'moved')`;

/** The names that a cell's records have, as `globalNames` of the records says. */
export const ALL_NAMES: Record<NameKind, string> = {
  account_name: `select name, id as record_id, id as account_id,
    ${LOCAL('a.id')} from accounts a where deleted_at is null and ${HERE('a.id')}`,
  account_slug: `select slug as name, id as record_id, id as account_id,
    ${LOCAL('a.id')} from accounts a where deleted_at is null and ${HERE('a.id')}`,
  email: `select lower(email) as name, id as record_id, account_id, ${LOCAL('u.account_id')} from users u
    where deleted_at is null and email not like '%@unproven.invalid' and ${HERE('u.account_id')}`,
  key_prefix: `select prefix as name, id as record_id, account_id, ${LOCAL('k.account_id')} from api_keys k where ${HERE('k.account_id')}`,
  game_slug: `select slug as name, id as record_id, account_id, false as local from games where deleted_at is null
    and ${HERE('account_id')}`,
  short_code: `select short_code as name, id as record_id, account_id, false as local from boards where deleted_at is null
    and ${HERE('account_id')}`,
  provider_domain: `select d.name, p.id as record_id, p.account_id,
    ${LOCAL('p.account_id')} from identity_providers p cross join lateral unnest(p.domains) d(name)
    where p.kind = 'installation' and p.deleted_at is null and ${HERE('p.account_id')}`,
  provider_subject: `select subject_key as name, id as record_id, account_id,
    ${LOCAL('l.account_id')} from provider_links l where deleted_at is null and ${HERE('l.account_id')}`,
  jam_code: `select code as name, id as record_id, null::uuid as account_id, false as local from jam_codes`,
};

/** A name with its record. Bare uuids. */
export interface HeldName {
  kind: NameKind;
  name: string;
  record_id: string;
  account_id: string | null;
}

const REGISTERED = `select kind, name, record_id, account_id from names where cell = $1 and state <> 'reserved'`;

interface Disagreement<T> {
  /** Records whose name the directory does not have for them. */
  withoutName: T[];
  /** Names of the directory whose record does not have them. */
  withoutRecord: T[];
}

/** Compares a cell's records with its names, e.g. after a restore. Claims under way can show as well: read both again then. */
export async function findDisagreement(
  directory: Directory,
  cell: string,
  database: Queryable,
): Promise<Disagreement<HeldName>> {
  const registered = await directory.database.pool.query<HeldName>(REGISTERED, [cell]);
  const unmatched = new Map(registered.rows.map((row) => [textOf(row), row]));
  const withoutName: HeldName[] = [];
  for (const [kind, sql] of Object.entries(ALL_NAMES)) {
    const { rows } = await database.query<HeldName & { local: boolean }>(sql);
    for (const { local, ...row } of rows) {
      const held = { ...row, kind: kind as NameKind };
      if (!unmatched.delete(textOf(held)) && !local) withoutName.push(held);
    }
  }
  return { withoutName, withoutRecord: [...unmatched.values()] };
}

/** The same as texts. */
export async function compareNames(
  directory: Directory,
  cell: string,
  database: Queryable,
): Promise<Disagreement<string>> {
  const { withoutName, withoutRecord } = await findDisagreement(directory, cell, database);
  const texts = (names: HeldName[]) => names.map(textOf).toSorted();
  return { withoutName: texts(withoutName), withoutRecord: texts(withoutRecord) };
}

export const textOf = ({ kind, name, record_id }: HeldName) => `${kind} ${name} ${record_id}`;
