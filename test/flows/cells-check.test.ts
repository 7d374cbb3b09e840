import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { idOf, uuidOf } from '../../src/base/ids.js';
import { checkNames } from '../../src/cells/check.js';
import { startCell, type TestCell, TestDirectory } from '../support/cells.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { moverOf } from '../support/moves.js';

// The directory or a cell is not what it was: as after a backup of one of them was restored.

let directory: TestDirectory;
let east: TestCell;
let west: TestCell;
let studio: Studio;

beforeAll(async () => {
  directory = await TestDirectory.make();
  east = await startCell(directory, 'east');
  west = await startCell(directory, 'west');
  studio = await makeStudio(east);
});
afterAll(async () => {
  await east.close();
  await west.close();
  await directory.close();
});

const check = (repair: boolean, release: boolean) =>
  checkNames({
    directory: directory.directory,
    databases: new Map([
      ['east', east.database.pool],
      ['west', west.database.pool],
    ]),
    repair,
    release,
    pause: async () => undefined,
  });
const directly = (sql: string, values: unknown[]) => directory.directory.database.pool.query(sql, values);
/** `leaderboard cells …` */
function command(...words: string[]): Promise<{ code: number; lines: string[] }> {
  const preload = path.resolve(__dirname, '../support/ts-require.cjs');
  const script = path.resolve(__dirname, '../../src/operator/cells.ts');
  const env = {
    ...process.env,
    DIRECTORY_URL: directory.database.connectionString,
    CELL_EAST_DATABASE_URL: east.database.connectionString,
    CELL_WEST_DATABASE_URL: west.database.connectionString,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ['-r', preload, script, ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), lines: (stdout + stderr).trim().split('\n') });
    });
  });
}

const clean = { faults: [], mended: [] };

test('faults with one right end are mended', async () => {
  const game = await makeGame(studio, { slug: 'found' });
  const board = await makeBoard(studio, game.id, { shortCode: 'FOUND' });
  const elsewhere = await makeStudio(west);
  expect(await check(true, true)).toEqual(clean);

  await directly(`delete from names where name in ('found', 'FOUND')`, []);
  await directly('delete from records where account_id = $1', [uuidOf(studio.accountId)]);
  await directly(
    `insert into names (kind, name, record_id, account_id, cell, claim_id, state, creates, reserved_at)
     values ('game_slug', 'former', $1, $2, 'east', gen_random_uuid(), 'held', false, now())`,
    [uuidOf(game.id), uuidOf(studio.accountId)],
  );
  await directly(`update names set cell = 'west' where kind = 'key_prefix' and record_id = $1`, [
    uuidOf(studio.keyId),
  ]);
  const { faults } = await check(false, true);
  expect(faults.toSorted()).toEqual([
    expect.stringMatching(`The directory .*short code FOUND of ${board.id} on east`),
    expect.stringMatching(`The directory .*slug found of ${game.id} on east`),
    expect.stringMatching(`The directory holds the slug former for ${game.id} on east`),
    expect.stringMatching(`The directory .* prefix .* of ${studio.keyId} .* west, .* east`),
  ]);
  expect(await check(true, false)).toEqual({ faults: [], mended: expect.arrayContaining(faults) });
  const { rows } = await directly('select id from records where account_id = $1', [uuidOf(studio.accountId)]);
  expect(rows.map(({ id }) => id).toSorted()).toEqual([uuidOf(game.id), uuidOf(board.id)].toSorted());

  // The directory is of a time before a move.
  await moverOf(directory, {
    east: east.database.connectionString,
    west: west.database.connectionString,
  }).move(uuidOf(elsewhere.accountId), 'east');
  await directly(`update accounts set cell = 'west' where id = $1`, [uuidOf(elsewhere.accountId)]);
  await directly(`update names set cell = 'west' where account_id = $1`, [uuidOf(elsewhere.accountId)]);
  const back = await check(true, false);
  expect([back.faults, new Set(back.mended)]).toEqual([
    [],
    new Set([expect.stringMatching(`The cell east .* ${elsewhere.accountId}, .* directory .* west`)]),
  ]);
  expect(await check(false, false)).toEqual(clean);
});

test('lost records are released where that is asked for, and unclear faults are left to a person', async () => {
  const lost = randomUUID();
  await directly(
    `insert into names (kind, name, record_id, account_id, cell, claim_id, state, creates, reserved_at)
     values ('email', 'lost@example.com', $1, $2, 'east', gen_random_uuid(), 'held', false, now())`,
    [lost, uuidOf(studio.accountId)],
  );
  const rival = await makeStudio(west);
  const theirs = await makeGame(rival, { slug: 'theirs' });
  const ours = await makeGame(studio, { slug: 'ours' });
  await west.database.knex('games').where({ slug: 'theirs' }).update({ slug: 'ours' });
  // The cell is of a time before a move.
  const left = await makeStudio(east);
  const urls = { east: east.database.connectionString, west: west.database.connectionString };
  await moverOf(directory, urls).move(uuidOf(left.accountId), 'west');
  await east.database.pool.query(
    `begin; set local session_replication_role = replica; delete from account_moves;
     update accounts set status = 'active' where id = '${uuidOf(left.accountId)}'; commit`,
  );

  const unclear = [
    `The cell east serves the account ${left.accountId}, but the directory says it is on west, which also has ` +
      `it: one of the two has stale rows from before a move.`,
    `${theirs.id} on west and ${ours.id} on east have the same slug ours. Change one of them.`,
  ];
  const gone = `The directory holds the address lost@example.com for ${idOf('user', lost)} of east, but no cell has that record.`;
  const former = `The directory holds the slug theirs for ${theirs.id} on west, which no longer has it.`;
  const repaired = await command('check', '--repair=true');
  expect([repaired.code, repaired.lines.toSorted()]).toEqual([
    1,
    [...unclear, gone, `${former} Fixed.`].toSorted(),
  ]);
  expect((await check(false, true)).mended).toEqual([gone]);

  await west.database.knex('games').where({ slug: 'ours' }).update({ slug: 'theirs' });
  expect((await check(true, true)).faults).toEqual(unclear.slice(0, 1));
  await east.database.pool.query(
    `begin; set local session_replication_role = replica;
     update accounts set status = 'moved' where id = '${uuidOf(left.accountId)}'; commit`,
  );
  expect(await command('check')).toEqual({ code: 0, lines: ['The directory and 2 cells agree.'] });
});
