import type { Log } from '../../base/log.js';
import { Announcer } from '../../db/announcer/announcer.js';
import { Changes } from '../../db/changes.js';
import type { NameKind } from '../../db/names.js';
import type { Queryable } from '../../db/pool.js';
import type { Directory } from '../directory.js';
import { Lookup } from './lookup.js';

const ACCOUNTS = {
  name: 'cells_of_accounts',
  text: 'select g.id as key, a.cell as value from unnest($1::text[]) g(id) join accounts a on a.id = g.id::uuid',
};
const RECORDS = {
  name: 'accounts_of_records',
  text: 'select g.id as key, r.account_id as value from unnest($1::text[]) g(id) join records r on r.id = g.id::uuid',
};
/** Names of records without an account, and of those of a cell's own superadmin, have a cell alone. */
const NAMES = {
  name: 'places_of_names',
  text: `
    select g.name as key, case when a.id is null then 'cell ' || n.cell else n.account_id::text end as value
    from unnest($1::text[]) g(name)
    join names n on n.kind = split_part(g.name, ' ', 1) and n.name = substr(g.name, strpos(g.name, ' ') + 1)
    left join accounts a on a.id = n.account_id
    where n.state <> 'reserved'`,
};

const ACCOUNT_MS = 60_000;
/** A slug or a code can pass to a record of another account. */
const NAME_MS = 10_000;
const MOST_ACCOUNTS = 200_000;
const MOST_RECORDS = 500_000;
const MOST_NAMES = 100_000;
/** Other texts are no name of a record. Postgres refuses NUL, and that is not to be taken for a directory that is away. */
const NAME = /^[^\p{Cc}]{1,254}$/u;

/** The account of a name, or the cell where there is no account in the directory. */
type NamePlace = { account: string } | { cell: string };

/** Where accounts, games, boards and names are. Ids are bare uuids. */
export class CellPlaces {
  readonly #accounts: Lookup;
  readonly #records: Lookup;
  readonly #names: Lookup;
  readonly #announcer: Announcer;
  readonly #stopListening: () => void;

  constructor(directory: Directory, log: Log) {
    const { pool, connectionString } = directory.database;
    this.#accounts = new Lookup({ most: MOST_ACCOUNTS, millis: ACCOUNT_MS, readAll: reader(pool, ACCOUNTS) });
    this.#records = new Lookup({ most: MOST_RECORDS, millis: 0, readAll: reader(pool, RECORDS) });
    this.#names = new Lookup({ most: MOST_NAMES, millis: NAME_MS, readAll: reader(pool, NAMES) });
    const changes = new Changes();
    this.#announcer = new Announcer(connectionString, changes, log);
    this.#stopListening = changes.listen((topic) => this.#accounts.forget(topic.slice('acc_'.length)));
  }

  start(): Promise<void> {
    return this.#announcer.start();
  }

  /** The cell of an account. @throws DomainError UNAVAILABLE, as all of these */
  cellOf(account: string): string | undefined | Promise<string | undefined> {
    return this.#accounts.find(account);
  }

  /** The account of a game or a board. */
  accountOf(record: string): string | undefined | Promise<string | undefined> {
    return this.#records.find(record);
  }

  async named(kind: NameKind, name: string): Promise<NamePlace | undefined> {
    const found = NAME.test(name) ? await this.#names.find(`${kind} ${name}`) : undefined;
    if (found === undefined) return undefined;
    return found.startsWith('cell ') ? { cell: found.slice('cell '.length) } : { account: found };
  }

  /** To be called when the cell says that the account is elsewhere. */
  forget(account: string): void {
    this.#accounts.forget(account);
  }

  /** Look-ups by kind, for metrics. */
  get counts() {
    return {
      account: this.#accounts.counts,
      record: this.#records.counts,
      name: this.#names.counts,
    };
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#announcer.close();
  }
}

function reader(pool: Queryable, statement: { name: string; text: string }) {
  return async (keys: readonly string[]): Promise<(string | undefined)[]> => {
    const { rows } = await pool.query<{ key: string; value: string }>({ ...statement, values: [keys] });
    const values = new Map(rows.map(({ key, value }) => [key, value]));
    return keys.map((key) => values.get(key));
  };
}
