import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import { play, reviewRuns, undo } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { takeNonce } from '../support/play.js';

// A year of weekly seasons of a studio, whose cheaters are found while places settle, right after, or months later. A small model
// says what the studio and each player must see at every step.

const WEEKS = 52;
const PLAYERS = 8;
const WEEK = 7 * DAY;
const SETTLE = HOUR;
/** Past weeks whose rankings are kept. */
const KEPT = 8;
const EXPIRES = 30 * DAY;
const LINES = [
  { name: 'gold', title: 'Gold', firstRank: 1 },
  { name: 'silver', title: 'Silver', firstRank: 2, lastRank: 3 },
  { name: 'half', title: 'Upper half', percent: 50 },
];

let seed = 20_260_202;
/** A number below `n`; the same ones in every run. */
function random(n: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return Math.floor((seed / 0x80000000) * n);
}
const chance = (percent: number) => random(100) < percent;

let app: TestApp;
let studio: Studio;
let board: Data;
let players: Player[];
let retirement: Retirement;
beforeAll(async () => {
  const seconds = (2 * WEEKS * WEEK) / 1_000;
  app = await startApp({ accessTokenSeconds: seconds, refreshTokenSeconds: seconds });
  studio = await makeStudio(app);
  const game = await makeGame(studio, { antiCheatEnabled: false });
  players = [];
  for (let n = 0; n < PLAYERS; n += 1) players.push(await startSession(app, game.id));
  board = await makeBoard(studio, game.id, {
    views: [{ name: 'weekly', period: 'WEEK', keepPeriods: KEPT }],
    closingRules: [
      {
        view: 'weekly',
        settleMinutes: SETTLE / MINUTE,
        prizes: { lines: LINES, minimumEntries: 3, expiresDays: EXPIRES / DAY },
      },
    ],
  });
  retirement = new Retirement(app.database, app.clock.now, makeLog('fatal'), () => undefined);
});
afterAll(async () => {
  await retirement.close();
  await app.close();
});

// The model.

interface Run {
  player: number;
  week: number;
  value: number;
  counts: boolean;
}
interface Prize {
  player: number;
  line: string;
  status: string;
  expiresAt: number;
}
interface Season {
  id: string;
  places: number[];
  prizes: Map<string, Prize>;
}
const runs: Run[] = [];
const seasons: Season[] = [];
/** Open reviews, with the runs that they excluded. */
const bans: { id: string; player: number; excluded: Run[] }[] = [];
const seen = { claimed: 0, expired: 0, revoked: 0, reissued: 0, wrong: 0, gone: 0, poor: 0 };

/** Players of a week, best first, by what counts. */
function ranked(week: number): number[] {
  const best = new Map<number, number>();
  for (const { player, week: of, value, counts } of runs)
    if (of === week && counts) best.set(player, Math.max(value, best.get(player) ?? 0));
  return [...best].sort(([, a], [, b]) => b - a).map(([player]) => player);
}

function due(places: number[]): string[] {
  if (places.length < 3) return [];
  return LINES.flatMap(({ name, firstRank, lastRank, percent }) => {
    const last = percent ? Math.ceil((places.length * percent) / 100) : (lastRank ?? firstRank)!;
    return places.slice((firstRank ?? 1) - 1, last).map((player) => `${name} ${player}`);
  });
}

function grant(season: Season, key: string): void {
  const [line, player] = key.split(' ');
  const expiresAt = app.clock.now() + EXPIRES;
  season.prizes.set(key, { line: line!, player: Number(player), status: 'open', expiresAt });
}

const texts = (season: Season) => [...season.prizes].map(([key, { status }]) => `${key} ${status}`).sort();

// The studio.

const run = async () => {
  await app.app.jobs.run('close-rankings');
  for (const prize of seasons.flatMap(({ prizes }) => [...prizes.values()]))
    if (prize.status === 'open' && prize.expiresAt <= app.clock.now()) {
      prize.status = 'expired';
      seen.expired += 1;
    }
};
const until = (moment: number) => app.clock.advance(moment - app.clock.now());
const nth = (identity: string) => players.findIndex(({ session }) => session.identityId === identity);

async function ban(player: number): Promise<void> {
  const { review } = await reviewRuns(studio.admin, {
    identityId: players[player]!.session.identityId,
    decision: 'CONFIRMED_CHEAT',
  });
  const excluded = runs.filter((one) => one.player === player && one.counts);
  for (const one of excluded) one.counts = false;
  bans.push({ id: review.id, player, excluded });
}

async function unban(): Promise<void> {
  const [lifted] = bans.splice(random(bans.length), 1);
  // Reviews of one player that overlap are undone in their order alone.
  if (!lifted || bans.some(({ player }) => player === lifted.player))
    return void (lifted && bans.push(lifted));
  await undo(studio.admin, lifted.id);
  for (const one of lifted.excluded) one.counts = true;
}

async function decide(): Promise<void> {
  const player = random(PLAYERS);
  if (chance(30) && !bans.some((one) => one.player === player)) await ban(player);
  else if (chance(15)) await unban();
}

const rewardsOf = async ({ id }: Season): Promise<Data[]> =>
  (await studio.admin.get(`/v1/rewards?closing_id=${id}&limit=100`)).body.data;
const keyOf = ({ line, identity_id }: Data) => `${line} ${nth(identity_id)}`;

const REISSUE = `mutation($input: ReissuePrizesInput!) { reissuePrizes(input: $input) { grantedCount missingCount wrongCount
  differences { kind line identityId rewardId reward { status } } } }`;
const REVOKE = 'mutation($input: RevokeRewardInput!) { revokeReward(input: $input) { reward { status } } }';

/** What a closing granted is compared with its ranking, and corrected. */
async function correct(season: Season, week: number, now: number): Promise<void> {
  const input = { id: season.id };
  const age = now - week;
  if (age > KEPT + 1) {
    expect([age, await studio.admin.code(REISSUE, { input })]).toEqual([age, 'INVALID_TRANSITION']);
    seen.gone += 1;
    return;
  }
  if (age >= KEPT) return;
  const wanted = due(ranked(week));
  const missing = wanted.filter((key) => !season.prizes.has(key));
  const wrong = [...season.prizes].filter(
    ([key, { status }]) => !wanted.includes(key) && !['expired', 'revoked'].includes(status),
  );
  const { reissuePrizes: made } = await studio.admin.data(REISSUE, { input });
  const told = (kind: string) =>
    made.differences
      .filter((one: Data) => one.kind === kind)
      .map(({ line, identityId }: Data) => `${line} ${nth(identityId)}`)
      .sort();
  expect([week, told('MISSING'), told('WRONG')]).toEqual([
    ...[week, missing.toSorted(), wrong.map(([key]) => key).toSorted()],
  ]);
  expect(made).toMatchObject({ grantedCount: missing.length, missingCount: missing.length });
  for (const key of missing) grant(season, key);
  seen.reissued += missing.length;
  seen.wrong += wrong.length;
  for (const { kind, line, identityId, rewardId, reward } of made.differences) {
    if (kind !== 'WRONG' || reward.status !== 'OPEN' || chance(30)) continue;
    await studio.admin.data(REVOKE, { input: { id: rewardId, reason: 'Found to cheat' } });
    season.prizes.get(`${line} ${nth(identityId)}`)!.status = 'revoked';
    seen.revoked += 1;
  }
}

/** Players claim some of what they can, and the game server hands some of it out. */
async function claims(): Promise<void> {
  const handedOut: string[] = [];
  for (const [n, { client }] of players.entries()) {
    if (!chance(40)) continue;
    const { body } = await client.get('/v1/client/rewards?status=open&limit=5');
    const reward = body.data[random(body.data.length)];
    if (!reward) continue;
    const season = seasons.find(({ id }) => id === reward.closing_id)!;
    const prize = season.prizes.get(keyOf({ ...reward, identity_id: players[n]!.session.identityId }))!;
    expect(prize.status).toBe('open');
    const nonce = await takeNonce(client);
    const answer = await client
      .with({ 'service-client-nonce': nonce })
      .post(`/v1/client/rewards/${reward.id}/claim`, {});
    expect(answer.body).toMatchObject({ id: reward.id, status: 'claimed' });
    prize.status = 'claimed';
    seen.claimed += 1;
    if (chance(50)) {
      handedOut.push(reward.id);
      prize.status = 'acknowledged';
    }
  }
  if (handedOut.length === 0) return;
  const { body } = await studio.admin.post('/v1/rewards/acknowledge', { ids: handedOut });
  expect(body.rewards.every(({ status }: Data) => status === 'acknowledged')).toBe(true);
}

const CLOSINGS = `query($id: ID!) { board(by: { id: $id }) { closings(first: 60) { nodes {
  id prizesStatus grantedCount places { identityId } } } } }`;
const COUNTS =
  'query($id: ID!) { closing(id: $id) { rewardCounts { open claimed acknowledged expired revoked } } }';

/** Changes of rewards that the audit trail does not have once. */
const WITHOUT_ENTRY = `select w.id, c.status from rewards w
  cross join lateral unnest(array['claimed', 'acknowledged', 'expired', 'revoked']) c(status)
  where (select count(*) from audit_entries a where a.subject_id = 'rwd_' || w.id and a.action = 'reward_' || c.status)
    <> (c.status = w.status or (c.status = 'claimed' and w.claimed_at is not null))::integer`;

/** Everything that studio and players see is as the model has it. */
async function expectSeen(): Promise<void> {
  const { nodes } = (await studio.admin.data(CLOSINGS, { id: board.id })).board.closings;
  const closings = new Map<string, Data>(nodes.map((one: Data) => [one.id, one]));
  for (const season of seasons) {
    const { places, grantedCount } = closings.get(season.id)!;
    expect(places.map(({ identityId }: Data) => nth(identityId))).toEqual(season.places);
    expect(grantedCount).toBe(season.prizes.size);
  }
  const { rewardCounts } = (await studio.admin.data(COUNTS, { id: seasons.at(-1)!.id })).closing;
  const statuses = [...seasons.at(-1)!.prizes.values()].map(({ status }) => status);
  for (const [status, count] of Object.entries(rewardCounts))
    expect([status, count]).toEqual([status, statuses.filter((one) => one === status).length]);
  const { rows: unnoted } = await app.database.knex.raw(WITHOUT_ENTRY);
  expect(unnoted).toEqual([]);
  for (const [n, { client }] of players.entries()) {
    const shown: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await client.get(`/v1/client/rewards?limit=100${cursor && `&cursor=${cursor}`}`);
      shown.push(...body.data.map(({ closing_id, line, status }: Data) => `${closing_id} ${line} ${status}`));
      if (!body.pagination.has_next) break;
      cursor = body.pagination.next_cursor;
    }
    const own = seasons.flatMap(({ id, prizes }) =>
      [...prizes.values()]
        .filter(({ player }) => player === n)
        .map(({ line, status }) => `${id} ${line} ${status}`),
    );
    expect(shown.toSorted()).toEqual(own.toSorted());
  }
}

test('a year of weekly seasons with cheaters found late', async () => {
  const start = app.clock.now();
  // To a Monday.
  until(start + WEEK - ((start - 4 * DAY) % WEEK));
  await run();
  const first = app.clock.now();
  for (let week = 0; week < WEEKS; week += 1) {
    const end = first + (week + 1) * WEEK;
    for (let n = 3 + random(6); n > 0; n -= 1) {
      const [player, value] = [random(PLAYERS), 1 + random(1_000_000)];
      app.clock.advance(HOUR);
      await play(studio.admin, board.id, players[player]!.session.identityId, value);
      runs.push({ player, week, value, counts: true });
    }
    until(end);
    await run();
    await decide();
    until(end + SETTLE);
    await run();
    const { nodes } = (await studio.admin.data(CLOSINGS, { id: board.id })).board.closings;
    const closing = nodes.find(({ id }: Data) => !seasons.some((one) => one.id === id));
    const season: Season = { id: closing.id, places: ranked(week), prizes: new Map() };
    seasons.push(season);
    for (const key of due(season.places)) grant(season, key);
    if (season.prizes.size === 0) seen.poor += 1;
    expect([week, closing.prizesStatus]).toEqual([week, season.prizes.size > 0 ? 'GRANTED' : 'NONE']);
    expect((await rewardsOf(season)).map((one) => `${keyOf(one)} ${one.status}`).sort()).toEqual(
      texts(season),
    );
    await decide();
    await claims();
    await retirement.retire();
    if (week % 4 === 3) {
      for (let n = 0; n < 2; n += 1) await decide();
      for (let of = Math.max(0, week - KEPT - 3); of <= week; of += 1) await correct(seasons[of]!, of, week);
      await expectSeen();
    }
  }
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
  const { rows } = await app.database.pool.query(
    `select count(*)::integer as n, sum(granted_count)::integer as granted, (select count(*)::integer from rewards r
      where r.board_id = $1) as rewards
     from closings c where c.board_id = $1`,
    [uuidOf(board.id)],
  );
  const all = seasons.reduce((sum, { prizes }) => sum + prizes.size, 0);
  // And the empty week before the first.
  expect(rows).toEqual([{ n: WEEKS + 1, granted: all, rewards: all }]);
  // The year would not show anything otherwise.
  const { poor, ...often } = seen;
  expect(Object.entries(often).filter(([, n]) => n < 5)).toEqual([]);
}, 120_000);
