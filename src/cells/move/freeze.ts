import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { SetupError } from '../../base/errors.js';
import { idOf, uuid7 } from '../../base/ids.js';
import { AS_MOVER, MOVE_LOCK } from './capture.js';
import type { Ends } from './follow.js';
import type { AccountMove } from './journal.js';

type Fields = Record<string, string | null>;

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
  update webhook_state s set flags_id = '00000000-0000-0000-0000-000000000000', flags_in = least(s.flags_in,
    (select min(f.added_in) from score_flags f where f.account_id = '${account}'))`;

/** Gives the account its status on the target, with an audit entry: it is served there from this commit on. */
export async function activate(target: pg.Client, move: AccountMove): Promise<void> {
  const { account } = move;
  await target.query(`
    begin; ${AS_MOVER};
    ${NUMBERS(account)};
    with served as (
      update accounts set status = '${move.status ?? 'active'}' where id = '${account}' and status = 'moved' returning id)
    ${entryOf(move, { cell: move.source }, { cell: move.target })} from served;
    delete from account_moves where account_id = '${account}' and state = 'incoming';
    ${FLAGS(account)};
    ${ANNOUNCE(account)};
    commit`);
}

/** The start of an insert of an audit entry: what the move changed about the account. */
function entryOf({ account }: AccountMove, before: Fields, after: Fields): string {
  const [was, is] = [before, after].map((fields) => pg.escapeLiteral(JSON.stringify(fields)));
  return `
    insert into audit_entries (id, account_id, action, subject_id, before, after, author, agent, created_at)
    select '${uuid7(Date.now())}', '${account}', 'record_changed', '${idOf('account', account)}', ${was}::jsonb, ${is}::jsonb,
      'operator', 'accounts move', now()`;
}

/** Notes that the rows on the former cell are deleted. */
export async function noteCleaned(target: pg.Client, move: AccountMove): Promise<void> {
  await target.query(entryOf(move, { formerCell: move.source }, { formerCell: null }));
}

async function set(client: pg.Client, account: string, state: string, status: string): Promise<void> {
  // The change of status raises the counts of the games' standings: what was read for a batch before is read again.
  await client.query(`
    update account_moves set state = '${state}' where account_id = '${account}';
    update accounts set status = '${status}' where id = '${account}';
    ${ANNOUNCE(account)}`);
}
