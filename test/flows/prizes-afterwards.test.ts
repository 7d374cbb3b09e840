import { stripVTControlCharacters } from 'node:util';
import { uuidFrom, uuidOf } from '../../src/base/ids.js';
import { holdAllPrizes } from '../../src/closings/rewards/hold.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, MINUTE } from '../support/clock.js';
import { keyOf } from '../support/console.js';
import { reviewRuns, undo } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit, takeNonce } from '../support/play.js';
import { Terminal } from '../support/terminal.js';
import { until } from '../support/wait.js';

// What happens to prizes after a closing: a restored backup, and decisions that come late.

let app: TestApp;
let studio: Studio;
let game: Data;
let players: Player[];
const terminal = new Terminal({});
beforeAll(async () => {
  app = await startApp({ accessTokenSeconds: (99 * DAY) / 1_000, refreshTokenSeconds: (99 * DAY) / 1_000 });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  players = [];
  for (let i = 0; i < 4; i += 1) players.push(await startSession(app, game.id));
});
afterAll(async () => {
  terminal.close();
  await app.close();
});

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

const claim = async (player: Player, id: string, nonce?: string) =>
  fetch(`${app.url}/v1/client/rewards/${id}/claim`, {
    method: 'POST',
    headers: { ...player.client.headers, 'service-client-nonce': nonce ?? (await takeNonce(player.client)) },
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
    { status: 'open', is_held: true },
    { status: 'acknowledged', is_held: false },
  ]);
  const heldOnes = (await own(players[1]!, '?status=open')).filter(({ is_held }) => is_held);
  expect(heldOnes.map(({ id }) => id)).toContain(second);
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

const REVOKE = 'mutation($input: RevokeRewardInput!) { revokeReward(input: $input) { reward { status } } }';
const REISSUE = `mutation($input: ReissuePrizesInput!) { reissuePrizes(input: $input) {
  closing { prizesStatus grantedCount } grantedCount missingCount wrongCount sharedCount
  differences { kind line rank identityId sharedBy rewardId reward { status } identity { displayName } } } }`;
const reissue = async ({ id }: Data, dryRun = false): Promise<Data> =>
  (await studio.admin.data(REISSUE, { input: { id, dryRun } })).reissuePrizes;
const nameOf = (identity: string) => players.findIndex(({ session }) => session.identityId === identity);
/** What differs, like `wrong gold 0`. */
const compared = async (closing: Data) =>
  (await reissue(closing, true)).differences.map(
    ({ kind, line: of, identityId }: Data) => `${kind.toLowerCase()} ${of} ${nameOf(identityId)}`,
  );
/** Rewards like `gold 0 open`. */
const granted = async (closing: Data): Promise<string[]> => {
  const { body } = await studio.admin.get(`/v1/rewards?closing_id=${closing.id}&limit=100`);
  return body.data.map((one: Data) => `${one.line} ${nameOf(one.identity_id)} ${one.status}`).toSorted();
};
const rewardOf = async (closing: Data, n: number, of: string): Promise<Data> => {
  const { body } = await studio.admin.get(`/v1/rewards?closing_id=${closing.id}&limit=100`);
  return body.data.find((one: Data) => nameOf(one.identity_id) === n && one.line === of);
};
/** Confirms that all runs of a player cheat, or clears them. */
const judge = (n: number, decision = 'CONFIRMED_CHEAT') =>
  reviewRuns(studio.admin, { identityId: players[n]!.session.identityId, decision });
const PODIUM = {
  lines: [line('gold', { firstRank: 1 }), line('silver', { firstRank: 2, lastRank: 3 }), line('all')],
};

test('a ban after the close: what is missing is granted once, what was wrong is listed, and only the studio revokes it', async () => {
  const { board, closing } = await closed([40, 30, 20, 10], PODIUM);
  expect(await reissue(closing, true)).toMatchObject({ missingCount: 0, wrongCount: 0, differences: [] });
  const review = await judge(0);
  const differences = [
    ...['wrong all 0', 'wrong gold 0', 'wrong silver 1'],
    ...['missing gold 1', 'missing silver 3'],
  ];
  expect(await compared(closing)).toEqual(differences);
  const screen = terminal.at(['closings', 'compare', closing.id], {
    LEADERBOARD_API: app.url,
    LEADERBOARD_API_KEY: keyOf(studio.admin),
  });
  const told = (await screen.lines()).map((text) =>
    stripVTControlCharacters(text).split(/ {2,}/).slice(0, 4).join(' '),
  );
  expect(told).toEqual([
    ...['Compared closing.', 'missing_count 2', 'wrong_count 3', 'shared_count 0', '', 'differences'],
    'KIND LINE RANK PLAYER',
    ...['wrong all 1 Player 0', 'wrong gold 1 Player 0', 'wrong silver 2 Player 1'],
    ...['missing gold 1 Player 1', 'missing silver 3 Player 3'],
  ]);
  const before = await granted(closing);
  const made = await reissue(closing);
  expect(made).toMatchObject({ grantedCount: 2, missingCount: 2, wrongCount: 3, sharedCount: 0 });
  expect(made.closing).toEqual({ prizesStatus: 'GRANTED', grantedCount: 9 });
  expect(made.differences[1]).toMatchObject({ kind: 'WRONG', rank: 1, reward: { status: 'OPEN' } });
  expect(await reissue(closing)).toMatchObject({ grantedCount: 0, missingCount: 0, wrongCount: 3 });
  const after = await granted(closing);
  expect(after.filter((one) => !before.includes(one))).toEqual(['gold 1 open', 'silver 3 open']);
  expect(after).toHaveLength(9);
  expect((await rewardOf(closing, 1, 'gold')).id).toBe(
    `rwd_${uuidFrom('reward', uuidOf(board.id), '', '', '', 'false', 'gold', uuidOf(players[1]!.session.identityId))}`,
  );
  // The places stay.
  expect(await closings(board.id)).toMatchObject([{ places: closing.places, grantedCount: 9 }]);
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
  // The second-placed player claims both; the ban is lifted.
  for (const prize of ['gold', 'silver']) await claim(players[1]!, (await rewardOf(closing, 1, prize)).id);
  for (const prize of ['gold', 'all'])
    await studio.admin.data(REVOKE, {
      input: { id: (await rewardOf(closing, 0, prize)).id, reason: 'Banned' },
    });
  expect(await compared(closing)).toEqual(['wrong silver 1']);
  await undo(studio.admin, review.review.id);
  // What was revoked stays so: it is not missing.
  expect(await compared(closing)).toEqual(['wrong gold 1', 'wrong silver 3']);
  expect(await reissue(closing)).toMatchObject({ grantedCount: 0, wrongCount: 2 });
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
  const entries = await trail(closing.id);
  expect(entries.map(({ before: was, after: is }) => [was, is])).toEqual([
    [{ grantedCount: 7 }, { grantedCount: 9 }],
  ]);
});

test('a ban whose rewards stay open is undone without a loss; shares and minimum entries are compared, too', async () => {
  const { closing } = await closed([9, 9, 5, 1], { ...PODIUM, ties: 'SHARE', minimumEntries: 3 });
  const review = await judge(0);
  const shared = await reissue(closing, true);
  expect(shared).toMatchObject({ wrongCount: 2, missingCount: 1, sharedCount: 1 });
  expect(shared.differences.at(-1)).toMatchObject({ kind: 'SHARED', line: 'gold', sharedBy: null });
  const second = await judge(1);
  expect(await reissue(closing, true)).toMatchObject({ missingCount: 0, wrongCount: 7 });
  for (const { review: one } of [second, review]) await undo(studio.admin, one.id);
  expect(await compared(closing)).toEqual([]);
  expect((await claim(players[0]!, (await rewardOf(closing, 0, 'gold')).id)).status).toBe('claimed');
  // A blocked device claims nothing until it is activated.
  const { id } = await rewardOf(closing, 1, 'gold');
  const device = players[1]!.session.deviceId;
  const nonce = await takeNonce(players[1]!.client);
  await change(studio.admin, 'Device', device, { status: 'BANNED' });
  expect((await claim(players[1]!, id, nonce)).code).toBe('DEVICE_BLOCKED');
  await change(studio.admin, 'Device', device, { status: 'ACTIVE' });
  expect((await claim(players[1]!, id)).status).toBe('claimed');
});

test('runs that are imported into a closed period change what it would give, once, and too few players become enough', async () => {
  app.clock.advance(DAY - (app.clock.now() % DAY));
  const closingRules = [{ view: 'daily', prizes: { ...PODIUM, minimumEntries: 2 } }];
  const board = await makeBoard(studio, game.id, { views: [{ name: 'daily', period: 'DAY' }], closingRules });
  await play(board, [40]);
  const played = new Date(app.clock.now()).toISOString();
  app.clock.advance(DAY);
  await run();
  const [closing] = await closings(board.id);
  expect(closing).toMatchObject({ prizesStatus: 'NONE', grantedCount: 0 });
  expect(await compared(closing!)).toEqual([]);
  const imports = new ImportClient(() => studio.admin);
  await imports.bringIn(board.id, [`external_key,value,occurred_at\nold,99,${played}`]);
  await until(async () => (await reissue(closing!, true)).missingCount === 4);
  expect(await reissue(closing!)).toMatchObject({ grantedCount: 4, closing: { prizesStatus: 'GRANTED' } });
  expect(await granted(closing!)).toEqual(['all -1 open', 'all 0 open', 'gold -1 open', 'silver 0 open']);
  expect(await closings(board.id)).toMatchObject([{ places: closing!.places }]);
  await run();
  expect(await reissue(closing!)).toMatchObject({ grantedCount: 0, missingCount: 0, wrongCount: 0 });
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
});

test('a view that is declared again is compared as far back as it ranks', async () => {
  app.clock.advance(DAY - (app.clock.now() % DAY));
  const closingRules = [{ view: 'daily', prizes: PODIUM }];
  const daily = { name: 'daily', period: 'DAY' };
  const board = await makeBoard(studio, game.id, { views: [daily], closingRules });
  await play(board, [40, 30]);
  app.clock.advance(DAY);
  await run();
  const [closing] = await closings(board.id);
  const declare = async (view: Data) => {
    await change(studio.admin, 'Board', board.id, { views: [], closingRules: [] });
    await change(studio.admin, 'Board', board.id, { views: [view], closingRules });
    const rows = app.database.knex('board_views').where('board_id', uuidOf(board.id));
    await until(async () => (await rows.clone()).every(({ status }) => status === 'live'));
  };
  await declare(daily);
  expect(await compared(closing!)).toEqual([]);
  await declare({ ...daily, since: new Date(app.clock.now()).toISOString() });
  expect(await studio.admin.code(REISSUE, { input: { id: closing!.id } })).toBe('INVALID_TRANSITION');
});

test('an erased winner keeps the grant without a name; rewards of a deleted board come back with it', async () => {
  const leaver = await startSession(app, game.id);
  const board = await makeBoard(studio, game.id, { closingRules: [{ prizes: PODIUM }] });
  await submit(leaver, board.id, 99, { playerName: 'Leaver' });
  await play(board, [40]);
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  await run();
  const [closing] = await closings(board.id);
  const early = await makeBoard(studio, game.id, { closingRules: [{ prizes: PODIUM }] });
  await submit(leaver, early.id, 99, { playerName: 'Leaver' });
  await studio.admin.data(CLOSE, { input: { id: early.id } });
  await run();
  const [won] = (await own(leaver)).filter(({ board_id }) => board_id === early.id) as [Data];
  await claim(leaver, won.id);
  // Its entries in the audit trail are the player's: exported, counted and erased.
  const player = `/v1/identities/${leaver.session.identityId}`;
  const exported = await (
    await fetch(`${app.url}${player}/export`, { headers: studio.admin.headers })
  ).text();
  expect(exported).toContain(`"subject_id":"${won.id}"`);
  const erase = (scores: string) => studio.admin.post(`${player}/erase`, { scores });
  expect((await erase('keep')).status).toBeLessThan(300);
  expect(await trail(won.id)).toMatchObject([{ action: 'reward_claimed', after: { status: 'claimed' } }]);
  expect((await trail(won.id))[0]!.after).not.toHaveProperty('sessionId');
  expect(await compared(closing!)).toEqual([]);
  const { body } = await studio.admin.get(`/v1/rewards?closing_id=${closing!.id}`);
  const kept = body.data.find((one: Data) => one.line === 'gold');
  expect(kept).toMatchObject({ status: 'open', identity_id: leaver.session.identityId });
  expect(await leaver.client.code('{ rewards { nodes { id } } }')).toBe('INVALID_TOKEN');
  // The game server may still hand it out: it knows whose it is.
  expect((await acknowledge([kept.id])).body.rewards).toMatchObject([{ status: 'acknowledged' }]);

  const mine = await rewardOf(closing!, 0, 'silver');
  await change(studio.admin, 'Board', board.id, { deleted: true });
  expect((await claim(players[0]!, mine.id)).code).toBe('NOT_FOUND');
  expect((await own(players[0]!, '?limit=100')).map(({ id }) => id)).not.toContain(mine.id);
  expect(await studio.admin.code(REISSUE, { input: { id: closing!.id } })).toBe('NOT_FOUND');
  await change(studio.admin, 'Board', board.id, { deleted: false });
  expect((await claim(players[0]!, mine.id)).status).toBe('claimed');
});

test('a ranking that says nothing about its closing any more is not compared', async () => {
  const { board, closing } = await closed([40, 30], PODIUM);
  const fault = ({ id }: Data) => studio.admin.code(REISSUE, { input: { id, dryRun: true } });
  await change(studio.admin, 'Board', board.id, { isActive: true, endsAt: null });
  expect(await compared(closing)).toEqual([]);
  app.clock.advance(MINUTE);
  await play(board, [50]);
  expect(await fault(closing)).toBe('INVALID_TRANSITION');
  const { closing: poor } = await closed([9, 9, 9], { ...PODIUM, ties: 'ALL', tieLimit: 0 });
  expect([poor.prizesStatus, await fault(poor)]).toEqual(['WAITING_FOR_LIMIT', 'INVALID_TRANSITION']);
  const without = await makeBoard(studio, game.id, { closingRules: [{}] });
  await play(without, [1]);
  await studio.admin.data(CLOSE, { input: { id: without.id } });
  await run();
  expect(await fault((await closings(without.id))[0]!)).toBe('INVALID_TRANSITION');
  const stranger = await makeStudio(app);
  expect(await stranger.admin.code(REISSUE, { input: { id: closing.id } })).toBe('FORBIDDEN');
});
