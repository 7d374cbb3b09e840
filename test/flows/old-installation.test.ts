import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { holdJobs } from '../../src/jobs/lease.js';
import { allBoards, verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { emptyDatabase, MIGRATIONS } from '../support/database.js';
import { type Data, send } from '../support/http.js';
import { DataDir, settingsOn, startService } from '../support/process.js';
import { until } from '../support/wait.js';

// The fixture was made by the version of 23 November 2026; test/fixtures/2026-11-23/README.md says how.

const FIXTURE = path.resolve(__dirname, '../fixtures/2026-11-23');
const read = (name: string) => gunzipSync(readFileSync(path.join(FIXTURE, `${name}.gz`))).toString();

/** Tables that a start adds rows to. */
const GROWING = /^(audit_entries|migrations|migration_checksums|identity_erasures)$/;
/** Derived from events: the old version left a former generation, which the new one deletes. {@link verifyBoard} checks the rest. */
const DERIVED = /^(entries|rank_runs|rank_tops|generations_due|ratio_places|ratio_places_former)$/;

test('the service goes on with an installation of 23 November: nothing is lost, and it answers as before', async () => {
  const [old, dir] = [await emptyDatabase(), new DataDir()];
  const { knex, ...database } = old.open();
  const lines = async (sql: string) => (await knex.raw<{ rows: Data[] }>(sql)).rows;
  const counts = async (): Promise<Record<string, number>> => {
    const tables = await lines(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    );
    const counted = tables.map(async ({ name }) => [
      name,
      (await lines(`select count(*)::int as n from ${name}`))[0].n,
    ]);
    return Object.fromEntries(await Promise.all(counted));
  };
  let service: Awaited<ReturnType<typeof startService>> | undefined;
  let letJobsRun: (() => Promise<void>) | undefined;
  try {
    await knex.raw(`${read('installation.sql')}; set search_path = public;`);
    const before = await counts();
    // Sessions, codes and mails of the fixture have expired long ago.
    letJobsRun = await holdJobs(old.connectionString);
    service = await startService(settingsOn(old, dir));

    const names = (await lines('select name from migrations')).map(({ name }) => name);
    expect(names).toEqual(
      readdirSync(MIGRATIONS)
        .filter((name) => name.endsWith('.sql'))
        .sort(),
    );
    expect(await lines(`select 1 as one from migration_checksums where name = 'functions'`)).toHaveLength(1);
    expect(service.program.stdout).toMatch(/2 were rewritten, and 1 were removed/);

    await until(async () => (await lines('select from board_rankings where build is not null')).length === 0);
    await until(async () => (await lines('select from generations_due')).length === 0);
    // Boards that keep one entry for each player show its present name.
    const unnamed = 'select from names_due union all select from renames_due where followed < ticket';
    await until(async () => (await lines(unnamed)).length === 0);
    const after = await counts();
    // Tables that the old version did not have are not compared.
    const lasting = (rows: Record<string, number>) =>
      Object.entries(rows).filter(
        ([table]) => table in before && ![GROWING, DERIVED].some((known) => known.test(table)),
      );
    expect(lasting(after)).toEqual(lasting(before));
    expect(after.audit_entries).toBe(before.audit_entries! + 1);

    const named = await lines(`
      select 'scr_' || e.id as id, d.display_name as name from board_rankings r
      join entries e on e.board_id = r.board_id and e.generation = r.generation and not e.is_test
      join identities d on d.id = e.slot and d.display_name <> '' where r.board_type <> 'run_runs'`);
    const present = new Map(named.map(({ id, name }) => [id, name]));
    const gone = await lines(`select 'ide_' || id as id from identities where deleted_at is not null`);
    const deleted = new Set(gone.map(({ id }) => id));
    const ratios = new Set(
      (await lines(`select 'brd_' || board_id as id from ratio_configs`)).map(({ id }) => id),
    );
    const { callers, reads } = JSON.parse(
      respelled(read('answers.json'), present),
      // A sentence for people: the facts beside it are compared.
      (key, value) => (key === 'explanation' && value !== null ? expect.any(String) : value),
    );
    for (const { as, path, body } of reads) {
      const answer = await send(service.url + path, { headers: { 'service-api-key': callers[as] } });
      expect([path, answer.status]).toEqual([path, 200]);
      // The first entry is that of the address that gave way.
      if (path.startsWith('/v1/audit-entries')) {
        answer.body.data.shift();
        answer.body.pagination.count -= 1;
      }
      // The old version listed events of deleted players.
      if (path.startsWith('/v1/score-events?')) {
        body.data = body.data.filter((event: Data) => !deleted.has(event.identity_id));
        body.pagination.count = body.data.length;
      }
      for (const shown of [answer.body, body]) withoutOrderOfEquals(shown, ratios);
      expect({ path, ...answer.body }).toMatchObject({ path, ...body });
    }
    const db = { knex, ...database };
    let boards = 0;
    for await (const boardId of allBoards(db)) {
      expect(await verifyBoard(db, boardId)).toEqual([]);
      boards += 1;
    }
    expect(boards).toBe(before.boards);

    // The past is counted in the background, by its own months.
    await letJobsRun();
    letJobsRun = undefined;
    await until(async () => (await lines('select from counted_boards where filling')).length === 0);
    const counted = (columns: string, from: string) =>
      lines(`select ${columns}, count(*)::int as n from ${from} group by 1, 2 order by 1, 2`);
    expect(
      await lines(`
      select is_test as test, date_trunc('month', at, 'UTC')::text as month, sum(submissions)::int as n from history
      where span = 'day' and board_id <> '00000000-0000-0000-0000-000000000000' group by 1, 2 order by 1, 2`),
    ).toEqual(
      await counted(
        `is_test as test, date_trunc('month', created_at, 'UTC')::text as month`,
        `score_events where source <> 'import'`,
      ),
    );
    expect(
      (await lines("select sum(new_players)::int as n from history where span = 'month'"))[0].n,
    ).toBeGreaterThan(0);
  } finally {
    await service?.program.kill('SIGTERM');
    await letJobsRun?.();
    await old.drop();
    await dir.remove();
  }
});

/**
 * The old version ranked equal ratios in the order in which it had read them, and kept their time. Ranks and values
 * stay in their places.
 */
function withoutOrderOfEquals(body: Data, ratios: ReadonlySet<string>): void {
  const { data } = body;
  if (!Array.isArray(data) || data[0]?.rank === undefined || !ratios.has(data[0].board_id)) return;
  const first = (row: Data) => data.findIndex(({ value }: Data) => value === row.value);
  const rows = data.map(({ rank: _rank, updated_at: _at, ...row }: Data) => row);
  body.ranks = data.map(({ rank, value }: Data) => [rank, value]);
  body.data = rows.toSorted((a: Data, b: Data) => first(a) - first(b) || (a.id < b.id ? -1 : 1));
}

/**
 * The recorded answers with addresses as the new version spells them, without the times of reads and
 * respelling.
 * @param names present names of players by the scores that show them
 */
function respelled(text: string, names: ReadonlyMap<string, string>): string {
  const spellings: Record<string, (id: string) => string> = {
    'ｅva@example.com': () => 'eva@example.com',
    'jo@bücher.example': () => 'jo@xn--bcher-kva.example',
    'max@example.com.': (id) => `${id}@unproven.invalid`,
  };
  return JSON.stringify(JSON.parse(text), (key, value) => {
    if (key === 'last_used_at') return undefined;
    // All placeholders had the same id then.
    if (value?.is_placeholder)
      return { ...value, id: undefined, created_at: undefined, updated_at: undefined };
    // A window around a value had no cursors then.
    if (value?.has_next && !value.next_cursor) {
      return { ...value, next_cursor: undefined, prev_cursor: undefined };
    }
    // The old version showed the name of the kept run.
    if (value?.player_name && names.has(value.id)) return { ...value, player_name: names.get(value.id) };
    const spell = spellings[value?.email];
    return spell ? { ...value, email: spell(value.id), updated_at: undefined } : value;
  });
}
