import { randomUUID } from 'node:crypto';
import { createAccount } from '../../src/accounts/save-account.js';
import { adoptCell } from '../../src/cells/adopt.js';
import { workOf } from '../../src/graphql/author.js';
import { startCell, type TestCell, TestDirectory } from '../support/cells.js';
import { cloneDatabase } from '../support/database.js';
import type { Data } from '../support/http.js';
import { register, verifiedToken } from '../support/mail.js';
import {
  change,
  changeFault,
  makeAccount,
  makeBoard,
  makeGame,
  makeStudio,
  makeUser,
  type Studio,
} from '../support/make.js';
import { DataDir, settingsOn, startService, superadminOf } from '../support/process.js';
import { SilentProxy } from '../support/silent-proxy.js';

// Two cells of one directory. Each test ends with a comparison of names and records.

let directory: TestDirectory;
let east: TestCell;
let west: TestCell;
let eastStudio: Studio;
let westStudio: Studio;
beforeAll(async () => {
  directory = await TestDirectory.make();
  east = await startCell(directory, 'east');
  west = await startCell(directory, 'west', {}, { hooks: { preCreateGame: () => undefined } });
  eastStudio = await makeStudio(east);
  westStudio = await makeStudio(west);
});
afterEach(async () => {
  for (const cell of [east, west]) {
    expect(await cell.disagreement()).toEqual({ withoutName: [], withoutRecord: [] });
  }
});
afterAll(async () => {
  await east.close();
  await west.close();
  await directory.close();
});

const post = (cell: TestCell, path: string, body: Data) => cell.superadmin.post(path, body);

async function refusedAsTaken(answer: Promise<{ status: number; body: Data }>, field: string): Promise<void> {
  const { status, body } = await answer;
  expect([status, body.code, body.error]).toEqual([
    409,
    'CONFLICT',
    expect.stringContaining(`already uses this ${field}`),
  ]);
}

const held = async (kind: string, name: string) =>
  (await directory.directory.database.knex('names').where({ kind, name }).first('cell', 'state')) ?? null;

test('a name of one cell is taken in the other', async () => {
  await makeAccount(east, { name: 'Acme', slug: 'acme' });
  await refusedAsTaken(post(west, '/v1/accounts', { name: 'Acme', slug: 'acme-west' }), 'name');
  await refusedAsTaken(post(west, '/v1/accounts', { name: 'Acme West', slug: 'acme' }), 'slug');

  const { email } = await makeUser(east.superadmin, eastStudio.accountId, { email: 'ada@example.com' });
  const user = { account_id: westStudio.accountId, email, display_name: 'Ada' };
  await refusedAsTaken(post(west, '/v1/users', user), 'email');

  await makeGame(eastStudio, { slug: 'pong' });
  const game = { account_id: westStudio.accountId, name: 'Pong', slug: 'pong' };
  await refusedAsTaken(post(west, '/v1/games', game), 'slug');

  const { id: eastGame } = await makeGame(eastStudio);
  const { id: westGame } = await makeGame(westStudio);
  await makeBoard(eastStudio, eastGame, { shortCode: 'PONG1' });
  const board = { account_id: westStudio.accountId, game_id: westGame, name: 'Pong', short_code: 'pong1' };
  await refusedAsTaken(post(west, '/v1/boards', board), 'short_code');

  const jam = { code: 'JAM2026', description: 'A jam' };
  expect((await post(east, '/v1/jam-codes', jam)).status).toBe(201);
  await refusedAsTaken(post(west, '/v1/jam-codes', jam), 'code');
});

test('generated slugs count on over both cells', async () => {
  const slugs = [];
  for (const cell of [east, west, east, west])
    slugs.push((await makeAccount(cell, { name: `Twin ${slugs.length}`, slug: undefined })).slug);
  const games = [];
  for (const studio of [eastStudio, westStudio, westStudio])
    games.push((await makeGame(studio, { name: `Same${' '.repeat(games.length)}!` })).slug);
  expect(games).toEqual(['same', 'same-2', 'same-3']);
  expect(new Set(slugs).size).toBe(4);
});

test('of many who want a name at once over both cells one gets it', async () => {
  const wanted = Array.from({ length: 12 }, (_, n) =>
    post(n % 2 ? west : east, '/v1/accounts', { name: 'Rush', slug: `rush-${n}` }),
  );
  const statuses = (await Promise.all(wanted)).map(({ status }) => status).toSorted();
  expect(statuses).toEqual([201, ...Array.from({ length: 11 }, () => 409)]);
});

test('a name that is given back between a refused claim and the look at its owner is claimed again', async () => {
  const { knex } = directory.directory.database;
  // As if another writer had had the names for that moment; numbers of a sequence survive the refusal.
  await knex.raw('create sequence claims');
  await knex.raw(`create function refuse_claims() returns trigger language plpgsql as $$
    begin
      if nextval('claims') <= 2 then
        raise exception 'taken' using errcode = 'unique_violation', constraint = 'names_key';
      end if;
      return new;
    end $$`);
  await knex.raw(
    'create trigger refuse_claims before insert on names for each row execute function refuse_claims()',
  );
  const made = await post(east, '/v1/games', {
    account_id: eastStudio.accountId,
    name: 'Again',
    slug: 'again',
  });
  expect(made.status).toBe(201);
  expect(await held('game_slug', 'again')).toEqual({ cell: 'east', state: 'held' });
  await knex.raw('drop trigger refuse_claims on names');
});

test('a rename and a deletion free a name, and a restoration claims it again', async () => {
  const first = await makeAccount(east, { name: 'Old', slug: 'old' });
  await change(east.superadmin, 'Account', first.id, { name: 'New', slug: 'new' });
  const second = await makeAccount(west, { name: 'Old', slug: 'old' });
  expect(await changeFault(east.superadmin, 'Account', first.id, { name: 'Old' })).toBe('CONFLICT');
  expect(await held('account_slug', 'new')).toEqual({ cell: 'east', state: 'held' });

  await change(west.superadmin, 'Account', second.id, { deleted: true });
  await change(east.superadmin, 'Account', first.id, { name: 'Old' });
  expect(await changeFault(west.superadmin, 'Account', second.id, { deleted: false })).toBe('CONFLICT');
  await change(east.superadmin, 'Account', first.id, { name: 'Newer' });
  await change(west.superadmin, 'Account', second.id, { deleted: false });
});

test('a registration takes an unproven address from a user of its cell, and none from another', async () => {
  const email = 'eve@example.com';
  const { id } = await makeUser(east.superadmin, eastStudio.accountId, { email });
  const token = await verifiedToken(west, email);
  const complete = { verification_token: token, account_name: 'Elsewhere' };
  await refusedAsTaken(west.anyone.post('/register/complete', complete), 'email');
  await register(east, email);
  const { body } = await east.superadmin.get(`/v1/users/${id}`);
  expect(body.email).toMatch(/@unproven\.invalid$/);
  expect(await held('email', email)).toEqual({ cell: 'east', state: 'held' });
  expect(await held('account_name', 'Elsewhere')).toBeNull();
});

test('a board whose slug is taken in its game keeps the short code that it asks for', async () => {
  const { id } = await makeGame(westStudio);
  await makeBoard(westStudio, id, { name: 'Daily' });
  expect(await makeBoard(westStudio, id, { name: 'Daily', shortCode: 'DAILY2' })).toMatchObject({
    slug: 'daily-2',
    shortCode: 'DAILY2',
  });
});

test('the sweeper settles claims of a dead writer by the records it wrote', async () => {
  const cell = await startCell(directory, 'north', { claimMillis: 0 });
  const claims = cell.names.begin();
  const owner = { recordId: '01900000-0000-7000-8000-000000000001', accountId: null };
  const written = await cell.database.knex.transaction();
  await claims.claim(written, [{ kind: 'jam_code', name: 'WRITTEN' }], owner, true);
  const lost = await cell.database.knex.transaction();
  await claims.claim(lost, [{ kind: 'jam_code', name: 'LOST' }], owner, true);
  await lost.rollback();
  const swept = cell.names.sweep();
  await written.commit();
  expect(await swept).toBe(2);
  expect(await held('jam_code', 'LOST')).toBeNull();
  expect(await held('jam_code', 'WRITTEN')).toEqual({ cell: 'north', state: 'held' });
  // A writer that comes after the sweeper cannot write any more.
  const claimId = randomUUID();
  await directory.directory.reserve([{ kind: 'jam_code', name: 'LATE', claimId }], owner, 'north', true);
  expect(await cell.names.sweep()).toBe(1);
  expect(await held('jam_code', 'LATE')).toBeNull();
  const late = cell.database.knex('name_claims').insert({ claim_id: claimId, outcome: 'done' });
  await expect(late).rejects.toThrow('name_claims_pkey');
  await cell.close();
});

test('a database with records joins with all its names, unless another cell has one of them', async () => {
  const clone = await cloneDatabase();
  const database = clone.open();
  const writing = { db: database.knex, ...workOf('operator', 'test', new Date()) };
  await createAccount(writing, { name: 'Settled', slug: 'settled' });
  await createAccount(writing, { name: 'Acme', slug: 'acme-south' });
  await expect(adoptCell(directory.directory, 'south', database.pool)).rejects.toThrow(
    /1 of its names are used by other cells \(account_name Acme\)/,
  );
  await database.knex('accounts').where('name', 'Acme').update({ name: 'Acme South' });
  expect(await adoptCell(directory.directory, 'south', database.pool)).toBe(4);
  expect(await adoptCell(directory.directory, 'south', database.pool)).toBeUndefined();
  expect(await held('account_slug', 'settled')).toEqual({ cell: 'south', state: 'held' });
  await clone.drop();
});

test('without the directory, new names and deletions are refused as unavailable, and all else goes on', async () => {
  const proxy = await SilentProxy.before(directory.database.connectionString);
  const cell = await startCell(directory, 'alone', { directoryUrl: proxy.connectionString });
  const studio = await makeStudio(cell);
  const { id } = await makeGame(studio);
  await proxy.close();
  const refused = await studio.admin.post('/v1/games', { account_id: studio.accountId, name: 'Another' });
  expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE']);
  expect(await changeFault(studio.admin, 'Game', id, { deleted: true })).toBe('UNAVAILABLE');
  await change(studio.admin, 'Game', id, { description: 'Changed' });
  await cell.close();
});

test('processes of an installation join, and refuse names of other cells', async () => {
  const [clone, dir] = [await cloneDatabase(), new DataDir()];
  const { program, url } = await startService({
    ...settingsOn(clone, dir),
    DIRECTORY_URL: directory.database.connectionString,
    CELL: 'process',
    WORKERS: '2',
    LOG_LEVEL: 'warn',
  });
  const superadmin = superadminOf(url);
  expect((await superadmin.post('/v1/accounts', { name: 'Own', slug: 'own' })).status).toBe(201);
  expect(await held('account_slug', 'own')).toEqual({ cell: 'process', state: 'held' });
  await refusedAsTaken(superadmin.post('/v1/accounts', { name: 'Own West', slug: 'acme' }), 'slug');
  expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  await clone.drop();
  await dir.remove();
});
