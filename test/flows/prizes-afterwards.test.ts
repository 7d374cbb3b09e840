import { holdAllPrizes } from '../../src/closings/rewards/hold.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, MINUTE } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit, takeNonce } from '../support/play.js';

// What happens to prizes after a closing: a restored backup, and decisions that come late.

let app: TestApp;
let studio: Studio;
let game: Data;
let players: Player[];
beforeAll(async () => {
  app = await startApp({ accessTokenSeconds: (99 * DAY) / 1_000, refreshTokenSeconds: (99 * DAY) / 1_000 });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  players = [];
  for (let i = 0; i < 4; i += 1) players.push(await startSession(app, game.id));
});
afterAll(() => app.close());

const CLOSE = 'mutation($input: CloseBoardInput!) { closeBoard(input: $input) { board { id } } }';
const CLOSINGS = `query($id: ID!) { board(by: { id: $id }) { closings(first: 20) { nodes {
  id view period prizesStatus playerCount grantedCount places { rank identityId value } } } } }`;
const RELEASE =
  'mutation($input: ReleasePrizesInput!) { releasePrizes(input: $input) { closing { prizesStatus } } }';

const line = (name: string, of: Data = {}) => ({ name, title: `Prize ${name}`, ...of });
const closings = async (id: string): Promise<Data[]> =>
  (await studio.admin.data(CLOSINGS, { id })).board.closings.nodes;
const run = () => app.app.jobs.run('close-rankings');

async function play(board: Data, values: number[]): Promise<void> {
  for (const [i, value] of values.entries())
    await submit(players[i]!, board.id, value, { playerName: `Player ${i}` });
}

/** Closes a board on which the players have these values. @returns its closing */
async function closed(values: number[], prizes: Data): Promise<{ board: Data; closing: Data }> {
  const board = await makeBoard(studio, game.id, { closingRules: [{ places: 3, prizes }] });
  await play(board, values);
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  await run();
  const [closing] = await closings(board.id);
  return { board, closing: closing! };
}

const claim = async (player: Player, id: string) =>
  fetch(`${app.url}/v1/client/rewards/${id}/claim`, {
    method: 'POST',
    headers: { ...player.client.headers, 'service-client-nonce': await takeNonce(player.client) },
  }).then((answer) => answer.json() as Promise<Data>);
const acknowledge = (ids: string[]) => studio.admin.post('/v1/rewards/acknowledge', { ids });
const own = async (player: Player, query = '') =>
  (await player.client.get(`/v1/client/rewards${query}`)).body.data as Data[];
const trail = async (subject: string): Promise<Data[]> =>
  (await studio.admin.get(`/v1/audit-entries?subject_id=${subject}`)).body.data;

const RELEASE_HELD =
  'mutation($input: ReleaseHeldPrizesInput!) { releaseHeldPrizes(input: $input) { game { prizesHeldAt } } }';

test('after a restore, prizes of rankings that had begun are held until they are released', async () => {
  const prizes = { expiresDays: 1, lines: [line('all')] };
  const { board, closing } = await closed([5, 6, 7], prizes);
  const [late, other] = [
    await makeBoard(studio, game.id, { closingRules: [{ prizes }] }),
    await makeBoard(studio, game.id, { closingRules: [{ prizes }] }),
  ];
  await play(late, [5]);
  await play(other, [5]);
  const mine = async (n: number, of: Data) =>
    (await own(players[n]!, '?status=open')).find(({ closing_id }) => closing_id === of.id)?.id;
  const [first, second] = [await mine(0, closing), await mine(1, closing)];
  const claimed = await claim(players[0]!, first);
  app.clock.advance(MINUTE);
  const { knex } = app.database;
  expect(await holdAllPrizes(knex, 'restore', new Date(app.clock.now()))).toBeGreaterThan(0);
  const [held] = await closings(board.id);
  expect(held).toMatchObject({ id: closing.id, prizesStatus: 'HELD', grantedCount: 3 });
  expect((await claim(players[1]!, second)).code).toBe('INVALID_TRANSITION');
  expect((await acknowledge([second])).body.code).toBe('INVALID_TRANSITION');
  // What was claimed before the backup is known.
  expect(await claim(players[0]!, first)).toEqual(claimed);
  expect((await acknowledge([second, first])).body.rewards).toMatchObject([
    { status: 'open' },
    { status: 'acknowledged' },
  ]);
  app.clock.advance(MINUTE);
  // Closed by the restored copy, perhaps for the second time: nothing is granted. A later board was never there before.
  const fresh = await makeBoard(studio, game.id, { closingRules: [{ prizes }] });
  await play(fresh, [5]);
  for (const { id } of [late, other, fresh]) await studio.admin.data(CLOSE, { input: { id } });
  await run();
  const status = async ({ id }: Data) => {
    const [found] = await closings(id);
    return [found!.prizesStatus, found!.grantedCount];
  };
  expect([await status(late), await status(fresh)]).toEqual([
    ['HELD', 0],
    ['GRANTED', 1],
  ]);
  // A held reward does not expire, and can be claimed as long as before.
  app.clock.advance(2 * DAY);
  await run();
  expect(await mine(1, closing)).toBe(second);
  await studio.admin.data(RELEASE, { input: { id: closing.id } });
  expect((await claim(players[1]!, second)).status).toBe('claimed');
  expect(await status(late)).toEqual(['HELD', 0]);
  await studio.admin.data(RELEASE_HELD, { input: { id: game.id } });
  await run();
  expect([await status(board), await status(late), await status(other)]).toEqual([
    ['GRANTED', 3],
    ['GRANTED', 1],
    ['GRANTED', 1],
  ]);
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
  const fields = (await trail(game.id)).filter(({ after }) => 'prizesHeldAt' in after);
  expect(fields.map(({ by, agent }) => [by, agent])).toEqual([
    ['user', null],
    ['operator', 'restore'],
  ]);
});
