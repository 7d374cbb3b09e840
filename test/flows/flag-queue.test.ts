import { NIL_UUID, uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { flag, makePlayer, play } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { full, quick } from '../support/lane.js';
import {
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { standings, submit } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id);
});

const QUEUE = `query ($filter: FlaggedPlayerFilter, $first: Int, $after: String) {
  flaggedPlayers(filter: $filter, first: $first, after: $after) {
    nodes { identityId pendingFlags flags { id confidence boardId } } pageInfo { hasNextPage endCursor } } }`;
const REVIEW = `mutation ($input: ReviewScoreFlagsInput!) { reviewScoreFlags(input: $input) { scoreFlags { id status } } }`;

const queue = async (filter: Data | null = null, more: Data = {}) =>
  (await studio.admin.data(QUEUE, { filter, ...more })).flaggedPlayers;
const player = () => makePlayer(studio.admin, game.id, `player ${unique()}`);
const flagged = async (identity: string, value: number, confidence: string, on = board) => {
  const event = await play(studio.admin, on.id, identity, value);
  app.clock.advance(1_000);
  return (await flag(studio.admin, event, { confidence })).id as string;
};
const setPodium = (id: string) =>
  app.database.pool.query('update score_flags set podium = true where id = $1', [uuidOf(id)]);

quick(
  'players are in the queue once: the podium first, then by confidence, then the oldest; pages go on where one ended',
  async () => {
    const [a, b, c, d] = [await player(), await player(), await player(), await player()];
    const low = await flagged(a, 1, 'LOW');
    const medium = await flagged(b, 2, 'MEDIUM');
    const high = await flagged(c, 3, 'HIGH');
    const alsoHigh = await flagged(d, 4, 'HIGH');
    const second = await flagged(a, 5, 'LOW');
    const podium = await flagged(b, 6, 'LOW');
    await setPodium(podium);
    const { nodes, pageInfo } = await queue();
    expect(nodes.map(({ identityId }: Data) => identityId)).toEqual([b, c, d, a]);
    expect(nodes.map(({ flags }: Data) => flags.map(({ id }: Data) => id))).toEqual([
      [podium, medium],
      [high],
      [alsoHigh],
      [low, second],
    ]);
    expect(nodes.map(({ pendingFlags }: Data) => pendingFlags)).toEqual([2, 1, 1, 2]);
    expect(pageInfo.hasNextPage).toBe(false);
    const read: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const page: Data = await queue(null, { first: 1, after });
      read.push(...page.nodes.map(({ identityId }: Data) => identityId));
      [after, more] = [page.pageInfo.endCursor, page.pageInfo.hasNextPage];
    }
    expect(read).toEqual([b, c, d, a]);
    const at = '2026-01-01 10:00:00+00';
    const moments = [
      'nonsense',
      '2026-02-31 10:00:00+00',
      '2026-01-01 25:00:00+00',
      '1-1-1 1:1:1',
      `${at.slice(0, -2)}23`,
    ];
    const places = [...moments.map((moment) => [0, moment, NIL_UUID]), [0, at, '-'.repeat(NIL_UUID.length)]];
    for (const place of places) {
      const after = Buffer.from(JSON.stringify(place)).toString('base64url');
      expect([place, await studio.admin.code(QUEUE, { after })]).toEqual([place, 'INVALID_CURSOR']);
    }
  },
);

quick('filters name flags; a player is found by a flag that is not its most urgent one', async () => {
  const other = await makeBoard(studio, game.id);
  const [a, b] = [await player(), await player()];
  const here = await flagged(a, 1, 'HIGH');
  const there = await flagged(a, 1, 'LOW', other);
  await flagged(b, 2, 'MEDIUM');
  const found = async (filter: Data) =>
    (await queue(filter)).nodes.map(({ flags }: Data) => flags.map(({ id }: Data) => id));
  expect(await found({ boardId: other.id })).toEqual([[there]]);
  expect(await found({ confidence: 'LOW' })).toEqual([[there]]);
  expect(await found({ gameId: game.id, confidence: 'HIGH' })).toEqual([[here]]);
  expect(await found({ flagType: 'VELOCITY' })).toEqual([]);
  await studio.admin.data(
    'mutation ($id: ID!) { updateIdentity(input: { id: $id, trustTier: C }) { identity { id } } }',
    { id: a },
  );
  expect(await found({ trustTier: 'C' })).toEqual([[here, there]]);
});

quick('several flags of several boards get one review, all or none, and can be reviewed back', async () => {
  const other = await makeBoard(studio, game.id);
  const [a, b] = [await player(), await player()];
  const ids = [await flagged(a, 9, 'HIGH'), await flagged(a, 8, 'HIGH', other), await flagged(b, 7, 'LOW')];
  const review = async (input: Data) =>
    (await studio.admin.data(REVIEW, { input })).reviewScoreFlags.scoreFlags.map(
      ({ status }: Data) => status,
    );
  const before = await standings(studio.admin, board.id);
  expect(await review({ ids, status: 'CONFIRMED_CHEAT', reviewerDecision: 'One hack' })).toEqual([
    'CONFIRMED_CHEAT',
    'CONFIRMED_CHEAT',
    'CONFIRMED_CHEAT',
  ]);
  expect(await standings(studio.admin, board.id)).toEqual([]);
  expect((await queue()).nodes).toEqual([]);
  const { auditEntries } = await studio.admin.data(
    '{ auditEntries(filter: {action: FLAG_REVIEWED}) { nodes { subjectId reason } } }',
  );
  const noted = auditEntries.nodes.filter(({ subjectId }: Data) => ids.includes(subjectId));
  expect(noted.map(({ reason }: Data) => reason)).toEqual(['One hack', 'One hack', 'One hack']);
  await review({ ids, status: 'PENDING' });
  expect(await standings(studio.admin, board.id)).toEqual(before);

  const stranger = await makeStudio(app);
  expect(await stranger.admin.code(REVIEW, { input: { ids, status: 'DISMISSED' } })).toBe('FORBIDDEN');
  const missing = 'flg_0192f0c1-2345-7abc-8def-0123456789ab';
  expect(await studio.admin.code(REVIEW, { input: { ids: [...ids, missing], status: 'DISMISSED' } })).toBe(
    'NOT_FOUND',
  );
  expect((await queue()).nodes).toHaveLength(2);
  const many = Array.from({ length: 101 }, () => ids[0]);
  expect(await studio.admin.code(REVIEW, { input: { ids: many, status: 'DISMISSED' } })).toBe(
    'VALIDATION_FAILED',
  );
  expect(await studio.admin.code(REVIEW, { input: { ids: [], status: 'DISMISSED' } })).toBe(
    'VALIDATION_FAILED',
  );
});

const COPIES = `
  insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, is_test, flag_type,
    confidence, status, metadata,
    compared_events, created_at, updated_at)
  select board_id, event_seq, gen_random_uuid(), event_id, account_id, game_id, identity_id, is_test, flag_type, 'low', status, metadata,
    compared_events, created_at - n * interval '1 second', updated_at from score_flags, generate_series(1, $2) n where id = $1`;

full('a player with 20,000 open flags costs a page a bounded number of flags, and hides nobody', async () => {
  const [many, last] = [await player(), await player()];
  const id = await flagged(many, 1, 'LOW');
  await app.database.pool.query(COPIES, [uuidOf(id), 20_000]);
  await app.database.pool.query('analyze score_flags');
  await flagged(last, 2, 'LOW');
  const page = await queue();
  expect(page.nodes).toMatchObject([{ identityId: many, pendingFlags: 1000 }]);
  expect(page.nodes[0].flags).toHaveLength(100);
  expect(page.pageInfo.hasNextPage).toBe(true);
  const read: string[] = [];
  let pages = 0;
  for (let { endCursor: after, hasNextPage: more } = page.pageInfo; more; pages += 1) {
    const next: Data = await queue(null, { after });
    read.push(...next.nodes.map(({ identityId }: Data) => identityId));
    ({ endCursor: after, hasNextPage: more } = next.pageInfo);
  }
  expect(read).toEqual([last]);
  expect(pages).toBe(10);
});

quick('a check notes with its flag that the run was held, or reached the podium', async () => {
  const checked = await makeGame(studio);
  const [ranked, holding] = [
    await makeBoard(studio, checked.id, { keepStrategy: 'BEST' }),
    await makeBoard(studio, checked.id, { keepStrategy: 'BEST', holdTop: 3 }),
  ];
  const players = await Promise.all(Array.from({ length: 5 }, () => startSession(app, checked.id)));
  const [first, low] = [players[0]!, players[4]!];
  for (const [n, one] of players.entries()) {
    await submit(one, ranked.id, 100 - n);
    await submit(one, holding.id, 100 - n);
  }
  app.clock.advance(60_000);
  // Twice within a second each: too fast.
  for (const [one, value, boardId] of [
    [first, 101, ranked.id],
    [low, 97, ranked.id],
    [low, 200, holding.id],
  ] as const) {
    await submit(one, boardId, value - 0.5);
    await submit(one, boardId, value);
    app.clock.advance(60_000);
  }
  const { rows } = await app.database.pool.query(
    `select board_id = $2 as holds, identity_id, bool_or(held) as held, bool_or(podium) as podium from score_flags where game_id = $1
     group by 1, 2`,
    [uuidOf(checked.id), uuidOf(holding.id)],
  );
  const of = (one: Player, holds: boolean) => {
    const row = rows.find((row) => row.holds === holds && row.identity_id === uuidOf(one.session.identityId));
    return row && { held: row.held, podium: row.podium };
  };
  expect(of(first, false)).toEqual({ held: false, podium: true });
  expect(of(low, false)).toEqual({ held: false, podium: false });
  expect(of(low, true)).toEqual({ held: true, podium: true });
  const page = await queue({ gameId: checked.id });
  expect(page.nodes.map(({ identityId }: Data) => identityId)).toEqual(
    [low, first].map(({ session }) => session.identityId),
  );
});

const PLAYERS_LIKE = `
  insert into identities select r.* from identities i cross join generate_series(1, $2::int) n cross join lateral
    jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'external_key', i.external_key || n)) r where i.id = $1`;
const FLAGS_OF_ALL = `
  insert into score_flags select r.* from score_flags f join identities i on i.game_id = f.game_id cross join lateral
    jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'identity_id', i.id,
      'confidence', (array['low', 'medium', 'high'])[1 + $2::int % 3], 'podium', $2 = 1 and hashtext(i.id::text) % 50 = 0,
      'created_at', f.created_at - $2 * interval '1 minute')) r where f.id = $1`;

full('the first page of 100,000 open flags, and their number, take milliseconds in Postgres', async () => {
  const one = await player();
  const id = await flagged(one, 1, 'LOW');
  const { pool } = app.database;
  await pool.query(PLAYERS_LIKE, [uuidOf(one), 20_000]);
  for (let n = 1; n <= 5; n += 1) await pool.query(FLAGS_OF_ALL, [uuidOf(id), n]);
  await pool.query('analyze score_flags');
  await pool.query('analyze identities');
  const { knex } = app.database;
  /** The longest statement of a read, as Postgres times it. */
  const timed = async (read: () => Promise<void>): Promise<number> => {
    const sent: { sql: string; bindings: unknown[] }[] = [];
    const note = (query: (typeof sent)[number]) => sent.push(query);
    knex.on('query', note);
    await read();
    knex.removeListener('query', note);
    const times = [0];
    for (const { sql, bindings } of sent.filter(({ sql }) => sql.includes('score_flags'))) {
      const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, bindings);
      times.push(rows[0]['QUERY PLAN'][0]['Execution Time']);
    }
    return Math.round(Math.max(...times));
  };
  const page = (filter: Data | null) => async () => {
    const { nodes, pageInfo } = await queue(filter, { first: 40 });
    expect([nodes.length, pageInfo.hasNextPage]).toEqual([40, true]);
  };
  const times = {
    all: await timed(page(null)),
    game: await timed(page({ gameId: game.id })),
    low: await timed(page({ confidence: 'LOW' })),
    board: await timed(page({ boardId: board.id, confidence: 'HIGH' })),
    count: await timed(async () => {
      const { scoreFlags } = await studio.admin.data(
        '{ scoreFlags(filter: {status: PENDING}) { totalCount { value } } }',
      );
      expect(scoreFlags.totalCount.value).toBeGreaterThanOrEqual(1_000);
    }),
  };
  process.stdout.write(`milliseconds in Postgres with 100,000 open flags: ${JSON.stringify(times)}\n`);
});
