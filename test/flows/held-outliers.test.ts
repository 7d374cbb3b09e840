import { uuidOf } from '../../src/base/ids.js';
import { checkedGame } from '../support/checked-game.js';
import { HOUR, MINUTE, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { makeGame, type Player, startSession } from '../support/make.js';
import { post } from '../support/play.js';
import { expectSound } from '../support/standings.js';

const { on, flags, board, tier } = checkedGame();

const DAY = 24 * HOUR;

let gameId: string;
beforeEach(async () => {
  gameId = (await makeGame(on.studio)).id;
});

/** New devices with a run each: the first value of the first one, and so on. */
async function devices(boardId: string, values: number[]): Promise<Player[]> {
  const players = await Promise.all(values.map(() => startSession(on.app, gameId, {})));
  await Promise.all(players.map((player, i) => play(player, boardId, values[i]!)));
  return players;
}

async function play(player: Player, boardId: string, value: number): Promise<Data> {
  const { status, body } = await post(player, { board_id: boardId, value });
  expect(status).toBe(201);
  return body;
}

/** Runs of a new player. @returns `rank status`, or what is held */
async function runOf(boardId: string, value: number, by?: Player): Promise<string> {
  on.app.clock.advance(3 * SECOND);
  const player = by ?? (await startSession(on.app, gameId, {}));
  const { rank, status, held } = await play(player, boardId, value);
  return held ? `held at ${held.rank}` : `${rank} ${status}`;
}

const raised = async (boardId: string) => (await flags(boardId)).map(({ flag_type }) => flag_type);

/** Sixty of a real game: from 850 to 1,145. */
const HONEST = Array.from({ length: 60 }, (_, i) => 850 + 5 * i);
/** More of them than there are honest players, and all alike. */
const FAKES = Array.from({ length: 70 }, (_, i) => 10 + i / 100);

test.each(['BEST', 'FIRST', 'LAST', 'ALL'])(
  'new devices that are the most on a board hold no honest run back, keeping %s; cheats are still held',
  async (keepStrategy) => {
    const { id } = await board({ holdTop: 10, keepStrategy }, gameId);
    await devices(id, HONEST);
    on.app.clock.advance(DAY);
    expect(await runOf(id, 1_200)).toBe('1 active');
    await devices(id, FAKES);
    // Flagged, since it is far from what most entries are; not held.
    expect(await runOf(id, 1_230)).toBe('1 under_review');
    expect(await runOf(id, 100_000)).toBe('held at 1');
    // After a day the devices have a past, too; the upper part of the ranking is still that of real players.
    on.app.clock.advance(DAY);
    expect(await runOf(id, 1_240)).toBe('1 under_review');
    expect(await runOf(id, 100_000)).toBe('held at 1');
    expect(await raised(id)).toEqual(['outlier', 'outlier', 'outlier', 'outlier']);
    await expectSound(on.app.database, id);
  },
);

test('devices at the top, alike and with a past, hold no honest run back either; low values are the better ones', async () => {
  const { id } = await board({ holdTop: 10, sortDirection: 'ASC' }, gameId);
  await devices(id, HONEST);
  const alike = (count: number) => Array.from({ length: count }, (_, i) => 849 + i / 100);
  await devices(id, alike(40));
  on.app.clock.advance(DAY);
  expect(await runOf(id, 840)).toBe('1 active');
  await devices(id, alike(70));
  expect(await runOf(id, 750)).toBe('1 under_review');
  expect(await runOf(id, 1)).toBe('held at 1');
});

test('an outlier alone is held only beside thirty players with a past; other flags always', async () => {
  const { id } = await board({ holdTop: 3 }, gameId);
  const players = await devices(id, HONEST.slice(0, 40));
  expect(await runOf(id, 100_000)).toBe('1 under_review');
  for (const player of players.slice(0, 29)) await tier(player, 'A');
  // Trusted by nobody: a confirmed cheat has this tier.
  for (const player of players.slice(29)) await tier(player, 'C');
  expect(await runOf(id, 200_000)).toBe('1 under_review');
  await tier(players[29]!, 'B');
  expect(await runOf(id, 300_000)).toBe('held at 1');
  // A duplicate says something about the player's own runs.
  await runOf(id, 5, players[35]);
  expect(await runOf(id, 400_000, players[35])).toBe('held at 1');

  const { id: other } = await board({ holdTop: 3 }, gameId);
  await play(players[0]!, other, 10);
  expect((await post(players[0]!, { board_id: other, value: 20 })).body.held).toEqual({ value: 20, rank: 1 });
});

test('a past is a day in the game, or five counting runs of which the first was an hour ago', async () => {
  const { id } = await board({}, gameId);
  const [busy, hurried, rare] = await devices(id, [1, 2, 3]);
  const past = async (player: Player) => {
    const values = [uuidOf(id), uuidOf(player.session.identityId), new Date(on.app.clock.now())];
    const { rows } = await on.app.database.pool.query('select has_past($1, false, $2, $3) as found', values);
    return rows[0].found;
  };
  /** How many players give the usual behaviour that a run is held against. */
  const behaving = async () => {
    const values = [uuidOf(id), new Date(on.app.clock.now())];
    const play =
      'select json_array_length(recents) as players from play_of_players($1, false, 300, 2000, $2)';
    return (await on.app.database.pool.query(play, values)).rows[0].players;
  };
  for (let n = 2; n <= 5; n += 1) await runOf(id, n * 100, busy);
  expect(await past(busy!)).toBe(false);
  on.app.clock.advance(HOUR);
  for (let n = 2; n <= 4; n += 1) await runOf(id, n * 100, hurried);
  expect([await past(busy!), await past(hurried!), await past(rare!)]).toEqual([true, false, false]);
  expect(await behaving()).toBe(1);
  on.app.clock.advance(DAY - HOUR - MINUTE);
  expect(await past(rare!)).toBe(false);
  on.app.clock.advance(MINUTE);
  expect(await past(rare!)).toBe(true);
  expect(await behaving()).toBe(3);
});
