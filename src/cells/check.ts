import { type IdKind, idOf } from '../base/ids.js';
import type { NameKind } from '../db/names.js';
import type { Queryable } from '../db/pool.js';
import { REGISTER } from './adopt.js';
import type { Directory } from './directory.js';
import { findDisagreement, type HeldName, textOf } from './held-names.js';

/** The records that have names of a kind, and the words for one. */
const KINDS: Record<NameKind, { table: string; id: IdKind; words: string }> = {
  account_name: { table: 'accounts', id: 'account', words: 'name' },
  account_slug: { table: 'accounts', id: 'account', words: 'slug' },
  email: { table: 'users', id: 'user', words: 'address' },
  key_prefix: { table: 'api_keys', id: 'apiKey', words: 'prefix' },
  game_slug: { table: 'games', id: 'game', words: 'slug' },
  short_code: { table: 'boards', id: 'board', words: 'short code' },
  provider_domain: { table: 'identity_providers', id: 'identityProvider', words: 'domain' },
  provider_subject: { table: 'provider_links', id: 'providerLink', words: 'sign-in' },
  jam_code: { table: 'jam_codes', id: 'jamCode', words: 'code' },
};

const CELLS_OF = 'select id, cell from accounts where id = any($1::uuid[])';
const MOVING = `select account_id as id from moves where step not in ('done', 'cleaned', 'cancelled')`;
const HOLDERS = `
  select n.kind, n.name, n.record_id, n.account_id, n.cell, n.state from names n
  join unnest($1::text[], $2::text[]) g(kind, name) using (kind, name)`;
const GIVE_TO_CELL = `
  update names set cell = $4 where kind = $1 and name = $2 and record_id = $3 and cell <> $4 and state = 'held'`;
/** All names follow the account. */
const PLACE = `
  with account as (update accounts set cell = $2, epoch = epoch + 1 where id = $1 and cell = $3 returning id)
  update names n set cell = $2 from account a where n.account_id = a.id and n.cell = $3 and n.state = 'held'`;
const IN_USE = `select id from accounts where id = any($1::uuid[]) and status <> 'moved' and deleted_at is null`;
const RELEASE = `delete from names where kind = $1 and name = $2 and record_id = $3 and state = 'held'`;

/** `certain`: the disagreement has one right end; `lost`: no cell has the record; `unclear`: a person has to decide. */
interface Fault {
  cell: string;
  held: HeldName;
  kind: 'certain' | 'lost' | 'unclear';
  sentence: string;
  /** Of the directory: the cells are never changed. */
  mend?: () => Promise<unknown>;
}

interface NameCheck {
  /** A sentence each. */
  faults: string[];
  mended: string[];
}

interface CheckParts {
  directory: Directory;
  /** All cells of the directory. */
  databases: ReadonlyMap<string, Queryable>;
  /** Mends what is certain. */
  repair: boolean;
  /** Frees names whose records no cell has. */
  release: boolean;
  /** Between two comparisons: only what both show is a fault, the other was a write under way. */
  pause(): Promise<unknown>;
}

/** Compares the directory's names with the records of all cells, and repairs the directory on request. */
export async function checkNames(parts: CheckParts): Promise<NameCheck> {
  const wanted = (fault: Fault) =>
    (parts.repair && fault.kind === 'certain') || (parts.release && fault.kind === 'lost');
  const found = await lastingFaults(parts);
  const mended = found.filter(wanted);
  for (const { mend } of mended) await mend!();
  const left = mended.length === 0 ? found : await lastingFaults(parts);
  return {
    faults: [...new Set(left.map(({ sentence }) => sentence))],
    mended: mended.map(({ sentence }) => sentence),
  };
}

async function lastingFaults(parts: CheckParts): Promise<Fault[]> {
  const first = await findFaults(parts);
  if (first.length === 0) return first;
  await parts.pause();
  const keyOf = ({ cell, held }: Fault) => `${cell} ${textOf(held)}`;
  const again = new Map((await findFaults(parts)).map((fault) => [keyOf(fault), fault]));
  return first.flatMap((fault) => again.get(keyOf(fault)) ?? []);
}

interface Holder extends HeldName {
  cell: string;
  state: string;
}

async function findFaults({ directory, databases }: CheckParts): Promise<Fault[]> {
  const { pool } = directory.database;
  const without = { name: [] as Holder[], record: [] as Holder[] };
  for (const [cell, database] of databases) {
    const { withoutName, withoutRecord } = await findDisagreement(directory, cell, database);
    without.name.push(...withoutName.map((held) => ({ ...held, cell, state: '' })));
    without.record.push(...withoutRecord.map((held) => ({ ...held, cell, state: 'held' })));
  }
  const moving = await pool.query<{ id: string }>(MOVING);
  const isMoving = ({ account_id }: HeldName) => moving.rows.some(({ id }) => id === account_id);
  const names = without.name.filter((held) => !isMoving(held));
  const records = without.record.filter((held) => !isMoving(held));
  const accounts = [...names, ...records].flatMap(({ account_id }) => account_id ?? []);
  const places = await pool.query<{ id: string; cell: string }>(CELLS_OF, [accounts]);
  const cellOf = new Map(places.rows.map(({ id, cell }) => [id, cell]));
  const holders = await pool.query<Holder>(HOLDERS, [
    names.map(({ kind }) => kind),
    names.map(({ name }) => name),
  ]);
  const nameOf = ({ kind, name }: HeldName) => `${kind} ${name}`;
  const holderOf = new Map(holders.rows.map((row) => [nameOf(row), row]));
  const users = await cellsWith(accounts, IN_USE, databases);
  const faults = names.map((held) =>
    ofRecord(pool, held, {
      place: cellOf.get(held.account_id ?? ''),
      users: users.get(held.account_id ?? '') ?? [],
      holder: holderOf.get(nameOf(held)),
      rival: names.find((other) => nameOf(other) === nameOf(held) && other.cell !== held.cell),
    }),
  );
  const given = new Set(faults.filter(({ kind }) => kind === 'certain').map(({ held }) => textOf(held)));
  const left = records.filter((held) => !given.has(textOf(held)));
  const there = new Map<string, string[]>();
  for (const { table } of Object.values(KINDS)) {
    const ids = left.filter(({ kind }) => KINDS[kind].table === table).map(({ record_id }) => record_id);
    const statement = `select id from ${table} where id = any($1::uuid[])`;
    for (const [id, cells] of await cellsWith(ids, statement, databases)) there.set(id, cells);
  }
  return [...faults, ...left.map((held) => ofName(pool, held, there.get(held.record_id) ?? []))];
}

interface Scene {
  /** The account's cell by the directory. */
  place: string | undefined;
  /** Cells that have the account in use. */
  users: string[];
  /** The record that has the name by the directory. */
  holder: Holder | undefined;
  /** A record of another cell with the same name, which the directory does not have for it either. */
  rival: Holder | undefined;
}

/** A record whose name the directory does not have for it. */
function ofRecord(pool: Queryable, held: Holder, { place, users, holder, rival }: Scene): Fault {
  const { cell, kind, name, record_id, account_id } = held;
  const unclear = (sentence: string): Fault => ({ cell, held, kind: 'unclear', sentence });
  const certain = (sentence: string, mend: () => Promise<unknown>): Fault => ({
    cell,
    held,
    kind: 'certain',
    sentence,
    mend,
  });
  if (place !== undefined && place !== cell) {
    const sentence = `The cell ${cell} serves the account ${idOf('account', account_id!)}, but the directory says it is on ${place}`;
    // The restored one is the directory: no other cell serves the account.
    if (users.length === 1)
      return certain(`${sentence}, which does not have it.`, () =>
        pool.query(PLACE, [account_id, cell, place]),
      );
    return unclear(`${sentence}, which also has it: one of the two has stale rows from before a move.`);
  }
  if (!holder && !rival) {
    return certain(
      `The directory has no entry for the ${words(held)} of ${idOfRecord(held)} on ${cell}.`,
      () => pool.query(REGISTER, [kind, [name], [record_id], [account_id], cell]),
    );
  }
  if (holder?.record_id === record_id && holder.state === 'held') {
    return certain(
      `The directory says the ${words(held)} of ${idOfRecord(held)} is on the cell ${holder.cell}, but the record is on ${cell}.`,
      () => pool.query(GIVE_TO_CELL, [kind, name, record_id, cell]),
    );
  }
  if (holder?.record_id === record_id)
    return unclear(
      `The ${words(held)} of ${idOfRecord(held)} on ${cell} is claimed but not confirmed. Start the cell to settle it.`,
    );
  const other = holder ?? rival!;
  return unclear(
    `${idOfRecord(held)} on ${cell} and ${idOfRecord(other)} on ${other.cell} have the same ${words(held)}. Change one of them.`,
  );
}

/** A name whose record does not have it. @param there cells that have the record, deleted or not */
function ofName(pool: Queryable, held: Holder, there: string[]): Fault {
  const { cell, kind, name, record_id } = held;
  const mend = () => pool.query(RELEASE, [kind, name, record_id]);
  if (there.length === 0) {
    return {
      cell,
      held,
      kind: 'lost',
      sentence: `The directory holds the ${words(held)} for ${idOfRecord(held)} of ${cell}, but no cell has that record.`,
      mend,
    };
  }
  if (there.every((one) => one === cell)) {
    const sentence = `The directory holds the ${words(held)} for ${idOfRecord(held)} on ${cell}, which no longer has it.`;
    return { cell, held, kind: 'certain', sentence, mend };
  }
  const sentence = `The directory holds the ${words(held)} for ${idOfRecord(held)} on ${cell}, but the record is on ${there.join(', ')}.`;
  return { cell, held, kind: 'unclear', sentence };
}

/** Cells that have rows, by id. @param statement selects the ids of those that exist */
async function cellsWith(
  ids: string[],
  statement: string,
  databases: ReadonlyMap<string, Queryable>,
): Promise<Map<string, string[]>> {
  const there = new Map<string, string[]>();
  if (ids.length === 0) return there;
  for (const [cell, database] of databases) {
    const { rows } = await database.query<{ id: string }>(statement, [ids]);
    for (const { id } of rows) there.set(id, [...(there.get(id) ?? []), cell]);
  }
  return there;
}

const idOfRecord = ({ kind, record_id }: HeldName) => idOf(KINDS[kind].id, record_id);
const words = ({ kind, name }: HeldName) => `${KINDS[kind].words} ${name}`;
