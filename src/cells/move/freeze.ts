import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { SetupError } from '../../base/errors.js';
import { idOf } from '../../base/ids.js';
import { AS_MOVER, MOVE_LOCK } from './capture.js';
import type { Ends } from './follow.js';

/** Writers that come while the freeze waits for those under way wait no longer than that. */
const PATIENCE = 300;
const ATTEMPTS = 60;
const PAUSE_MS = 200;

/** Watchers read again, and cached records of the account are dropped, in all processes of the cell. */
const ANNOUNCE = (account: string) =>
  `select pg_notify('leaderboard_changes', 'mover ${idOf('account', account)}')`;

/** Numbers of reviews go up within a flag. The only sequence of the tables that move. */
const NUMBERS = (account: string) => `
  select setval('flag_reviews_number_seq', greatest((select last_value from flag_reviews_number_seq),
    (select coalesce(max(r.number), 1) from flag_reviews r where r.board_id in (select id from boards where account_id = '${account}'))))`;

/**
 * Freezes the account in one transaction: every write that was let through is committed, every later one is refused.
 * @returns when that began, epoch milliseconds
 */
export async function freeze({ source, account, signal }: Ends): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      await source.query(`begin; ${AS_MOVER}; set local lock_timeout = ${PATIENCE};
        select pg_advisory_xact_lock(${MOVE_LOCK}, hashtext('${account}'))`);
      const since = Date.now();
      const { rows } = await source.query<{ status: string }>('select status from accounts where id = $1', [
        account,
      ]);
      const status = rows[0]?.status;
      if (status !== 'moved') await set(source, account, 'frozen', 'moved');
      await source.query('commit');
      return since;
    } catch (error) {
      await source.query('rollback');
      if ((error as { code?: string }).code !== '55P03') throw error;
      if (attempt === ATTEMPTS) {
        throw new SetupError(
          'The account was not moved: one of its transactions did not finish in time. Run the command again.',
        );
      }
      await delay(PAUSE_MS, undefined, { signal });
    }
  }
}

export async function isFrozen({ source, account }: Pick<Ends, 'source' | 'account'>): Promise<boolean> {
  const { rows } = await source.query<{ state: string }>(
    'select state from account_moves where account_id = $1',
    [account],
  );
  return rows[0]?.state === 'frozen';
}

/** Takes a freeze back. Nothing happened since. */
export async function thaw(
  { source, account }: Pick<Ends, 'source' | 'account'>,
  status: string,
): Promise<void> {
  await source.query(`begin; ${AS_MOVER}`);
  await set(source, account, 'capturing', status);
  await source.query('commit');
}

/** Flags that came with the account and are not reported yet are read by the dispatcher of webhooks; the others are known to it. */
const FLAGS = (account: string) => `
  update webhook_state s set flags_id = '00000000-0000-0000-0000-000000000000', flags_in = least(s.flags_in, (select min(f.added_in) from score_flags f where f.account_id = '${account}'))`;

/** Gives the account its status on the target: it is served there from this commit on. */
export async function activate(
  { target, account }: Pick<Ends, 'target' | 'account'>,
  status: string,
): Promise<void> {
  await target.query(`
    begin; ${AS_MOVER};
    ${NUMBERS(account)};
    update accounts set status = '${status}' where id = '${account}' and status = 'moved';
    delete from account_moves where account_id = '${account}' and state = 'incoming';
    ${FLAGS(account)};
    ${ANNOUNCE(account)};
    commit`);
}

async function set(client: pg.Client, account: string, state: string, status: string): Promise<void> {
  // The change of status raises the counts of the games' standings: what was read for a batch before is read again.
  await client.query(`
    update account_moves set state = '${state}' where account_id = '${account}';
    update accounts set status = '${status}' where id = '${account}';
    ${ANNOUNCE(account)}`);
}
