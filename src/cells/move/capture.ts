import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { SetupError } from '../../base/errors.js';
import type { Shape } from './shapes.js';
import { ACCOUNT_OF } from './tables.js';

/** Class of the advisory locks by which a freeze waits for writers: the account's hash is the second number. */
export const MOVE_LOCK = 0x6d6f_7665;
/** Set within the mover's transactions: they may write while others may not. */
export const AS_MOVER = `set local leaderboard.mover = 'on'`;

const PATIENCE = 200;
/** Makes a vacuum of the table give way, which takes the server's deadlock_timeout. */
const LONG_PATIENCE = 2_000;
const ATTEMPTS = 40;
const PAUSE_MS = 250;

const object = (key: readonly string[], row: string) =>
  `jsonb_build_object(${key.map((column) => `'${column}', ${row}."${column}"`).join(', ')})`;

/**
 * The trigger of a table: notes keys of changed rows of accounts that move, and refuses writes of those that are frozen
 * or not here yet. A writer holds the account's lock, shared, to the end of its transaction: so a freeze, which takes it
 * alone, comes after every write that was let through. `account_moved` is known as a constraint (base/errors.ts); the code
 * and the board as detail make a batch of submissions be decided again.
 */
function functionOf({ name, way, key, columns, expires }: Shape): string {
  const board = columns.includes('board_id') ? 'r.board_id::text' : `''`;
  const sameKey = key.map((column) => `old."${column}" = new."${column}"`).join(' and ');
  return `
    create or replace function capture_${name}() returns trigger language plpgsql volatile as $capture$
    declare
      r ${name};
      a uuid;
      s text;
    begin
      if tg_op = 'DELETE' then r := old; else r := new; end if;
      a := ${ACCOUNT_OF[way]};
      if not exists (select from account_moves m where m.account_id = a) then
        return null;
      end if;
      perform pg_advisory_xact_lock_shared(${MOVE_LOCK}, hashtext(a::text));
      select m.state into s from account_moves m where m.account_id = a;
      if s = 'capturing' or (s = 'frozen' and current_setting('leaderboard.mover', true) = 'on') then
        insert into account_changes (account_id, relation, key) values (a, '${name}', ${object(key, 'r')});
        if tg_op = 'UPDATE' and not (${sameKey}) then
          insert into account_changes (account_id, relation, key) values (a, '${name}', ${object(key, 'old')});
        end if;
      elsif s is not null and coalesce(current_setting('leaderboard.mover', true),
        '') <> 'on'${expires ? ` and tg_op <> 'DELETE'` : ''} then
        raise exception 'The account is moving to another database' using errcode = '40LB2', constraint = 'account_moved',
          detail = ${board};
      end if;
      return null;
    end $capture$`;
}

/**
 * Creates the triggers, all at once. That waits a moment for the writers of the tables; the next writers wait no longer
 * than that.
 */
export async function installCapture(client: pg.Client, shapes: Shape[], signal: AbortSignal): Promise<void> {
  await client.query(shapes.map(functionOf).join(';'));
  const statements = shapes.map(
    ({ name }) => `
      create or replace trigger capture_moves after insert or update or delete on ${name}
      for each row execute function capture_${name}()`,
  );
  await withShortLocks(client, statements.join(';'), signal);
}

/** Drops the triggers when no account is moving from or to this database, or has moved from it and is not deleted yet. */
export async function removeCapture(client: pg.Client, shapes: Shape[], signal: AbortSignal): Promise<void> {
  const { rows } = await client.query('select from account_moves limit 1');
  if (rows.length > 0) return;
  const statements = shapes.flatMap(({ name }) => [
    `drop trigger if exists capture_moves on ${name}`,
    `drop function if exists capture_${name}()`,
  ]);
  await withShortLocks(client, statements.join(';'), signal);
}

async function withShortLocks(client: pg.Client, statements: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      const patience = attempt % 10 === 0 ? LONG_PATIENCE : PATIENCE;
      await client.query(`begin; set local lock_timeout = ${patience}; ${statements}; commit`);
      return;
    } catch (error) {
      await client.query('rollback');
      // A lock that is not to be had, or a writer that waits for one of ours.
      if (!/^(55P03|40P01)$/.test((error as { code?: string }).code ?? '')) throw error;
      if (attempt === ATTEMPTS) {
        throw new SetupError(
          'Tables of the cell were locked by other work for too long. Run the command again once that work is done.',
        );
      }
      await delay(PAUSE_MS, undefined, { signal });
    }
  }
}
