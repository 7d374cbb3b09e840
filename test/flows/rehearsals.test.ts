import { makeApp } from '../../src/app.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import { Caller, type Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit, takeNonce } from '../support/play.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let players: Player[];
beforeAll(async () => {
  app = await startApp({ accessTokenSeconds: (30 * DAY) / 1_000, refreshTokenSeconds: (30 * DAY) / 1_000 });
  studio = await makeStudio(app);
  game = await makeGame(studio);
  players = [];
  for (let n = 0; n < 3; n += 1)
    players.push(await startSession(app, game.id, { clientFingerprint: `d${n}` }));
  const endpoint = {
    events: ['ranking.settling', 'ranking.closed', 'reward.granted', 'board.opened', 'board.leader_changed'],
  };
  const hook = {
    account_id: studio.accountId,
    name: 'Backend',
    url: 'https://hooks.example.com/a',
    population: 'all',
  };
  await studio.admin.post('/v1/webhook-endpoints', { ...hook, ...endpoint });
});
afterAll(() => app.close());

const REHEARSE = `mutation($input: RehearseBoardInput!) { rehearseBoard(input: $input) {
  board { id name isActive isPublished rehearsalOfId rehearsalOf { name } }
  closings { id view period group isTest status prizesStatus playerCount grantedCount endedAt places { rank identityId value } }
  webhooks { type endpoints } } }`;
const rehearse = async (input: Data): Promise<Data> =>
  (await studio.admin.data(REHEARSE, { input })).rehearseBoard;
const LINES = [
  { name: 'gold', title: 'Golden cup', firstRank: 1 },
  { name: 'all', title: 'Badge' },
];

/** All rows that belong to a board, and its record, without the note of upkeep when a ranking became empty. */
async function rowsOf(id: string): Promise<Data> {
  const tables: { name: string }[] = (
    await app.database.knex.raw(
      "select table_name as name from information_schema.columns where column_name = 'board_id' and table_schema = 'public' order by 1",
    )
  ).rows;
  const found: Data = { boards: await app.database.knex('boards').where('id', uuidOf(id)) };
  for (const { name } of tables) {
    const { rows } = await app.database.knex.raw(
      `select count(*)::int as n, md5(string_agg(r.kept, '|' order by r.kept)) as hash
        from ${name} t, lateral (select (to_jsonb(t) - 'empty_since')::text as kept) r where t.board_id = ?`,
      [uuidOf(id)],
    );
    found[name] = rows[0];
  }
  return found;
}

/** Tables with rows of a board. */
async function leftOf(id: string): Promise<string[]> {
  const { boards, ...tables } = await rowsOf(id);
  const filled = Object.keys(tables).filter((name) => tables[name].n > 0);
  return boards.length > 0 ? ['boards', ...filled] : filled;
}

/** Rankings of a board that are still being built in the background. */
async function unbuilt(id: string): Promise<number> {
  const { rows } = await app.database.knex.raw(
    `select (select count(*) from rankings k where k.board_id = r.board_id and (k.status <> 'live' or k.next_generation is not null))
       + (select count(*) from board_views v where v.board_id = r.board_id and v.status <> 'live') + (r.build is not null)::int as n
     from board_rankings r where r.board_id = ?`,
    [uuidOf(id)],
  );
  return Number(rows[0].n);
}

test('a board is played to its end on a copy: it closes, grants and is claimed, and nothing of the board changes', async () => {
  const ends = new Date(app.clock.now() + 20 * DAY).toISOString();
  const board = await makeBoard(studio, game.id, {
    ...{ name: 'Season one', isPublished: true, endsAt: ends },
    closingRules: [{ settleMinutes: 60, prizes: { lines: LINES, expiresDays: 3 } }],
  });
  for (const [n, player] of players.entries())
    await submit(player, board.id, 10 + n, { playerName: `P${n}` });
  const before = await rowsOf(board.id);
  const events = await app.database.knex('webhook_events');
  const { board: copy, closings, webhooks } = await rehearse({ id: board.id });
  expect(await rowsOf(board.id)).toEqual(before);
  expect(copy).toMatchObject({
    ...{ name: 'Rehearsal of Season one', isActive: false, isPublished: false },
    ...{ rehearsalOfId: board.id, rehearsalOf: { name: 'Season one' } },
  });
  expect(closings).toMatchObject([
    {
      ...{
        isTest: true,
        status: 'FROZEN',
        prizesStatus: 'GRANTED',
        playerCount: 3,
        grantedCount: 4,
        endedAt: ends,
      },
      places: [2, 1, 0].map((n, at) => ({
        rank: at + 1,
        identityId: players[n]!.session.identityId,
        value: 10 + n,
      })),
    },
  ]);
  expect(webhooks.map(({ type }: Data) => type).toSorted()).toEqual(
    ['ranking.settling', 'ranking.closed', 'reward.granted'].toSorted(),
  );
  expect(await verifyBoard(app.database, copy.id)).toEqual([]);
  const counts = await studio.admin.data(
    'query($id: ID!) { closing(id: $id) { rewardCounts { open claimed } } }',
    {
      id: closings[0].id,
    },
  );
  expect(counts.closing.rewardCounts).toEqual({ open: 2, claimed: 2 });
  // A test session of a player claims, a real one has nothing.
  const tester = await startSession(app, game.id, { clientFingerprint: 'd0', testMode: true });
  expect(tester.session.identityId).toBe(players[0]!.session.identityId);
  const { body } = await tester.client.get('/v1/client/rewards');
  expect(body.data).toMatchObject([{ line: 'all', status: 'open' }]);
  const nonce = await takeNonce(tester.client);
  const claimed = await fetch(`${app.url}/v1/client/rewards/${body.data[0].id}/claim`, {
    method: 'POST',
    headers: { ...tester.client.headers, 'service-client-nonce': nonce },
  });
  expect(claimed.status).toBe(200);
  expect((await players[0]!.client.get('/v1/client/rewards')).body.data).toEqual([]);
  // Nothing is sent, now or by the jobs that come, and nobody finds the copy.
  await app.app.jobs.run('close-rankings');
  expect(await app.database.knex('webhook_events')).toEqual(events);
  const lists = [
    await players[0]!.client.get('/v1/client/boards'),
    await studio.admin.get(`/v1/boards?game_id=${game.id}`),
  ];
  for (const { body } of lists) expect(JSON.stringify(body)).not.toContain('Rehearsal');
  const UPDATE = 'mutation($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id } } }';
  for (const change of [{ isPublished: true }, { isActive: true }]) {
    expect(await studio.admin.code(UPDATE, { input: { id: copy.id, ...change } })).toBe('INVALID_TRANSITION');
  }
  const audit = await studio.admin.get(
    `/v1/audit-entries?account_id=${studio.accountId}&subject_id=${copy.id}`,
  );
  expect(audit.body.data.length).toBeGreaterThan(0);
  app.clock.advance(8 * DAY);
  await app.app.jobs.run('forget-rehearsals');
  expect((await studio.admin.get(`/v1/boards/${copy.id}`)).status).toBe(404);
  expect(await leftOf(copy.id)).toEqual([]);
  expect((await studio.admin.get(`/v1/boards/${board.id}`)).status).toBe(200);
});

test('the current period of a view ends on a copy in each group, and a season without runs is played by made-up players', async () => {
  const board = await makeBoard(studio, game.id, {
    ...{ name: 'Classes', keepStrategy: 'BEST' },
    views: [{ name: 'week', period: 'WEEK', by: ['class'] }],
    dimensions: [{ name: 'class', source: 'SUBMISSION' }],
    closingRules: [{ view: 'week', prizes: { lines: LINES } }],
  });
  const made = await rehearse({ id: board.id, view: 'week' });
  expect(made.closings).toMatchObject([{ group: 'rehearsal', playerCount: 10, grantedCount: 11 }]);
  await submit(players[0]!, board.id, 5, { playerName: 'A', tags: { class: 'mage' } });
  await submit(players[1]!, board.id, 7, { playerName: 'B', tags: { class: 'rogue' } });
  await until(async () => (await unbuilt(board.id)) === 0);
  const before = await rowsOf(board.id);
  const { board: copy, closings } = await rehearse({ id: board.id, view: 'week' });
  expect(await rowsOf(board.id)).toEqual(before);
  expect(closings).toMatchObject([
    { view: 'week', group: 'mage', status: 'FROZEN', playerCount: 1, grantedCount: 2 },
    { view: 'week', group: 'rogue', status: 'FROZEN', playerCount: 1, grantedCount: 2 },
  ]);
  expect(await verifyBoard(app.database, copy.id)).toEqual([]);
  expect(await studio.admin.code(REHEARSE, { input: { id: board.id } })).toBe('INVALID_TRANSITION');
  expect(await studio.admin.code(REHEARSE, { input: { id: copy.id, view: 'week' } })).toBe(
    'INVALID_TRANSITION',
  );
});

test('a request rehearses once, a board five times and an account twenty, and nothing of a deleted copy is left', async () => {
  const other = await makeStudio(app);
  const its = await makeGame(other);
  const boardOf = () => makeBoard(other, its.id, { closingRules: [{ prizes: { lines: LINES } }] });
  const [first, ...boards] = await Promise.all(Array.from({ length: 5 }, boardOf));
  const made = async (board: Data): Promise<string> =>
    (await other.admin.data(REHEARSE, { input: { id: board.id } })).rehearseBoard.board.id;
  const code = (board: Data) => other.admin.code(REHEARSE, { input: { id: board.id } });
  const rehearse = (name: string) => `${name}: rehearseBoard(input: { id: $id }) { board { id } }`;
  const twice = `mutation($id: ID!) { ${['a', 'b'].map(rehearse).join(' ')} }`;
  expect(await other.admin.code(twice, { id: first!.id })).toBe('BAD_REQUEST');
  const copies: string[] = [];
  for (let n = 0; n < 5; n += 1) copies.push(await made(first!));
  expect(await code(first!)).toBe('CONFLICT');
  expect((await other.admin.post(`/v1/boards/${first!.id}/rehearse`, {})).status).toBe(409);
  for (const board of boards.slice(0, 3)) for (let n = 0; n < 5; n += 1) await made(board);
  expect(await code(boards[3]!)).toBe('CONFLICT');
  // A deleted one gives way, with all that it had.
  const [copy] = copies;
  const { body } = await other.admin.get(`/v1/boards/${copy}/closings`);
  expect((await other.admin.patch(`/v1/boards/${copy}`, { deleted: true })).status).toBe(200);
  await made(boards[3]!);
  expect(await leftOf(copy!)).toEqual([]);
  for (const path of [`/v1/boards/${copy}`, `/v1/closings/${body.data[0].id}`]) {
    expect([path, (await other.admin.get(path)).status]).toEqual([path, 404]);
  }
  expect((await other.admin.patch(`/v1/boards/${copy}`, { deleted: false })).status).toBe(404);
  // Copies take nothing, and nothing counts on them.
  const left = copies[1]!;
  expect((await other.admin.post(`/v1/boards/${left}/imports`, {})).body.code).toBe('INVALID_TRANSITION');
  const patched = await other.admin.patch(`/v1/games/${its.id}`, { default_board_id: left });
  expect(patched.status).toBe(404);
  // Other accounts, and those who rehearse at the same moment.
  const third = await makeStudio(app);
  const board = await makeBoard(third, (await makeGame(third)).id, { closingRules: [{}] });
  for (let n = 0; n < 4; n += 1) await third.admin.data(REHEARSE, { input: { id: board.id } });
  // Each process makes one of an account after another: only the account's row holds both apart.
  const process = await makeApp({
    ...{ settings: SETTINGS, database: app.database, clock: app.clock.now, log: makeLog('fatal') },
    wakeJobs: false,
  });
  const there = new Caller(`http://127.0.0.1:${await process.listen(0, '127.0.0.1')}`, third.admin.headers);
  const answers = await Promise.all(
    [third.admin, there, third.admin, there].map((caller) =>
      caller.post('/graphql', { query: REHEARSE, variables: { input: { id: board.id } } }),
    ),
  );
  await process.close();
  expect(answers.filter(({ body }) => body.data?.rehearseBoard)).toHaveLength(1);
  const kept = await app.database.knex('boards').where('rehearsal_of_id', uuidOf(board.id));
  expect(kept).toHaveLength(5);
});
