import path from 'node:path';
import { SetupError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { migrationsDir } from '../base/package.js';
import type { GlobalName, NameKind, NameOwner } from '../db/names.js';
import { type Database, openDatabase } from '../db/pool.js';
import { migrateFiles } from '../db/schema/migrate.js';
import { SchemaWatch } from '../db/schema/watch.js';

const MIGRATIONS = path.join(migrationsDir, 'directory');

/** A look-up takes a fraction of a millisecond. Longer than this, and the transaction in the cell would be cut. */
const TIMEOUT_SECONDS = 3;
const POOLS = { records: 1, scores: 4 };

/** A name with the claim that reserves it. */
export interface Claimed extends GlobalName {
  claimId: string;
}

/** All or none: a name that is taken fails the statement. Sorted, so that two claims of the same names do not block each other. */
const RESERVE = {
  name: 'reserve_names',
  text: `
    with given as (select * from unnest($1::text[], $2::text[], $3::uuid[]) as g(kind, name, claim_id)),
    account as (
      insert into accounts (id, cell) select $4, $6 from given where $7 and kind = 'account_name' on conflict do nothing),
    record as (
      insert into records (id, kind, account_id)
      select $4, case kind when 'game_slug' then 'game' else 'board' end, $5::uuid from given
      where $7 and kind in ('game_slug', 'short_code') on conflict do nothing)
    insert into names (kind, name, record_id, account_id, cell, claim_id, state, creates, reserved_at)
    select kind, name, $4::uuid, $5::uuid, $6::text, claim_id, 'reserved', $7::boolean, now() from given order by kind, name`,
};

const TAKEN = {
  name: 'taken_names',
  text: 'select n.kind from names n join unnest($1::text[], $2::text[]) g(kind, name) using (kind, name) limit 1',
};

/** A record that does not have the name in the directory, as the superadmin's account, gives nothing up. */
const LEAVE = {
  name: 'leave_names',
  text: `
    update names n set state = 'leaving', claim_id = g.claim_id, reserved_at = now(), creates = false
    from unnest($1::text[], $2::text[], $3::uuid[]) as g(kind, name, claim_id)
    where n.kind = g.kind and n.name = g.name and n.record_id = $4 and n.state = 'held'
    returning n.kind, n.name, n.claim_id as "claimId"`,
};

const HAND_OVER = {
  name: 'hand_names_over',
  text: `
    update names set heir_record_id = $2, heir_account_id = $3
    where claim_id = any($1::uuid[]) and state = 'leaving' returning claim_id as id`,
};

/** $1: claims that were written; $2: claims that never will be. */
const SETTLE = {
  name: 'settle_names',
  text: `
    with gone as (
      delete from names
      where (claim_id = any($2::uuid[]) and state = 'reserved')
        or (claim_id = any($1::uuid[]) and state = 'leaving' and heir_record_id is null)
      returning record_id, creates),
    account as (delete from accounts where id in (select record_id from gone where creates)),
    record as (delete from records where id in (select record_id from gone where creates))
    update names set
      state = 'held', heir_record_id = null, heir_account_id = null,
      record_id = case when claim_id = any($1::uuid[]) then coalesce(heir_record_id, record_id) else record_id end,
      account_id = case when claim_id = any($1::uuid[]) and heir_record_id is not null
        then heir_account_id else account_id end
    where (claim_id = any($1::uuid[]) and (state = 'reserved' or heir_record_id is not null))
      or (claim_id = any($2::uuid[]) and state = 'leaving')`,
};

const OPEN = {
  name: 'open_claims',
  text: `
    select claim_id as id from names
    where cell = $1 and state <> 'held' and reserved_at < now() - $2 * interval '1 millisecond'
    order by reserved_at limit 500`,
};

const STILL_OPEN = {
  name: 'still_open_claims',
  text: `select claim_id as id from names where claim_id = any($1::uuid[]) and state <> 'held'`,
};

const OLDEST_CLAIM = {
  name: 'oldest_claim',
  text: `
    select coalesce(extract(epoch from now() - min(reserved_at)), 0)::float8 as seconds from names where state <> 'held'`,
};

const STARTING_WITH = {
  name: 'names_starting_with',
  text: `select name from names where kind = $1 and name >= $2 and name < $2 || U&'\\FFFF'`,
};

/** True for a database of the service. */
const SERVES = `select to_regclass('score_events') is not null as service`;

/** The database of the names that several cells share, and of the cell of each account. */
export class Directory {
  readonly database: Database;

  constructor(connectionString: string) {
    this.database = openDatabase(connectionString, POOLS, TIMEOUT_SECONDS);
  }

  /** Notices a migration of its schema by a later release. */
  schemaWatch(log: Log): SchemaWatch {
    return new SchemaWatch(this.database.pool, MIGRATIONS, log);
  }

  /** Brings its schema up to date. @throws SetupError */
  async migrate(): Promise<void> {
    const { knex, connectionString, pool } = this.database;
    const { rows } = await pool.query<{ service: boolean }>(SERVES);
    if (rows[0]?.service) {
      throw new SetupError(
        'DIRECTORY_URL points to a database of the service. The directory needs an empty database of its own.',
      );
    }
    await migrateFiles(knex, connectionString, MIGRATIONS);
  }

  /** @throws the database's error of a unique index when one of the names is taken */
  async reserve(names: Claimed[], owner: NameOwner, cell: string, creates: boolean): Promise<void> {
    const { recordId, accountId } = owner;
    await this.#rows(RESERVE, [...columnsOf(names), recordId, accountId, cell, creates]);
  }

  /** Returns the kind of one of the names that is taken. */
  async taken(names: GlobalName[]): Promise<NameKind | undefined> {
    const [kinds, texts] = [names.map(({ kind }) => kind), names.map(({ name }) => name)];
    const rows = await this.#rows<{ kind: NameKind }>(TAKEN, [kinds, texts]);
    return rows[0]?.kind;
  }

  /** Marks names that a record is about to lose. @returns those that it has */
  leave(names: Claimed[], { recordId }: NameOwner): Promise<Claimed[]> {
    return this.#rows<Claimed>(LEAVE, [...columnsOf(names), recordId]);
  }

  /** Gives leaving names to another record of the same write. @returns the claims that are leaving */
  handOver(claims: string[], { recordId, accountId }: NameOwner): Promise<string[]> {
    return this.#ids(HAND_OVER, [claims, recordId, accountId]);
  }

  async settle(done: string[], abandoned: string[]): Promise<void> {
    await this.#rows(SETTLE, [done, abandoned]);
  }

  /** Claims of a cell whose outcome is unknown after that time, oldest first; at most 500. */
  openSince(cell: string, millis: number): Promise<string[]> {
    return this.#ids(OPEN, [cell, millis]);
  }

  /** Those of the claims whose outcome the directory does not know. */
  stillOpen(claims: string[]): Promise<string[]> {
    return this.#ids(STILL_OPEN, [claims]);
  }

  async startingWith(kind: NameKind, start: string): Promise<string[]> {
    const rows = await this.#rows<{ name: string }>(STARTING_WITH, [kind, start]);
    return rows.map(({ name }) => name);
  }

  /** Age of the oldest name whose outcome is not known; 0: there is none. */
  async oldestClaimSeconds(): Promise<number> {
    const rows = await this.#rows<{ seconds: number }>(OLDEST_CLAIM, []);
    return rows[0]!.seconds;
  }

  close(): Promise<void> {
    return this.database.close();
  }

  async #ids(statement: { name: string; text: string }, values: unknown[]): Promise<string[]> {
    return (await this.#rows<{ id: string }>(statement, values)).map(({ id }) => id);
  }

  async #rows<T extends object>(statement: { name: string; text: string }, values: unknown[]): Promise<T[]> {
    return (await this.database.pool.query<T>({ ...statement, values })).rows;
  }
}

function columnsOf(names: Claimed[]): [string[], string[], string[]] {
  return [names.map(({ kind }) => kind), names.map(({ name }) => name), names.map(({ claimId }) => claimId)];
}
