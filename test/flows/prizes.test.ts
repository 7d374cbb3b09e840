import { makeApp } from '../../src/app.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { rewardsOf } from '../../src/closings/granted.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { DAY, MINUTE } from '../support/clock.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import { EventStream } from '../support/events.js';
import type { Data } from '../support/http.js';
import { full, quick } from '../support/lane.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit, takeNonce } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let players: Player[];
beforeAll(async () => {
  app = await startApp({ accessTokenSeconds: (9 * DAY) / 1_000, refreshTokenSeconds: (9 * DAY) / 1_000 });
  studio = await makeStudio(app);
  game = await makeGame(studio);
  players = [];
  for (let i = 0; i < 4; i += 1) players.push(await startSession(app, game.id));
});
afterAll(() => app.close());

const SET = 'mutation($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id } } }';
const CLOSE = 'mutation($input: CloseBoardInput!) { closeBoard(input: $input) { board { id } } }';
const CLOSINGS = `query($id: ID!) { board(by: { id: $id }) { closings(first: 20) { nodes {
  id view period isTest status prizesStatus playerCount grantedCount prizes { lines { name title grant } } places { rank } } } } }`;

const line = (name: string, of: Data = {}) => ({
  name,
  title: `Prize ${name}`,
  grant: { items: [name] },
  ...of,
});
const closings = async (id: string): Promise<Data[]> =>
  (await studio.admin.data(CLOSINGS, { id })).board.closings.nodes;
const set = (id: string, prizes: Data | null, view?: string) => ({
  input: { id, closingRules: [{ view, places: 3, prizes }] },
});
const run = () => app.app.jobs.run('close-rankings');

async function play(board: Data, values: number[]): Promise<void> {
  for (const [i, value] of values.entries())
    await submit(players[i]!, board.id, value, { playerName: `Player ${i}` });
}

/** Closes a board on which the players have these values. @returns its closing */
async function closed(values: number[], prizes: Data): Promise<{ board: Data; closing: Data }> {
  const board = await makeBoard(studio, game.id, { closingRules: [{ places: 3, prizes }] });
  await play(board, values);
  const before = await preview({ boardId: board.id });
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  await run();
  const [closing] = await closings(board.id);
  const granted = await app.database.knex('rewards').where('closing_id', uuidOf(closing!.id));
  const isStopped = before.limits.length > 0;
  expect(before.lines.flatMap(winnersOf).toSorted()).toEqual(
    isStopped ? expect.anything() : granted.map(rewardText).toSorted(),
  );
  expect([before.playerCount, isStopped]).toEqual([
    closing!.playerCount,
    closing!.prizesStatus !== 'GRANTED',
  ]);
  return { board, closing: closing! };
}

const PREVIEW = `query($input: PreviewClosingInput!) { previewClosing(input: $input) {
  view period group isTest playerCount winnerCount rewardCount limits prizesApply
  lines { line title rewardCount winners { rank displayRank identityId playerName value sharedBy } } undecided { playerName isHeld }
  webhooks { type endpoints } } }`;
const preview = async (input: Data, as = studio.admin): Promise<Data> =>
  (await as.data(PREVIEW, { input })).previewClosing;
const winnersOf = ({ line: name, winners }: Data): string[] =>
  winners.map(({ identityId, rank, sharedBy }: Data) => `${name} ${uuidOf(identityId)} ${rank} ${sharedBy}`);
const rewardText = ({ line: name, identity_id, rank, shared_by }: Data) =>
  `${name} ${identity_id} ${rank} ${shared_by}`;

/** Lines by player, in the order of `players`. */
async function given(closing: Data): Promise<string[][]> {
  const rows = await app.database.knex('rewards').where('closing_id', uuidOf(closing.id)).orderBy('line');
  return players.map(({ session }) =>
    rows
      .filter(({ identity_id }) => identity_id === uuidOf(session.identityId))
      .map(({ line: name, shared_by }) => (shared_by ? `${name}/${shared_by}` : name)),
  );
}

quick('each place is given the lines that apply to it, once', async () => {
  const lines = [
    line('gold', { firstRank: 1 }),
    line('more', { firstRank: 2, lastRank: 3 }),
    line('half', { percent: 26 }),
    line('ten', { reached: 10 }),
    line('all'),
  ];
  const { board, closing } = await closed([10, 30, 20, 5], { lines });
  expect(closing).toMatchObject({ status: 'FROZEN', prizesStatus: 'GRANTED', playerCount: 4 });
  expect(closing.prizes.lines).toEqual(lines.map(({ name, title, grant }) => ({ name, title, grant })));
  expect(await given(closing)).toEqual([
    ['all', 'more', 'ten'],
    ['all', 'gold', 'half', 'ten'],
    ['all', 'half', 'more', 'ten'],
    ['all'],
  ]);
  expect(closing.places).toHaveLength(4);
  expect(closing.grantedCount).toBe(12);
  await run();
  expect((await closings(board.id))[0]!.grantedCount).toBe(12);
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
  const { knex } = app.database;
  await knex('rewards').where('closing_id', uuidOf(closing.id)).andWhere('line', 'gold').update({ rank: 2 });
  const [fault] = await verifyBoard(app.database, board.id);
  expect(fault!.sentence).toContain('grants');
  await knex('rewards').where('closing_id', uuidOf(closing.id)).andWhere('line', 'gold').update({ rank: 1 });
});

quick('equal values are given by rank, all, or share what one would be given', async () => {
  const lines = [line('gold', { firstRank: 1 }), line('silver', { firstRank: 2, lastRank: 3 })];
  const by = async (ties: string, more: Data = {}) => {
    const { closing } = await closed([7, 9, 9, 7], { lines, ties, ...more });
    return closing.prizesStatus === 'GRANTED' ? given(closing) : closing.prizesStatus;
  };
  expect(await by('RANK')).toEqual([['silver'], ['gold'], ['silver'], []]);
  expect(await by('ALL')).toEqual([['silver'], ['gold'], ['gold'], ['silver']]);
  expect(await by('SHARE')).toEqual([['silver/2'], ['gold/2'], ['gold/2'], ['silver/2']]);
  expect(await by('ALL', { tieLimit: 0 })).toBe('WAITING_FOR_LIMIT');
});

quick('too few players are given nothing, and test sessions nothing real', async () => {
  const { closing } = await closed([1, 2], { minimumEntries: 3, lines: [line('all')] });
  expect(closing).toMatchObject({ prizesStatus: 'NONE', playerCount: 2, grantedCount: 0 });
  const board = await makeBoard(studio, game.id, { closingRules: [{ prizes: { lines: [line('all')] } }] });
  const tester = await startSession(app, game.id, { testMode: true });
  await submit(tester, board.id, 4, { playerName: 'Tester' });
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  await run();
  const rows = await app.database.knex('rewards').where('board_id', uuidOf(board.id));
  expect(rows).toMatchObject([{ is_test: true, identity_id: uuidOf(tester.session.identityId) }]);
});

quick(
  'the first prizes apply to the running period, later ones from the next; those of a running board stay',
  async () => {
    const board = await makeBoard(studio, game.id, { views: [{ name: 'day', period: 'DAY' }] });
    await play(board, [1]);
    await studio.admin.data(SET, set(board.id, { lines: [line('first')] }, 'day'));
    await studio.admin.data(SET, set(board.id, { lines: [line('later')] }, 'day'));
    app.clock.advance(DAY);
    await play(board, [2]);
    app.clock.advance(DAY);
    await run();
    const lines = (await closings(board.id)).map(({ period, prizes }) => `${period} ${prizes.lines[0].name}`);
    expect(lines.toSorted().map((text) => text.split(' ')[1])).toEqual(['first', 'later']);

    const own = await makeBoard(studio, game.id, { closingRules: [{ prizes: { lines: [line('one')] } }] });
    await studio.admin.data(SET, set(own.id, { lines: [line('two')] }));
    await play(own, [2]);
    expect(await studio.admin.code(SET, set(own.id, { lines: [line('three')] }))).toBe('VALIDATION_FAILED');
    expect(await studio.admin.code(SET, set(own.id, null))).toBe('VALIDATION_FAILED');
    await studio.admin.data(SET, set(own.id, { lines: [line('two')] }));
  },
);

quick(
  'a preview shows who would get what now, of saved prizes and of others, and writes nothing',
  async () => {
    const board = await makeBoard(studio, game.id, {
      views: [
        { name: 'day', period: 'DAY', by: ['class'] },
        { name: 'ever', by: ['platform'] },
      ],
      dimensions: [{ name: 'class', source: 'SUBMISSION' }],
      closingRules: [{ view: 'day', reviewTop: 1, prizes: { minimumEntries: 2, lines: [line('all')] } }],
    });
    const at = { boardId: board.id, view: 'day' };
    const mage = { ...at, group: 'mage' };
    await submit(players[0]!, board.id, 4, { playerName: 'Ann', tags: { class: 'mage' } });
    await submit(players[1]!, board.id, 6, { playerName: 'Bo', tags: { class: 'rogue' } });
    expect(await preview(mage)).toMatchObject({
      ...{ view: 'day', group: 'mage', playerCount: 1, rewardCount: 0, winnerCount: 0 },
      ...{ limits: ['MINIMUM_ENTRIES'], prizesApply: 'NOW', undecided: [] },
      lines: [{ line: 'all', title: 'Prize all', rewardCount: 0, winners: [] }],
    });
    expect(await preview({ ...mage, isTest: true })).toMatchObject({ playerCount: 0 });
    const lines = [line('gold', { firstRank: 1 }), line('everyone')];
    const endpoint = { name: 'Backend', url: 'https://hooks.example.com/a', events: ['ranking.closed'] };
    await studio.admin.post('/v1/webhook-endpoints', { ...endpoint, account_id: studio.accountId });
    await submit(players[2]!, board.id, 5, { playerName: 'Cy', tags: { class: 'mage' } });
    const tried = await preview({ ...mage, prizes: { lines } });
    // The saved ones again, as a form sends them before anybody changed it.
    const saved = { minimumEntries: 2, lines: [line('all')] };
    expect(await preview({ ...mage, prizes: saved })).toMatchObject({ prizesApply: 'NOW' });
    expect(tried).toMatchObject({
      prizesApply: 'NEXT_PERIOD',
      ...{ playerCount: 2, rewardCount: 3, winnerCount: 2, limits: [] },
      lines: [{ winners: [{ rank: 1, playerName: 'Cy', value: 5 }] }, { rewardCount: 2 }],
      webhooks: [{ type: 'ranking.closed', endpoints: ['Backend'] }],
    });
    const events: Data[] = (await studio.admin.get(`/v1/score-events?board_id=${board.id}`)).body.data;
    const { id } = events.find(({ event_payload }) => event_payload.value === 5)!;
    await studio.admin.post('/v1/score-flags', { score_event_id: id });
    expect((await preview(mage)).undecided).toEqual([{ playerName: 'Cy', isHeld: false }]);
    const own = await preview({ boardId: board.id, prizes: { lines: [line('top', { percent: 50 })] } });
    expect(own).toMatchObject({ period: null, playerCount: 3, prizesApply: 'NOW', rewardCount: 2 });
    const { body } = await studio.admin.get(`/v1/boards/${board.id}/closing-preview?view=day&group=mage`);
    expect(body).toMatchObject({ group: 'mage', player_count: 2, reward_count: 2, limits: [] });
    const codes: [input: Data, code: string][] = [
      [at, 'INVALID_VIEW'],
      [{ boardId: board.id, group: 'mage' }, 'INVALID_VIEW'],
      [{ boardId: board.id, view: 'ever', group: 'web' }, 'INVALID_VIEW'],
      [{ ...mage, prizes: { lines: [line('a'), line('a')] } }, 'VALIDATION_FAILED'],
    ];
    for (const [input, code] of codes)
      expect([input, await studio.admin.code(PREVIEW, { input })]).toEqual([input, code]);
    for (const table of ['closings', 'closing_places', 'rewards'])
      expect(await app.database.knex(table).where('board_id', uuidOf(board.id))).toEqual([]);
  },
);

quick('tables that cannot be given are refused', async () => {
  const board = await makeBoard(studio, game.id);
  const code = (prizes: Data) => studio.admin.code(SET, set(board.id, prizes));
  const wrong = [
    { lines: [] },
    { lines: [line('a'), line('a')] },
    { lines: [line('a', { firstRank: 1, percent: 3 })] },
    { lines: [line('a', { firstRank: 3, lastRank: 2 })] },
    { lines: [line('a', { lastRank: 2 })] },
    { lines: [line('a', { percent: 101 })] },
    { lines: [line('a', { pictureUrl: 'http://example.com/a.png' })] },
    { lines: [line('a', { grant: { text: 'x'.repeat(4_096) } })] },
    { lines: [line('a')], minimumEntries: 0 },
    { lines: Array.from({ length: 33 }, (_, n) => line(`${n}`)) },
  ];
  for (const prizes of wrong) expect([prizes, await code(prizes)]).toEqual([prizes, 'VALIDATION_FAILED']);
  const { body } = await studio.admin.get(`/v1/boards/${board.id}`);
  expect(body.closing_rules).toEqual([]);
});

const CLAIM = 'mutation($input: ClaimRewardInput!) { claimReward(input: $input) { reward { id status } } }';
const RELEASE =
  'mutation($input: ReleasePrizesInput!) { releasePrizes(input: $input) { closing { prizesStatus } } }';
const claim = async (player: Player, id: string) =>
  fetch(`${app.url}/v1/client/rewards/${id}/claim`, {
    method: 'POST',
    headers: { ...player.client.headers, 'service-client-nonce': await takeNonce(player.client) },
  }).then((answer) => answer.json() as Promise<Data>);
const acknowledge = (ids: string[], as = studio.admin) => as.post('/v1/rewards/acknowledge', { ids });
const own = async (player: Player, query = '') =>
  (await player.client.get(`/v1/client/rewards${query}`)).body.data as Data[];

quick(
  'a player claims a reward once, the game server acknowledges it once, and both get the first answer for ever',
  async () => {
    const { closing } = await closed([5, 6], { lines: [line('gold', { firstRank: 1 })] });
    const [reward, ...others] = (await own(players[1]!)).filter(
      ({ closing_id }) => closing_id === closing.id,
    );
    expect(others).toEqual([]);
    expect(reward).toMatchObject({
      status: 'open',
      line: 'gold',
      title: 'Prize gold',
      grant: { items: ['gold'] },
      rank: 1,
    });
    expect(reward).not.toHaveProperty('account_id');
    expect((await claim(players[0]!, reward!.id)).code).toBe('NOT_FOUND');
    const [first, second] = await Promise.all([
      claim(players[1]!, reward!.id),
      claim(players[1]!, reward!.id),
    ]);
    expect(first).toMatchObject({ id: reward!.id, status: 'claimed', claimed_at: expect.any(String) });
    expect(second).toEqual(first);
    app.clock.advance(MINUTE);
    expect(await claim(players[1]!, reward!.id)).toEqual(first);
    const { body } = await acknowledge([reward!.id]);
    expect(body.rewards).toMatchObject([{ status: 'acknowledged', claimed_at: first.claimed_at }]);
    app.clock.advance(MINUTE);
    expect((await acknowledge([reward!.id])).body).toEqual(body);
    expect((await claim(players[1]!, reward!.id)).claimed_at).toBe(first.claimed_at);
    const listed = await studio.admin.get(`/v1/rewards?closing_id=${closing.id}&status=acknowledged`);
    expect(listed.body.data).toEqual(body.rewards);
    expect((await studio.admin.get('/v1/rewards')).body.code).toBe('VALIDATION_FAILED');
  },
);

quick('an unclaimed reward expires, and is gone', async () => {
  const { closing } = await closed([5, 6], { expiresDays: 1, lines: [line('all')] });
  const rewards = (await studio.admin.get(`/v1/rewards?closing_id=${closing.id}`)).body.data as Data[];
  const of = (n: number) =>
    rewards.find(({ identity_id }) => identity_id === players[n]!.session.identityId)!.id;
  await claim(players[0]!, of(0));
  app.clock.advance(DAY);
  // The job may be late.
  expect((await claim(players[1]!, of(1))).code).toBe('REWARD_GONE');
  await run();
  expect((await claim(players[1]!, of(1))).code).toBe('REWARD_GONE');
  expect((await acknowledge([of(1)])).body.code).toBe('REWARD_GONE');
  expect((await acknowledge([of(1), of(0)])).body.rewards).toMatchObject([
    { status: 'expired' },
    { status: 'acknowledged' },
  ]);
  const { rewardCounts, grantedCount } = (
    await studio.admin.data(
      'query($id: ID!) { closing(id: $id) { grantedCount rewardCounts { open claimed acknowledged expired revoked } } }',
      { id: closing.id },
    )
  ).closing;
  expect(rewardCounts).toEqual({ open: 0, claimed: 0, acknowledged: 1, expired: 1, revoked: 0 });
  expect(grantedCount).toBe(2);
  // Open ones come first.
  const mine = (await own(players[1]!)).map(({ status }) => status);
  expect(mine).toEqual(mine.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
  expect(mine.at(-1)).toBe('expired');
});
const ORDER = ['open', 'claimed', 'acknowledged', 'expired', 'revoked'];

const REVOKE =
  'mutation($input: RevokeRewardInput!) { revokeReward(input: $input) { reward { id status revokedAt } } }';
const revoke = (id: string, reason = 'Cheated', as = studio.admin) =>
  as.post(`/v1/rewards/${id}/revoke`, { reason });
const trail = async (subject: string): Promise<Data[]> =>
  (await studio.admin.get(`/v1/audit-entries?subject_id=${subject}`)).body.data;

quick(
  'only open rewards are revoked; each reward says who did what, and the audit trail has each change',
  async () => {
    const { closing } = await closed([5, 6, 7, 8], { lines: [line('all')], expiresDays: 1 });
    const rewards = (await studio.admin.get(`/v1/rewards?closing_id=${closing.id}`)).body.data as Data[];
    const [first, second, third, fourth] = players.map(
      ({ session }) => rewards.find(({ identity_id }) => identity_id === session.identityId)!.id,
    );
    const { body } = await revoke(first);
    expect(body).toMatchObject({
      ...{ status: 'revoked', revoked_by: studio.userId, revoke_reason: 'Cheated' },
      ...{ revoked_at: expect.any(String), claimed_by: null, acknowledged_by: null },
    });
    app.clock.advance(MINUTE);
    expect((await revoke(first, 'Again')).body).toEqual(body);
    expect((await claim(players[0]!, first)).code).toBe('REWARD_GONE');
    expect((await acknowledge([first])).body.code).toBe('REWARD_GONE');
    expect(await trail(first)).toMatchObject([
      { action: 'reward_revoked', reason: 'Cheated', user_id: studio.userId, after: { status: 'revoked' } },
    ]);
    const [mine] = await own(players[0]!, '?status=revoked');
    expect(mine).toMatchObject({ id: first, revoked_at: body.revoked_at });
    expect(mine).not.toHaveProperty('revoke_reason');
    const seen = await players[0]!.client.data(
      '{ rewards(filter: { status: REVOKED }) { nodes { revokeReason revokedById revokedBy { id } claimedById } } }',
    );
    expect(seen.rewards.nodes[0]).toEqual({
      ...{ revokeReason: null, revokedById: null, revokedBy: null, claimedById: null },
    });

    await claim(players[1]!, second);
    app.clock.advance(1);
    for (const ids of [[second], [third], [second, third]]) await acknowledge(ids);
    const { body: done } = await studio.admin.get(`/v1/rewards/${second}`);
    expect(done).toMatchObject({ claimed_by: expect.stringMatching(/^ses_/), acknowledged_by: studio.keyId });
    const who = 'query($id: ID!) { reward(id: $id) { claimedBy { deviceId } acknowledgedBy { id } } }';
    expect((await studio.admin.data(who, { id: second })).reward).toEqual({
      claimedBy: { deviceId: players[1]!.session.deviceId },
      acknowledgedBy: { id: studio.keyId },
    });
    expect((await revoke(second)).body.code).toBe('INVALID_TRANSITION');
    app.clock.advance(DAY);
    expect((await revoke(fourth)).body.code).toBe('INVALID_TRANSITION');
    await run();
    expect((await revoke(fourth)).body.code).toBe('INVALID_TRANSITION');
    expect((await revoke(fourth, ' ')).body.code).toBe('VALIDATION_FAILED');
    expect((await revoke(first, 'x', (await makeStudio(app)).admin)).body.code).toBe('FORBIDDEN');
    expect(await players[0]!.client.code(REVOKE, { input: { id: first, reason: 'x' } })).toBe(
      'API_KEY_REQUIRED',
    );
    const open = { status: 'open' };
    const acknowledged = {
      action: 'reward_acknowledged',
      by: 'user',
      user_id: studio.userId,
      api_key_id: studio.keyId,
      ip_address: '127.0.0.1',
    };
    expect(await trail(second)).toMatchObject([
      { ...acknowledged, before: { status: 'claimed' }, after: { status: 'acknowledged' } },
      {
        ...{ action: 'reward_claimed', by: 'player', user_id: null, ip_address: null, before: open },
        after: { status: 'claimed', sessionId: done.claimed_by },
        created_at: done.claimed_at,
      },
    ]);
    expect(await trail(third)).toMatchObject([{ ...acknowledged, before: open }]);
    expect(await trail(fourth)).toMatchObject([
      {
        action: 'reward_expired',
        by: 'job',
        agent: 'close-rankings',
        before: open,
        after: { status: 'expired' },
      },
    ]);
    // By reward or action, and in the export; other lists have what people did.
    const actionsOf = async (path: string) =>
      ((await studio.admin.get(path)).body.data as Data[]).map(({ action }) => action);
    expect(await actionsOf('/v1/audit-entries?action=reward_claimed')).toContain('reward_claimed');
    const listed = await actionsOf('/v1/audit-entries?limit=100');
    expect(listed).toContain('reward_revoked');
    expect(listed.filter((action) => /claimed|acknowledged|expired/.test(action))).toEqual([]);
  },
);

quick('other studios and keys without the right reach no reward', async () => {
  const { closing } = await closed([5], { lines: [line('all')] });
  const [reward] = (await studio.admin.get(`/v1/rewards?closing_id=${closing.id}`)).body.data as Data[];
  const stranger = await makeStudio(app);
  expect((await acknowledge([reward!.id], stranger.admin)).body.code).toBe('FORBIDDEN');
  expect((await stranger.admin.get(`/v1/rewards?closing_id=${closing.id}`)).body.code).toBe('FORBIDDEN');
  expect(await stranger.admin.code(RELEASE, { input: { id: closing.id } })).toBe('FORBIDDEN');
  expect(await players[0]!.client.code(CLAIM, { input: { id: reward!.id } })).toBe('NONCE_REQUIRED');
  const none = `rwd_${closing.id.slice(4)}`;
  expect((await acknowledge([reward!.id, none])).body.code).toBe('NOT_FOUND');
  expect((await acknowledge([])).body.code).toBe('VALIDATION_FAILED');
  expect((await acknowledge(Array(101).fill(reward!.id))).body.code).toBe('VALIDATION_FAILED');
});

quick('what a limit holds is granted after a release, which is in the audit trail', async () => {
  const lines = [line('gold', { firstRank: 1 })];
  const { board, closing } = await closed([9, 9, 9], { ties: 'ALL', tieLimit: 1, lines });
  expect(closing).toMatchObject({ prizesStatus: 'WAITING_FOR_LIMIT', grantedCount: 0 });
  await studio.admin.data(RELEASE, { input: { id: closing.id } });
  await run();
  expect((await closings(board.id))[0]).toMatchObject({ prizesStatus: 'GRANTED', grantedCount: 3 });
  await studio.admin.data(RELEASE, { input: { id: closing.id } });
  const { body } = await studio.admin.get(`/v1/audit-entries?subject_id=${closing.id}`);
  expect(body.data).toHaveLength(1);
  expect(body.data[0]).toMatchObject({ before: { prizesStatus: 'waiting_for_limit' } });
});

const GRANTED = 'subscription { rewardGranted { id line title grant rank status } }';

quick(
  'a session hears of its own rewards: the open ones, then each that is granted, also after a reconnect',
  async () => {
    const [winner, tester] = [
      await startSession(app, game.id),
      await startSession(app, game.id, { testMode: true }),
    ];
    const boards: Data[] = [];
    for (let n = 0; n < 4; n += 1) {
      const prizes = { lines: [line('gold', { firstRank: 1 })] };
      boards.push(await makeBoard(studio, game.id, { closingRules: [{ prizes }] }));
      for (const [player, value] of [
        [winner, 9],
        [players[1]!, 5],
        [tester, 7],
      ] as const)
        await submit(player, boards[n]!.id, value, { playerName: 'Player' });
    }
    const close = async (n: number) => {
      app.clock.advance(MINUTE);
      await studio.admin.data(CLOSE, { input: { id: boards[n]!.id } });
      await run();
      const rows = await app.database
        .knex('rewards')
        .where('board_id', uuidOf(boards[n]!.id))
        .orderBy('is_test');
      return rows.map(({ id }) => `rwd_${id}`);
    };
    const listen = async (player: Player, at = app.url) => {
      const socket = await TestSocket.connect(at, player.client.headers);
      socket.send({ type: 'subscribe', id: 'rewards', payload: { query: GRANTED } });
      return socket;
    };
    const heard = async (socket: TestSocket) => (await socket.nextMessage()).payload!.data.rewardGranted;
    const process = await makeApp({
      ...{ settings: SETTINGS, database: app.database, clock: app.clock.now, log: makeLog('fatal') },
      wakeJobs: false,
    });
    const elsewhere = await listen(winner, `http://127.0.0.1:${await process.listen(0, '127.0.0.1')}`);
    const [first] = await close(0);
    expect((await heard(elsewhere)).id).toBe(first);
    await elsewhere.close();
    await process.close();
    const [socket, other, tests] = [await listen(winner), await listen(players[1]!), await listen(tester)];
    expect(await heard(socket)).toEqual({
      ...{
        id: first,
        line: 'gold',
        title: 'Prize gold',
        grant: { items: ['gold'] },
        rank: 1,
        status: 'OPEN',
      },
    });
    const [second, ofTester] = await close(1);
    expect((await heard(socket)).id).toBe(second);
    expect([(await heard(tests)).id, (await heard(tests)).id]).toContain(ofTester);
    await claim(winner, first!);
    await socket.close();
    // Granted while nobody listened.
    const [third] = await close(2);
    const again = await listen(winner);
    expect([(await heard(again)).id, (await heard(again)).id].toSorted()).toEqual([second, third].toSorted());
    const stream = await EventStream.open(`${app.url}/v1/client/rewards/live`, winner.client.headers);
    const events = [await stream.next(), await stream.next()];
    expect(events.map(({ event, id, data }) => [event, id, data.id])).toEqual([
      ['reward', undefined, second],
      ['reward', undefined, third],
    ]);
    const [fourth] = await close(3);
    expect((await heard(again)).id).toBe(fourth);
    expect((await stream.next()).data).toMatchObject({ id: fourth, status: 'open', title: 'Prize gold' });
    // The second-placed player hears of what is its own alone.
    const board = await makeBoard(studio, game.id, { closingRules: [{ prizes: { lines: [line('all')] } }] });
    await submit(players[1]!, board.id, 1, { playerName: 'Player' });
    await studio.admin.data(CLOSE, { input: { id: board.id } });
    await run();
    const own = (
      await studio.admin.get(`/v1/rewards?identity_id=${players[1]!.session.identityId}&status=open`)
    ).body.data as Data[];
    const told: string[] = [];
    while (told.length < own.length) told.push((await heard(other)).id);
    expect(told.toSorted()).toEqual(own.map(({ id }) => id).toSorted());
    await Promise.all([again, other, tests].map((one) => one.close()));
    await stream.close();
  },
);

quick(
  'of very many open rewards a session hears of the newest hundred, and of each that follows',
  async () => {
    const player = await startSession(app, game.id);
    const { knex } = app.database;
    const give = (first: number, last: number) =>
      knex.raw(
        `insert into rewards (board_id, id, account_id, game_id, closing_id, line, identity_id, is_test, rank, status,
          created_at, updated_at)
       select board_id, gen_random_uuid(), account_id, game_id, id, 'line ' || n, ?, false, 1, 'open',
         now() + n * interval '1 second', now()
       from (select * from closings where game_id = ? limit 1) c, generate_series(?::int, ?::int) n`,
        [uuidOf(player.session.identityId), uuidOf(game.id), first, last],
      );
    await give(1, 130);
    const socket = await TestSocket.connect(app.url, player.client.headers);
    socket.send({ type: 'subscribe', id: 'rewards', payload: { query: GRANTED } });
    const lines = async (count: number) => {
      const heard: string[] = [];
      while (heard.length < count) heard.push((await socket.nextMessage()).payload!.data.rewardGranted.line);
      return heard;
    };
    const numbered = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, n) => `line ${first + n}`);
    expect(await lines(100)).toEqual(numbered(31, 130));
    await give(131, 132);
    app.app.changes.mark(rewardsOf(game.id));
    expect(await lines(2)).toEqual(numbered(131, 132));
    await socket.close();
  },
);

full('a closing grants thousands of rewards in ranges, whatever process is at it', async () => {
  const board = await makeBoard(studio, game.id, { closingRules: [{ prizes: { lines: [line('all')] } }] });
  const crowd = await makeCrowd(app.database, studio.accountId, game.id, 12_000);
  await crowdPlays(app.database, board.id, crowd, 1);
  await studio.admin.data(CLOSE, { input: { id: board.id } });
  await Promise.all([run(), run()]);
  await run();
  const [closing] = await closings(board.id);
  expect(closing).toMatchObject({ prizesStatus: 'GRANTED', grantedCount: 12_000, playerCount: 12_000 });
  const granted = await app.database
    .knex('rewards')
    .where('board_id', uuidOf(board.id))
    .distinct('identity_id');
  expect(granted).toHaveLength(12_000);
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
});

const SIXTY = `insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
  select gen_random_uuid(), account_id, id, 'device', 'fresh-' || n, 'Fresh ' || n, $2, $2
    from games, generate_series(1, 60) n where id = $1 returning id`;

quick(
  'fresh devices win nothing of lines that ask for runs or age, and take nothing from those who do',
  async () => {
    const own = await makeGame(studio, { antiCheatEnabled: false });
    const lines = [
      line('gold', { firstRank: 1, minimumRuns: 2 }),
      line('third', { percent: 33, minimumRuns: 2, minimumAgeHours: 24 }),
      line('known', { minimumAgeHours: 24 }),
      line('all'),
    ];
    const closingRules = [{ places: 3, prizes: { lines } }];
    const board = await makeBoard(studio, own.id, { keepStrategy: 'BEST', closingRules });
    const real: Player[] = [];
    for (let i = 0; i < 4; i += 1) real.push(await startSession(app, own.id));
    app.clock.advance(DAY);
    // The fourth has one run only.
    for (const [i, player] of real.entries())
      for (const value of i < 3 ? [10 + i, 20 + i] : [5]) await submit(player, board.id, value);
    const { rows: fresh } = await app.database.pool.query(SIXTY, [uuidOf(own.id), new Date(app.clock.now())]);
    const scores = fresh.map(({ id }) => ({ board_id: board.id, identity_id: `ide_${id}`, value: 1_000 }));
    const { body } = await studio.admin.post('/v1/score-events/batch', { items: scores });
    expect(body.results.map(({ status }: Data) => status)).toEqual(Array(60).fill(201));

    const shown = (await studio.admin.get(`/v1/boards/${board.id}/closing-preview`)).body;
    expect(
      shown.lines.map((of: Data) => [of.line, of.reward_count, of.left_out, of.too_few_runs, of.too_new]),
    ).toEqual([
      ['gold', 1, 61, 61, 0],
      ['third', 1, 61, 61, 60],
      ['known', 4, 60, 0, 60],
      ['all', 64, 0, 0, 0],
    ]);
    const rehearse =
      'mutation($input: RehearseBoardInput!) { rehearseBoard(input: $input) { board { id } } }';
    const { rehearseBoard } = await studio.admin.data(rehearse, { input: { id: board.id } });
    const rehearsed = await app.database
      .knex('rewards')
      .where('board_id', uuidOf(rehearseBoard.board.id))
      .groupBy('line')
      .orderBy('line')
      .select('line')
      .count();
    expect(rehearsed).toEqual(
      Object.entries({ all: 64, gold: 1, known: 4, third: 1 }).map(([of, count]) => ({
        line: of,
        count,
      })),
    );
    await studio.admin.data(CLOSE, { input: { id: board.id } });
    await run();
    const rewards = await app.database
      .knex('rewards')
      .where('board_id', uuidOf(board.id))
      .whereNot('line', 'all')
      .orderBy(['line', 'rank'])
      .select('line', 'identity_id', 'rank');
    const winner = uuidOf(real[2]!.session.identityId);
    expect(rewards.map(({ line: name, rank }) => `${name} ${rank}`)).toEqual([
      'gold 61',
      ...[61, 62, 63, 64].map((rank) => `known ${rank}`),
      'third 61',
    ]);
    expect(
      rewards.filter(({ line: name }) => name !== 'known').map(({ identity_id }) => identity_id),
    ).toEqual([winner, winner]);
    expect(await verifyBoard(app.database, board.id)).toEqual([]);
  },
);

quick(
  'a table without conditions is stored as before, so that saving it again changes nothing; odd ones are refused',
  async () => {
    const board = await makeBoard(studio, game.id, { closingRules: [{ prizes: { lines: [line('all')] } }] });
    await submit(players[0]!, board.id, 5);
    const stored = async () =>
      (await app.database.knex('prize_tables').where('board_id', uuidOf(board.id)).select('prizes')).map(
        ({ prizes }) => Object.keys(prizes.lines[0]).toSorted(),
      );
    expect(await stored()).toEqual([
      ['firstRank', 'grant', 'lastRank', 'name', 'percent', 'pictureUrl', 'reached', 'title'],
    ]);
    const again = { lines: [line('all', { minimumRuns: null, minimumAgeHours: null })] };
    await studio.admin.data(SET, { input: { id: board.id, closingRules: [{ prizes: again }] } });
    expect(await stored()).toHaveLength(1);
    for (const odd of [
      { minimumRuns: 0 },
      { minimumRuns: 1_001 },
      { minimumAgeHours: 0 },
      { minimumAgeHours: 8_761 },
    ])
      expect(await studio.admin.code(SET, set(board.id, { lines: [line('all', odd)] }))).toBe(
        'VALIDATION_FAILED',
      );
  },
);
