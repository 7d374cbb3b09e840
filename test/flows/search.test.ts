import { idOf, uuid7, uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { MINUTE } from '../support/clock.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeTemplate,
  makeUser,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { submit } from '../support/play.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const SEARCH = `query ($accountId: ID, $text: String!, $gameId: ID, $first: Int! = 20) {
  search(accountId: $accountId, text: $text, gameId: $gameId, first: $first) { __typename id } }`;
const variables = (text: string, more: Data = {}) => ({ accountId: studio.accountId, text, ...more });
const search = async (text: string, more: Data = {}, who: Caller = studio.admin): Promise<string[]> =>
  (await who.data(SEARCH, variables(text, more))).search.map(({ id }: Data) => id);

const player = async (displayName: string, gameId = game.id): Promise<string> => {
  const input = { gameId, kind: 'CUSTOM', externalKey: `k${unique()}`, displayName };
  const query =
    'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { identity { id } } }';
  return (await studio.admin.data(query, { input })).createIdentity.identity.id;
};
const FIND = `query ($game: ID!, $name: String!, $first: Int! = 50) {
  game(by: { id: $game }) { findIdentities(name: $name, first: $first) { displayName } } }`;
const found = async (name: string, first?: number): Promise<string[]> => {
  const { game: read } = await studio.admin.data(FIND, { game: game.id, name, first });
  return read.findIdentities.map(({ displayName }: Data) => displayName);
};

/** Each player that is not deleted has its words, and nobody else has any. */
async function expectIndexed(): Promise<void> {
  const { rows } = await app.database.knex.raw(`
    select * from (select w.game_id, w.identity_id, w.words from player_words w) a
    full join (select i.game_id, i.id as identity_id, unnest(name_words(i.display_name)) as words from identities i
      where i.deleted_at is null) b
      using (game_id, identity_id, words)
    where a is null or b is null`);
  expect(rows).toEqual([]);
}

test('players are found by any word of their names, in any script, however it was typed', async () => {
  const names = [
    ...[
      'Anna Berg',
      'anton',
      'ANSELM',
      'Änne',
      'an\u202Ena',
      'xX_Dark.Knight_Xx',
      'Zoe\u0308 Maier',
      'Łukasz',
    ],
    ...[
      'ИВАН Петров',
      'Пётр',
      'ΣΊΣΥΦΟΣ',
      'Հայկ',
      '安娜 王',
      '田中　太郎',
      'ガンダム',
      'ﾊﾟﾝﾀﾞ',
      '김 민수',
      '김철수',
      '山田太郎',
      'สมชายใจดี',
      'ProガンナーX',
      'مُحَمَّد علي',
      'राम कुमार',
      'ສົມບັດ',
      'សុភាព',
      'မောင်လှ',
      'ああああ',
      'あい',
    ],
    ...['🔥Blaze🔥', '★ Nova', 'ＦＵＬＬ', '%', '_\\_', 'İpek Işık'],
  ];
  await Promise.all(names.map((name) => player(name)));
  const cases: [typed: string, names: string[]][] = [
    ['AN', ['Anna Berg', 'anton', 'ANSELM', 'Änne', 'an\u202Ena']],
    ['änn', ['Anna Berg', 'Änne', 'an\u202Ena']],
    ['berg', ['Anna Berg']],
    ['a berg', []],
    ['anna b', ['Anna Berg']],
    ['knight', ['xX_Dark.Knight_Xx']],
    ['dark kn', ['xX_Dark.Knight_Xx']],
    ['DARK-KN', ['xX_Dark.Knight_Xx']],
    ['night', []],
    ['zoë', ['Zoe\u0308 Maier']],
    ['ZOE', ['Zoe\u0308 Maier']],
    ['maier', ['Zoe\u0308 Maier']],
    ['luk', ['Łukasz']],
    ['иван', ['ИВАН Петров']],
    ['ПЕТ', ['ИВАН Петров', 'Пётр']],
    ['петр', ['ИВАН Петров', 'Пётр']],
    ['σίσ', ['ΣΊΣΥΦΟΣ']],
    ['ΣΙΣΥΦΟς', ['ΣΊΣΥΦΟΣ']],
    ['ՀԱՅ', ['Հայկ']],
    ['王', ['安娜 王']],
    ['安', ['安娜 王']],
    ['太', ['田中　太郎', '山田太郎']],
    ['太郎', ['田中　太郎', '山田太郎']],
    ['田太', ['山田太郎']],
    ['ガン', ['ガンダム', 'ProガンナーX']],
    ['ダム', ['ガンダム']],
    ['ンナ', ['ProガンナーX']],
    ['rox', []],
    ['철수', ['김철수']],
    ['김', ['김 민수', '김철수']],
    ['수', ['김 민수', '김철수']],
    ['ใจดี', ['สมชายใจดี']],
    ['ชาย', ['สมชายใจดี']],
    ['ບັດ', ['ສົມບັດ']],
    ['ភាព', ['សុភាព']],
    ['လှ', ['မောင်လှ']],
    ['パン', ['ﾊﾟﾝﾀﾞ']],
    ['민', ['김 민수']],
    ['محمد', ['مُحَمَّد علي']],
    ['علي', ['مُحَمَّد علي']],
    ['कु', ['राम कुमार']],
    ['blaze', ['🔥Blaze🔥']],
    ['🔥', ['🔥Blaze🔥']],
    ['★', ['★ Nova']],
    ['nova', ['★ Nova']],
    ['full', ['ＦＵＬＬ']],
    ['isik', ['İpek Işık']],
    ['%', ['%']],
    ['_', ['_\\_']],
  ];
  const answers = await Promise.all(cases.map(async ([typed]) => [typed, (await found(typed)).toSorted()]));
  expect(answers).toEqual(cases.map(([typed, wanted]) => [typed, wanted.toSorted()]));
  expect(await found('an', 1)).toEqual([(await found('an'))[0]]);
  // A player whose name has the text in several places is one of them.
  expect(await found('あ', 2)).toEqual(['ああああ', 'あい']);
  await expectIndexed();
});

test('a search finds records by parts of their names, codes and ids, of its account alone', async () => {
  const own = await makeGame(studio, { name: 'Über Racer', slug: `racer-${unique()}` });
  const board = await makeBoard(studio, own.id, { name: 'Été cup', shortCode: 'ZEBRA77' });
  const template = await makeTemplate(studio, own.id, { name: 'Nightly cup' });
  const user = await makeUser(studio.admin, studio.accountId, { displayName: 'Mia Quux' });
  const key = await makeKey(studio.admin, studio.accountId, user.id, { name: 'Deploy robot' });
  const one = await player('Cupido', own.id);
  const stranger = await makeStudio(app);
  const foreign = await makeBoard(stranger, (await makeGame(stranger)).id, {
    name: 'Été cup',
    shortCode: 'ZEBRA78',
  });

  expect(await search('ER rac')).toEqual([own.id]);
  expect(await search('uber')).toEqual([own.id]);
  expect(await search('CUP')).toEqual([board.id, template.id, one]);
  expect(await search('cup', { first: 1 })).toEqual([board.id, template.id, one]);
  // Players of a game come first, those of others after them.
  const here = await player('Cupid', own.id);
  const there = await player('Cupola');
  expect(await search('cup', { gameId: game.id })).toEqual([board.id, template.id, there, here, one]);
  expect(await search('cup', { gameId: own.id })).toEqual([board.id, template.id, here, one, there]);
  for (const id of [here, there]) await change(studio.admin, 'Identity', id, { deleted: true });
  expect(await search('ebra7')).toEqual([board.id]);
  expect(await search('zebra78')).toEqual([]);
  expect(await search('quux')).toEqual([user.id]);
  expect(await search(user.email.slice(2))).toEqual([user.id]);
  expect(await search('robot')).toEqual([key.id]);
  expect(await search(key.prefix.slice(4))).toEqual([key.id]);
  for (const id of [own.id, board.id, template.id, user.id, key.id, one]) {
    expect(await search(id)).toEqual([id]);
    expect(await search(uuidOf(id))).toEqual([id]);
  }
  // Ids of one millisecond begin alike.
  expect(await search(board.id.slice(-14))).toEqual([board.id]);
  for (const id of [foreign.id, idOf('identity', uuid7())]) expect(await search(id)).toEqual([]);
  expect(await stranger.admin.code(SEARCH, variables('cup'))).toBe('FORBIDDEN');
  expect(await search('cup', { gameId: own.id }, app.superadmin)).toEqual([board.id, template.id, one]);
  const elsewhere = { accountId: stranger.accountId, text: 'cup' };
  expect(await stranger.admin.code(SEARCH, { ...elsewhere, gameId: own.id })).toBe('FORBIDDEN');
  expect((await app.superadmin.data(SEARCH, { ...elsewhere, gameId: own.id })).search).toEqual([
    { __typename: 'Board', id: foreign.id },
  ]);
  // Without an account: the caller's own, and for superadmins all of them, with the accounts.
  const everywhere = async (text: string, who: Caller) =>
    (await who.data(SEARCH, { text })).search.map(({ id }: Data) => id);
  expect(await everywhere('ebra7', studio.admin)).toEqual([board.id]);
  expect((await everywhere('ebra7', app.superadmin)).toSorted()).toEqual([board.id, foreign.id].toSorted());
  expect(await everywhere(stranger.accountId, app.superadmin)).toEqual([stranger.accountId]);
  expect(await everywhere(stranger.accountId, studio.admin)).toEqual([]);
  expect(await everywhere(one, app.superadmin)).toEqual([one]);

  const jam = await app.superadmin.data(
    'mutation ($input: CreateJamCodeInput!) { createJamCode(input: $input) { jamCode { id } } }',
    { input: { code: `Quux${unique()}`, description: 'Winter' } },
  );
  expect(await search('quux', {}, app.superadmin)).toEqual([user.id, jam.createJamCode.jamCode.id]);
  expect(await search('quux')).toEqual([user.id]);

  await change(studio.admin, 'Board', board.id, { deleted: true });
  await change(studio.admin, 'Game', own.id, { deleted: true });
  for (const text of ['cup', board.id, one, 'racer']) expect([text, await search(text)]).toEqual([text, []]);
});

test.each([
  ['', 'VALIDATION_FAILED'],
  ['\u3164\u200b', 'VALIDATION_FAILED'],
  ['a\u0007', 'VALIDATION_FAILED'],
  ['a\u0000', 'VALIDATION_FAILED'],
  ['x'.repeat(65), 'VALIDATION_FAILED'],
  ['\ud800', 'VALIDATION_FAILED'],
])('%j is no text to search for', async (text, code) => {
  expect(await studio.admin.code(SEARCH, variables(text))).toBe(code);
});

test('odd texts find what has them, and nothing else', async () => {
  const odd = ['%', '\\', "'", '_%', '((', '[a-z]', '﷽'.repeat(64), '\u0301a'.repeat(32)];
  const sought = await Promise.all(odd.map(async (text) => (await search(text)).length));
  expect(sought).toEqual([1, ...odd.slice(1).map(() => 0)]);
  expect(await studio.admin.code(SEARCH, variables('a', { first: 101 }))).toBe('VALIDATION_FAILED');
  expect(await studio.admin.code(SEARCH, variables('a', { first: 0 }))).toBe('VALIDATION_FAILED');
});

test('words follow renames, deletions, restorations and erasures; players from before are indexed in the background', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const ann = await startSession(app, game.id);
  const id = ann.session.identityId;
  await submit(ann, board.id, 1, { playerName: 'Quick Fox' });
  expect(await found('fox')).toEqual(['Quick Fox']);
  await submit(ann, board.id, 2, { playerName: 'Quick Hare' });
  expect([await found('fox'), await found('hare')]).toEqual([[], ['Quick Hare']]);
  await change(studio.admin, 'Identity', id, { displayName: 'Slow Hare' });
  expect([await found('quick'), await found('slow h')]).toEqual([[], ['Slow Hare']]);
  await change(studio.admin, 'Identity', id, { deleted: true });
  expect(await found('hare')).toEqual([]);
  await change(studio.admin, 'Identity', id, { deleted: false });
  expect(await found('hare')).toEqual(['Slow Hare']);
  await expectIndexed();

  // As an installation is that was just upgraded.
  const { knex } = app.database;
  const before = await found('h');
  await knex('player_words').delete();
  await knex('player_words_due').insert({ game_id: uuidOf(game.id) });
  expect([await found('hare'), await found('slow'), await found('SLOW h')]).toEqual([
    [],
    ['Slow Hare'],
    ['Slow Hare'],
  ]);
  await submit(ann, board.id, 3, { playerName: 'Sly Hare' });
  await change(studio.admin, 'Identity', id, { displayName: 'Sly Hare' });
  const step = () => knex.raw('select index_players(?, 3) as players', [uuidOf(game.id)]);
  const players = (await step()).rows[0].players;
  expect(players).toBe(3);
  await app.app.jobs.run('index-player-names');
  expect(await knex('player_words_due')).toEqual([]);
  expect((await found('h')).toSorted()).toEqual(before.map((name) => name.replace('Slow', 'Sly')).toSorted());
  const others = await knex('identities').whereNot('game_id', uuidOf(game.id)).pluck('id');
  await knex.raw(
    `insert into player_words (game_id, words, identity_id)
    select i.game_id, unnest(name_words(i.display_name)), i.id from identities i where i.id = any(?) and i.deleted_at is null`,
    [others],
  );
  await expectIndexed();

  // As an installation is that searched words alone: those are found while the parts are being indexed.
  await change(studio.admin, 'Identity', id, { displayName: '박 하늘빛' });
  await knex.raw(
    "delete from player_words where words not in (name_key('박 하늘빛'), name_key('하늘빛')) and identity_id = ?",
    [uuidOf(id)],
  );
  await knex('player_words_due').insert({ game_id: uuidOf(game.id), has_words: true });
  expect([await found('하늘'), await found('늘빛')]).toEqual([['박 하늘빛'], []]);
  await app.app.jobs.run('index-player-names');
  expect([await found('하늘'), await found('늘빛')]).toEqual([['박 하늘빛'], ['박 하늘빛']]);
  await expectIndexed();

  const erase = 'mutation ($id: ID!) { eraseIdentity(input: { id: $id }) { erasure { status } } }';
  await studio.admin.data(erase, { id });
  await until(async () => (await knex('player_words').where('identity_id', uuidOf(id))).length === 0);
  await expectIndexed();
});

test('a player’s activity is read for administrators', async () => {
  const fair = await makeGame(studio, { antiCheatEnabled: false });
  const board = await makeBoard(studio, fair.id);
  const other = await makeBoard(studio, fair.id, { keepStrategy: 'ALL' });
  const bo = await startSession(app, fair.id);
  const id = bo.session.identityId;
  await submit(bo, board.id, 1);
  app.clock.advance(MINUTE);
  for (const value of [2, 3]) await submit(bo, other.id, value);
  const activity = 'activity { lastSeenAt runs pendingFlags devices bannedDevices suspendedDevices }';
  const read = async (identity: string, who: Caller = studio.admin) =>
    (await who.data(`query ($id: ID!) { identity(id: $id) { ${activity} } }`, { id: identity })).identity
      .activity;
  const lastSeenAt = new Date(app.clock.now()).toISOString();
  const seen = { lastSeenAt, runs: 3, pendingFlags: 0, devices: 1, bannedDevices: 0, suspendedDevices: 0 };
  expect(await read(id)).toEqual(seen);
  const events = await studio.admin.data(
    'query ($id: ID!) { identity(id: $id) { scoreEvents { nodes { id } } } }',
    { id },
  );
  await flag(studio.admin, events.identity.scoreEvents.nodes[0].id);
  await change(studio.admin, 'Device', bo.session.deviceId, { status: 'BANNED' });
  expect(await read(id)).toEqual({ ...seen, pendingFlags: 1, bannedDevices: 1 });
  // A game server's player has no device.
  const played = await makePlayer(studio.admin, fair.id, 'srv');
  expect(await read(played)).toEqual({ ...seen, lastSeenAt: null, runs: 0, devices: 0 });
  await play(studio.admin, board.id, played, 5);
  expect(await read(played)).toEqual({ ...seen, runs: 1, devices: 0 });
});
