import type { Knex } from 'knex';
import type { UserRole } from '../../accounts/users/role.js';
import { runStatement } from '../../db/pool.js';

/** The user of an address, if it has one. Bare uuid. */
export interface CodeHolder {
  user_id: string | null;
  /** Invited to an account that is not deleted. */
  invited: boolean;
  /** A registration cannot take its address. */
  stays: boolean;
  display_name: string | null;
  account_id: string | null;
  account_name: string | null;
  role: UserRole | null;
  /** Names of the games that it is limited to; null: all. */
  game_names: string[] | null;
  /** The account has an issuer for single sign-on. */
  has_issuer: boolean;
  /** Of the colleague that invited it; null: nobody did, or a superadmin of another account. */
  inviter: string | null;
  /** An active user of an active account, without superadmin rights. */
  may_sign_in: boolean;
}

const HOLDER = `
  select u.id as user_id, u.display_name, a.id as account_id, a.name as account_name, u.role,
    (select array_agg(g.name order by g.name) from games g where g.id = any(u.game_ids) and g.deleted_at is null) as game_names,
    exists (select from identity_providers p where p.account_id = a.id and p.deleted_at is null) as has_issuer,
    (select i.display_name from users i
      where i.id = u.invited_by and i.account_id = u.account_id and i.deleted_at is null) as inviter,
    coalesce(u.status = 'invited' and a.id is not null, false) as invited,
    coalesce(u.super_admin or u.email_verified_at is not null, false) as stays,
    coalesce(u.status = 'active' and not u.super_admin and a.status = 'active' and not a.provider_only, false) as may_sign_in
  from (select ?::text as email) e
  left join users u on lower(u.email) = lower(e.email) and u.deleted_at is null
  left join accounts a on a.id = u.account_id and a.deleted_at is null`;

/** @param email in canonical form */
export async function holderOf(trx: Knex.Transaction, email: string): Promise<CodeHolder> {
  const { rows } = await runStatement<CodeHolder>(trx, HOLDER, [email]);
  return rows[0]!;
}
