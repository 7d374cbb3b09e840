import type { Knex } from 'knex';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { LoaderSpec } from '../../graphql/loader.js';

const WITH_PASSKEY = `
  select distinct user_id from passkeys where user_id = any(?::uuid[]) and deleted_at is null`;

/** Whether users have a passkey, by id. */
export const hasPasskey: LoaderSpec<boolean> = {
  batch: async (ids, db) => {
    const { rows } = await runStatement<{ user_id: string }>(db, WITH_PASSKEY, [ids.map(uuidOf)]);
    const found = new Set(rows.map(({ user_id }) => idOf('user', user_id)));
    return new Map(ids.map((id) => [id, found.has(id)]));
  },
};

const WITHOUT = `
  select count(*)::int as n from users u
  where u.account_id = ? and u.status = 'active' and u.deleted_at is null and u.role <> 'viewer' and not u.super_admin
    and not exists (select from passkeys p where p.user_id = u.id and p.deleted_at is null)
    and not exists (select from provider_links l where l.user_id = u.id and l.deleted_at is null)`;

/** Active users of whom a passkey can be demanded and who have neither one nor single sign-on. @param accountId prefixed */
export async function countWithoutPasskey(db: Knex, accountId: string): Promise<number> {
  const { rows } = await runStatement<{ n: number }>(db, WITHOUT, [uuidOf(accountId)]);
  return rows[0]!.n;
}
