import type { Knex } from 'knex';

/** Tables that the service writes outside requests, or that don't belong to its records. */
const ASIDE = /^(graphile|schema_|migrations?$)/;
/** On a cell, abandoned claims of names are recorded as ended. */
const ASIDE_ON_CELLS = process.env.TEST_CELLS ? 'name_claims' : '';

const JOURNAL = `
  create table write_journal (id bigint generated always as identity primary key, what text not null);
  create function note_write() returns trigger language plpgsql as $$
  begin
    -- When a key was used is noted beside the request, whatever becomes of it.
    if tg_table_name = 'api_keys' and tg_op = 'UPDATE' then
      if to_jsonb(old) - 'last_used_at' = to_jsonb(new) - 'last_used_at' then return null; end if;
    end if;
    -- Boards follow a rename beside requests; the one that renamed inserted it, or changed the player, too.
    if tg_table_name = 'renames_due' and tg_op <> 'INSERT' then return null; end if;
    insert into write_journal (what) values (tg_op || ' ' || tg_table_name);
    return null;
  end $$;`;

/** Records every row written to a test's database from the moment it is opened, except those rolled back. */
export class WriteJournal {
  #lastRead = '0';

  private constructor(private readonly knex: Knex) {}

  static async open(knex: Knex): Promise<WriteJournal> {
    await knex.raw(JOURNAL);
    const { rows } = await knex.raw<{ rows: { tablename: string }[] }>(
      `select tablename from pg_tables where schemaname = 'public' and tablename <> 'write_journal'`,
    );
    const tables = rows
      .map(({ tablename }) => tablename)
      .filter((name) => !ASIDE.test(name) && name !== ASIDE_ON_CELLS);
    for (const table of tables) {
      await knex.raw(
        'create trigger write_journal after insert or update or delete on ?? for each row execute function note_write()',
        [table],
      );
    }
    return new WriteJournal(knex);
  }

  /** The writes since the last call, e.g. `UPDATE games`. */
  async news(): Promise<string[]> {
    const { rows } = await this.knex.raw<{ rows: { id: string; what: string }[] }>(
      'select id, what from write_journal where id > ? order by id',
      [this.#lastRead],
    );
    this.#lastRead = rows.at(-1)?.id ?? this.#lastRead;
    return [...new Set(rows.map(({ what }) => what))].toSorted();
  }
}
