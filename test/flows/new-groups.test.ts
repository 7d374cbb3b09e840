import { uuidOf } from '../../src/base/ids.js';
import { NewGroups } from '../../src/players/tags/new-groups.js';
import { startApp, type TestApp } from '../support/app.js';
import { gist, SCORES, takeNonces, upTo } from '../support/batches.js';
import { HOUR, MINUTE } from '../support/clock.js';
import { heapInUse } from '../support/hostile/memory.js';
import type { Data } from '../support/http.js';
import {
  antiCheat,
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { post, submit, takeNonce } from '../support/play.js';
import { boardText, expectSound } from '../support/standings.js';
import { expectExactViews } from '../support/views.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp({ groupsPerView: 70 });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

const DECLARED = { dimensions: [{ name: 'guild' }], views: [{ name: 'guild', by: ['guild'] }] };

const rankings = (board: Data): Promise<Data[]> =>
  app.database
    .knex('rankings')
    .where('board_id', uuidOf(board.id))
    .where('view_no', '>', 0)
    .orderBy('group_key');
const groups = async (board: Data) => (await rankings(board)).map(({ group_key }) => group_key);

/** Runs of a player's device in these guilds, in one request. */
async function playMany(player: Player, board: Data, guilds: string[]) {
  const nonces = await takeNonces(player, guilds.length);
  return player.client.post(SCORES, {
    items: guilds.map((guild, i) => ({
      ...{ board_id: board.id, player_name: 'Ann', value: i + 1, tags: { guild }, nonce: nonces[i] },
    })),
  });
}

async function places(board: Data, guild: string): Promise<unknown[]> {
  const data = await studio.admin.data(
    `query ($id: ID!, $where: [TagInput!]) { board(by: { id: $id }) { ranking(view: "guild",
      where: $where) { entries { nodes { rank value playerName } } } } }`,
    { id: board.id, where: [{ name: 'guild', value: guild }] },
  );
  return data.board.ranking.entries.nodes.map(({ rank, value }: Data) => [rank, value]);
}

test('one anonymous device begins sixty groups an hour, and the others are ranked as before', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  const device = await startSession(app, game.id);
  const guilds = upTo(100).map((n) => `x${n}`);
  const before = await heapInUse();
  expect(gist(await playMany(device, board, guilds))).toEqual([
    ...upTo(60).map(() => 201),
    ...upTo(40).map(() => '429 RATE_LIMITED'),
  ]);
  expect((await heapInUse()) - before).toBeLessThan(30 * 2 ** 20);
  const refused = await post(device, { board_id: board.id, value: 1, tags: { guild: 'y' } });
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // Nothing of a refused submission is written; groups that are there take further runs.
  expect(await app.database.knex('score_events').where('board_id', uuidOf(board.id))).toHaveLength(60);
  await submit(device, board.id, 500, { tags: { guild: 'x1' } });
  expect(await rankings(board)).toHaveLength(60);

  const honest = await startSession(app, game.id);
  await submit(honest, board.id, 7, { tags: { guild: 'Ravens' } });
  expect(await places(board, 'Ravens')).toEqual([[1, 7]]);
  await expectSound(app.database, board.id);
});

test('rejected submissions begin no groups', async () => {
  const checked = await makeGame(studio, { antiCheatEnabled: true });
  await change(studio.admin, 'Game', checked.id, {
    antiCheatSettings: antiCheat({ rate_limit: { b: 2 } }),
  });
  const board = await makeBoard(studio, checked.id, DECLARED);
  const device = await startSession(app, checked.id);
  const answers = await playMany(device, board, ['a', 'a', 'b', 'c', 'd']);
  expect(gist(answers)).toEqual([201, 201, ...upTo(3).map(() => '403 SCORE_REJECTED')]);
  expect(await groups(board)).toEqual(['a']);
  // Nor do they count for the limit, however many there are.
  const more = await playMany(
    device,
    board,
    upTo(70).map((n) => `r${n}`),
  );
  expect(new Set(gist(more))).toEqual(new Set(['403 SCORE_REJECTED']));
});

test('groups that begin in one batch are counted; one that is freed makes room for another, with the runs from before', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  const { knex } = app.database;
  await knex('board_views').where('board_id', uuidOf(board.id)).update({ most_groups: 3 });
  const [leaving, ...others] = await Promise.all(upTo(4).map(() => startSession(app, game.id)));
  await submit(leaving!, board.id, 1, { tags: { guild: 'a' } });
  const [ann, bob, cleo] = others as [Player, Player, Player];
  expect(gist(await playMany(ann, board, ['b', 'c', 'd', 'e']))).toEqual([201, 201, 201, 201]);
  await submit(bob, board.id, 40, { tags: { guild: 'd' } });
  expect(await groups(board)).toEqual(['a', 'b', 'c']);
  expect(await places(board, 'd')).toEqual([]);
  await change(studio.admin, 'Identity', leaving!.session.identityId, { deleted: true });
  expect(await groups(board)).toEqual(['a', 'b', 'c']);
  const own = await boardText(app.database, board.id);

  app.clock.advance(2 * MINUTE);
  await until(async () => (await rankings(board))[0]!.empty_since?.getTime?.() === app.clock.now());
  const [due] = (
    await knex.raw('select freed from release_groups(?, ?, 10)', [
      uuidOf(board.id),
      new Date(app.clock.now() + 59 * MINUTE),
    ])
  ).rows;
  expect(Number(due.freed)).toBe(0);
  app.clock.advance(HOUR);
  await until(async () => (await groups(board)).join() === 'b,c');
  expect(await boardText(app.database, board.id)).toEqual(own);
  expect(
    (await knex('generations_due').where('board_id', uuidOf(board.id))).every(
      ({ generation }) => generation < 0,
    ),
  ).toBe(true);

  await submit(cleo, board.id, 20, { tags: { guild: 'd' } });
  expect(await places(board, 'd')).toEqual([
    [1, 40],
    [2, 20],
    [3, 3],
  ]);
  // Full again: only e is left out.
  expect(
    (await knex('left_out_runs').where('board_id', uuidOf(board.id))).map(({ group_key }) => group_key),
  ).toEqual(['e']);
  await knex('board_views').where('board_id', uuidOf(board.id)).update({ most_groups: 9 });
  await submit(bob, board.id, 50, { tags: { guild: 'e' } });
  expect(await places(board, 'e')).toEqual([
    [1, 50],
    [2, 4],
  ]);
  await expectExactViews(app.database, board.id);
  await expectSound(app.database, board.id);
});

test('runs that a build leaves out are in their group once it begins', async () => {
  const board = await makeBoard(studio, game.id, { dimensions: DECLARED.dimensions });
  const { knex } = app.database;
  const [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
  const guilds = upTo(72).map((n) => `p${n}`);
  await playMany(ann, board, guilds);
  await change(studio.admin, 'Board', board.id, { views: DECLARED.views });
  const view = () => knex('board_views').where('board_id', uuidOf(board.id));
  await until(async () => (await view().first()).status === 'live');
  const begun = await groups(board);
  expect(begun).toHaveLength(70);
  const left = guilds.filter((one) => !begun.includes(one));
  await view().update({ most_groups: 72 });
  for (const guild of left) {
    await submit(bob, board.id, 500, { tags: { guild } });
    expect(await places(board, guild)).toEqual([
      [1, 500],
      [2, guilds.indexOf(guild) + 1],
    ]);
  }
  await expectExactViews(app.database, board.id);
  await expectSound(app.database, board.id);
});

test('a game client sets sixty new values of its own tags an hour; keys are not bounded', async () => {
  const board = await makeBoard(studio, game.id, {
    ...DECLARED,
    dimensions: [{ name: 'guild', source: 'PLAYER' }],
  });
  const player = await startSession(app, game.id);
  const set = (by: Player['client'], path: string, guild: string) => by.patch(path, { tags: { guild } });
  const setOwn = async (guild: string) => {
    const nonce = { 'service-client-nonce': await takeNonce(player.client) };
    return set(player.client.with(nonce), '/v1/client/tags', guild);
  };
  app.clock.advance(HOUR);
  for (const n of upTo(60)) expect((await setOwn(`g${n}`)).status).toBe(200);
  expect((await setOwn('g61')).body.code).toBe('RATE_LIMITED');
  const path = `/v1/identities/${player.session.identityId}/tags`;
  expect((await set(studio.admin, path, 'g61')).status).toBe(200);
  // A guild that others play in is no new one.
  const other = await startSession(app, game.id);
  await set(studio.admin, `/v1/identities/${other.session.identityId}/tags`, 'Wolves');
  await submit(other, board.id, 3);
  expect((await setOwn('Wolves')).status).toBe(200);
});

test('devices of one network begin three hundred groups an hour', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  await app.database.knex('board_views').where('board_id', uuidOf(board.id)).update({ most_groups: 1_000 });
  const begun: number[] = [];
  for (const n of upTo(6)) {
    const device = await startSession(app, game.id);
    const results = gist(
      await playMany(
        device,
        board,
        upTo(60).map((k) => `n${n}-${k}`),
      ),
    );
    begun.push(results.filter((one) => one === 201).length);
  }
  // The tests before have begun some.
  expect(begun.slice(0, 2)).toEqual([60, 60]);
  expect(begun.at(-1)).toBe(0);
  expect(await rankings(board)).toHaveLength(begun.reduce((sum, one) => sum + one, 0));
});

test('a write that is decided again counts once, and a network behind an unknown proxy is many', async () => {
  const limits = new NewGroups();
  const begin = (player: string, behindUnknownProxy: boolean, ip = '203.0.113.1') => {
    const count = limits.of({ ip, behindUnknownProxy }, player);
    return [60, 60].reduce((last, groups) => last.then(() => count(groups)), Promise.resolve());
  };
  for (const n of upTo(5)) await begin(`p${n}`, false);
  await expect(begin('p6', false)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  for (const n of upTo(100)) await begin(`q${n}`, true);
  await expect(begin('q101', true)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await begin('p7', false, '203.0.113.2');
});
