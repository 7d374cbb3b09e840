import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded.js';
import { makeStudio, type Studio } from '../operate/ground.js';
import { LoadClient } from '../support/load.js';
import { postgres14 } from '../support/postgres-14.js';
import { DataDir, type Program, runProgram, startService } from '../support/process.js';
import { Terminal } from '../support/terminal.js';

// A data directory of Postgres 14 becomes one of the Postgres that comes along. `npm run prove:backup` gets the programs
// of the old one from the registry; here they are those of the test runs.

const isThere = process.platform === 'linux' && process.arch === 'x64';
const oldBin = () => path.join(postgres14(), 'bin');

const PLAYERS = 5;
const SUBMISSIONS = 20;

const dir = new DataDir();
const terminal = new Terminal({ DATA_DIR: dir.path });
let program: Program | undefined;

afterAll(async () => {
  if (program?.running) await program.kill('SIGKILL');
  await dir.remove();
  terminal.close();
});

/** Every row of every table, as a checksum and a number for each, and where its sequences are. */
async function rowsOf(options: { installedBin?: string }): Promise<Record<string, string>> {
  const server = await startEmbeddedPostgres(dir.path, options);
  const client = new pg.Client(server.connectionString());
  try {
    await client.connect();
    const { rows: tables } = await client.query<{ name: string; kind: string }>(
      `select c.oid::regclass::text as name, c.relkind as kind from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'S') and n.nspname in ('public', 'graphile_worker') order by 1`,
    );
    const found: Record<string, string> = {};
    for (const { name, kind } of tables) {
      const sql =
        kind === 'S'
          ? `select concat_ws(' ', last_value, is_called) as sum from ${name}`
          : `select concat_ws(' ', count(*), md5(string_agg(t::text, chr(10) order by t::text collate "C"))) as sum from ${name} t`;
      found[name] = (await client.query<{ sum: string }>(sql)).rows[0]!.sum;
    }
    return found;
  } finally {
    await client.end();
    await server.stop();
  }
}

async function ask14(sql: string): Promise<void> {
  const server = await startEmbeddedPostgres(dir.path, { installedBin: oldBin() });
  const client = new pg.Client(server.connectionString());
  await client.connect();
  await client.query(sql);
  await client.end();
  await server.stop();
}

(isThere ? describe : describe.skip)('a data directory of Postgres 14', () => {
  let studio: Studio;
  let before: Record<string, string>;

  test('is refused by a newer one, which names the command', async () => {
    const service = await startService({ DATA_DIR: dir.path, POSTGRES_BIN_DIR: oldBin() });
    program = service.program;
    studio = await makeStudio(dir.superadmin(service.url));
    const players = Array.from(
      { length: PLAYERS },
      (_none, i) => new LoadClient(() => service.url, [studio.board.id], false, `Player ${i}`),
    );
    for (const player of players) {
      await player.open(studio.game.id);
      for (let i = 0; i < SUBMISSIONS; i += 1) await player.submit(studio.board.id, i, false);
    }
    const inUse = await terminal.run(['upgrade-database', '--old-bin', oldBin()]);
    expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringMatching(/in use by another instance/)]);
    await program.kill('SIGTERM');
    const { code, stderr } = await runProgram('src/main.ts', { DATA_DIR: dir.path, PORT: '0' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/created by Postgres 14, .* run "npx leaderboard upgrade-database"\.\n$/),
    ]);
  });

  test('is left as it is when it holds tables that are not the service’s', async () => {
    await ask14('create table own_notes (text text)');
    const names = readdirSync(dir.path);
    const { code, stderr } = await terminal.run(['upgrade-database', '--old-bin', oldBin()]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/do not belong to the service .*\(public\.own_notes\)/),
    ]);
    expect(readdirSync(dir.path).filter((name) => !name.startsWith('postgres-binaries-'))).toEqual(names);
    await ask14('drop table own_notes');
  });

  test('becomes one of the new Postgres with the same rows, and stays beside it', async () => {
    before = await rowsOf({ installedBin: oldBin() });
    expect(before.score_events).toMatch(new RegExp(`^${PLAYERS * SUBMISSIONS} `));
    const { code, stdout, stderr } = await terminal.run(['upgrade-database', '--old-bin', oldBin()]);
    expect([code, stderr.replaceAll(/^copied .*\n/gm, '')]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^\d+ tables with \d+ rows copied from Postgres 14 to \d+\.\n1 boards verified, 0 errors found\./,
    );
    expect(await rowsOf({})).toEqual(before);
    expect(await rowsOf({ installedBin: oldBin() })).toEqual(before);
    expect(readdirSync(dir.path).filter((name) => name.startsWith('.'))).toEqual([]);
    const again = await terminal.run(['upgrade-database']);
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/Nothing to do/)]);
  });

  test('goes on with the service', async () => {
    const service = await startService({ DATA_DIR: dir.path });
    program = service.program;
    const player = new LoadClient(() => service.url, [studio.board.id], false, 'Late');
    await player.open(studio.game.id);
    const { score } = await player.submit(studio.board.id, SUBMISSIONS, false);
    expect(score).toMatchObject({ rank: 1, value: SUBMISSIONS });
    expect(readFileSync(path.join(dir.path, 'postgres-14', 'PG_VERSION'), 'utf8')).toBe('14\n');
    expect(existsSync(path.join(dir.path, 'postgres-14', 'postmaster.pid'))).toBe(false);
    await program.kill('SIGTERM');
  });
});
