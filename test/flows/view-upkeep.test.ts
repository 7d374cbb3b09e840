import { uuidOf } from '../../src/base/ids.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import { byHand } from '../support/follow-guard.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import {
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { submit, tagsOf, takeNonce } from '../support/play.js';
import { expectSound } from '../support/standings.js';
import { declareView, expectExactViews, storedRankings } from '../support/views.js';
import { until } from '../support/wait.js';
import { changeRules } from '../support/world.js';

const DAY = 86_400_000;

let app: TestApp;
let studio: Studio;
let game: Data;
let imports: ImportClient;
beforeAll(async () => {
  app = await startApp({ groupsPerView: 3 });
  imports = new ImportClient(() => studio.admin);
});
afterAll(() => app.close());
beforeEach(async () => {
  studio = await makeStudio(app);
  game = await makeGame(studio);
});

const VIEWS = [
  { name: 'daily', period: 'DAY', keepPeriods: 2 },
  { name: 'weekly', period: 'WEEK' },
  { name: 'country', by: ['country'], tiePolicy: 'DENSE' },
  { name: 'class', by: ['class'] },
];
const RULES = { boardType: 'run_identity', keepStrategy: 'best' } as const;
const DECLARED = { dimensions: [{ name: 'class' }], views: VIEWS };

async function makePlayer(): Promise<string> {
  const { createIdentity } = await studio.admin.data(
    'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { identity { id } } }',
    { input: { gameId: game.id, kind: 'CUSTOM', externalKey: `player ${unique()}` } },
  );
  return createIdentity.identity.id;
}

const CREATE =
  'mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { submission { kept } } }';

async function play(boardId: string, identityId: string, value: number, more: Data = {}): Promise<void> {
  const input = { boardId, identityId, value, playerName: 'P', ...more, tags: tagsOf(more.tags) };
  await studio.admin.data(CREATE, { input });
}

async function change(id: string, input: Data): Promise<void> {
  await studio.admin.data(
    'mutation ($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id } } }',
    { input: { id, ...input } },
  );
}

test('imported scores are in the periods in which they occurred, of views declared before and after', async () => {
  const before = await makeBoard(studio, game.id, DECLARED);
  const after = await makeBoard(studio, game.id, { dimensions: DECLARED.dimensions });
  const player = await makePlayer();
  const at = (days: number) => new Date(app.clock.now() - days * DAY).toISOString();
  const csv = ['identity_kind,external_key,player_name,value,occurred_at']
    .concat([`custom,a,A,10,${at(40)}`, `custom,b,B,20,${at(40)}`, `custom,a,A,5,${at(3)}`])
    .join('\n');
  for (const { id } of [before, after]) {
    await play(id, player, 7, { country: 'DE', tags: { class: 'mage' } });
    await imports.bringIn(id, [csv]);
    await play(id, player, 8, { country: 'FR', tags: { class: 'mage' } });
  }
  await change(after.id, DECLARED);
  for (const { id } of [before, after]) {
    await expectExactViews(app.database, id);
    await expectSound(app.database, id);
  }
  const rankings = await Promise.all([before, after].map(({ id }) => storedRankings(app.database, id)));
  const sizes = rankings.map((of) => [...of.values()].map((lines) => lines.length).sort());
  expect(sizes[0]).toEqual(sizes[1]);
  // Days: three with scores; weeks: three; two countries, one class.
  expect(sizes[0]!.length).toBeGreaterThanOrEqual(8);
});

test('old periods keep podium and total, and are not ranked again; a dropped view leaves nothing behind', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  const players = [await makePlayer(), await makePlayer()];
  for (let day = 0; day < 4; day += 1) {
    await play(board.id, players[0]!, day + 1);
    await play(board.id, players[1]!, 10 - day);
    app.clock.advance(DAY);
  }
  const of = { board_id: uuidOf(board.id) };
  await until(
    async () => (await app.database.knex('rankings').where({ ...of, status: 'dropped' })).length === 2,
  );
  const dropped = await app.database
    .knex('rankings')
    .where({ ...of, status: 'dropped' })
    .orderBy('ranking_no', 'desc');
  expect(
    dropped.map(({ total_at_drop, podium }) => [total_at_drop, podium.map(({ value }: Data) => value)]),
  ).toEqual([
    [2, [10, 1]],
    [2, [9, 2]],
  ]);
  await app.database.knex.raw('select rederive(?, ?::uuid[], now())', [
    uuidOf(board.id),
    players.map(uuidOf),
  ]);
  expect(await app.database.knex('rankings').where({ ...of, status: 'dropped' })).toHaveLength(2);
  await expectExactViews(app.database, board.id);

  // Nor by an import, which says how many of its scores that concerns: the first two, of dropped days.
  const at = (days: number) => new Date(app.clock.now() - days * DAY).toISOString();
  const csv = [
    'external_key,value,occurred_at',
    `a,1,${at(4)}`,
    `b,2,${at(3)}`,
    `a,3,${at(1)}`,
    `c,4,${at(9)}`,
    'd,5,',
  ];
  const done = await imports.bringIn(board.id, [csv.join('\n')]);
  expect(done).toMatchObject({ written: 5, in_dropped_periods: 2 });
  expect(
    await app.database.knex('rankings').where({ ...of, status: 'dropped', view_no: 1 }),
  ).not.toHaveLength(0);
  const known = await imports.bringIn(board.id, [csv.join('\n')]);
  expect(known).toMatchObject({ written: 0, known: 5, in_dropped_periods: 0 });
  await expectExactViews(app.database, board.id);

  await change(board.id, { views: VIEWS.slice(1, 3) });
  await until(async () => (await app.database.knex('board_views').where(of)).length === 2);
  app.clock.advance(60_000);
  await until(async () => (await app.database.knex('generations_due').where(of)).length === 0);
  const left = await app.database.knex.raw(
    `select from entries e where e.board_id = ? and e.generation < 0
       and not exists (select from rankings r where r.board_id = e.board_id and r.generation = e.generation and r.status = 'live')`,
    [uuidOf(board.id)],
  );
  expect(left.rows).toEqual([]);
  await expectExactViews(app.database, board.id);
});

test('an erased player leaves rankings by tags, and keeps its places in periods without a name', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  const [gone, other] = [await makePlayer(), await makePlayer()];
  await play(board.id, gone, 7, { country: 'DE', tags: { class: 'mage' } });
  await play(board.id, other, 9, { country: 'DE', tags: { class: 'mage' } });
  await studio.admin.data(
    'mutation ($input: EraseIdentityInput!) { eraseIdentity(input: $input) { erasure { status } } }',
    { input: { id: gone, scores: 'KEEP' } },
  );
  await until(
    async () => (await app.database.knex('identity_erasures').where({ status: 'running' })).length === 0,
  );
  const names = await app.database
    .knex('entries')
    .where({ board_id: uuidOf(board.id), identity_id: uuidOf(gone) });
  // The board, the day, the week.
  expect(names.map(({ player_name }) => player_name)).toEqual(Array(3).fill('deleted player'));
  await expectExactViews(app.database, board.id);
  await expectSound(app.database, board.id);
});

test('a submission whose period was not written ahead waits for it', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  const player = await makePlayer();
  await play(board.id, player, 1);
  app.clock.advance(400 * DAY);
  await play(board.id, player, 2);
  // The first day and the first week are not kept by then: the job may have dropped both already.
  expect(await expectExactViews(app.database, board.id)).toBeGreaterThanOrEqual(2);
});

test('a platform is ranked by its valid form, and never makes a read fail', async () => {
  const declared = { views: [{ name: 'platform', by: ['platform'] }] };
  const [fast, built] = [await makeBoard(studio, game.id, declared), await makeBoard(studio, game.id)];
  const named: [string, string | null][] = [
    ['x ', 'x'],
    ['PC: Steam,  2', 'PC Steam 2'],
    ['iOS  17', 'iOS  17'],
    [' :, ', null],
    ['', null],
    ['\u200b', null],
    ['\u3164: \u2800', null],
  ];
  const read = `query ($id: ID!) { board(by: { id: $id }) { view(name: "platform") { groups { nodes { key totalCount } } }
    entriesOf(identityId: "me") { rank ranking { tags { name value } } } ranking { entry(identityId: "me") { rank } } } }`;
  const list =
    'query ($id: ID!, $where: [TagInput!]) { board(by: { id: $id }) { ranking(view: "platform", where: $where) { totalCount } } }';
  for (const [platform, valid] of named) {
    const player = await startSession(app, game.id, { platform });
    await submit(player, built.id, 1);
    const nonce = await takeNonce(player.client);
    const input = { board_id: fast.id, player_name: 'P', value: 1 };
    const path = '/v1/client/scores?standings=all';
    const { status, body } = await player.client.with({ 'service-client-nonce': nonce }).post(path, input);
    const where = valid === null ? null : { platform: valid };
    expect(status).toBe(201);
    expect(body.standings).toMatchObject([
      { where, rank: where && 1, state: where ? 'ranked' : 'not_ranked' },
    ]);
    const { board } = await player.client.data(read, { id: fast.id });
    expect(board).toMatchObject({
      entriesOf: where ? [{ rank: 1, ranking: { tags: [{ name: 'platform', value: valid }] } }] : [],
      ranking: { entry: { rank: expect.any(Number) } },
    });
    if (!where) continue;
    for (const value of [valid, platform]) {
      const tags = [{ name: 'platform', value }];
      const { ranking } = (await studio.admin.data(list, { id: fast.id, where: tags })).board;
      expect([value, ranking.totalCount]).toEqual([value, 1]);
    }
  }
  await change(built.id, declared);
  for (const { id } of [fast, built]) {
    const { view } = (await studio.admin.data(read.replace(/entriesOf.*/s, '} }'), { id })).board;
    expect(view.groups.nodes.map(({ key }: Data) => key).sort()).toEqual(['PC Steam 2', 'iOS  17', 'x']);
    await expectExactViews(app.database, id);
    await expectSound(app.database, id);
  }
});

test('beyond GROUPS_PER_VIEW groups a submission is not ranked in the view, and nothing else changes', async () => {
  const { id } = await makeBoard(studio, game.id, { ...DECLARED, views: [VIEWS[3]] });
  const create = `mutation ($input: CreateScoreEventsInput!) { createScoreEvents(input: $input) {
    results { ... on Submission { ranks { state rank } } } } }`;
  const states: unknown[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'a', 'd']) {
    const item = {
      boardId: id,
      identityId: await makePlayer(),
      value: 1,
      playerName: 'P',
      tags: tagsOf({ class: name }),
    };
    const { createScoreEvents } = await studio.admin.data(create, { input: { items: [item] } });
    states.push(...createScoreEvents.results.map(({ ranks }: Data) => ranks[0]));
  }
  const [ranked, shut] = [
    { state: 'RANKED', rank: 1 },
    { state: 'TOO_MANY_GROUPS', rank: null },
  ];
  expect(states).toEqual([ranked, ranked, ranked, shut, { ...ranked, rank: 2 }, shut]);
  await expectSound(app.database, id);
});

test('steps of builds have a timeout of their own: the tree of ten million entries is made in one statement', async () => {
  const board = await makeBoard(studio, game.id);
  await play(board.id, await makePlayer(), 5);
  const { knex } = app.database;
  await knex.raw(`create table timeouts as select current_setting('statement_timeout') as seen limit 0`);
  await knex.raw(`create function note_timeout() returns trigger language plpgsql as $$
    begin insert into timeouts values (current_setting('statement_timeout')); return new; end $$`);
  for (const table of ['board_views', 'board_rankings']) {
    await knex.raw(
      `create trigger note_timeout before update on ${table} for each row when (old.build is not null and ` +
        `old.build is distinct from new.build) execute function note_timeout()`,
    );
  }
  await declareView(knex, board.id, { name: 'ever', period: null, by: [] }, new Date(app.clock.now()));
  await until(async () => (await knex('board_views').where('status', 'building')).length === 0);
  await changeRules(knex, board.id, { ...RULES, sortDirection: 'asc' }, new Date(app.clock.now()), 0);
  await until(async () => (await knex('board_rankings').whereNotNull('build')).length === 0);
  expect(await knex('timeouts').distinct('seen')).toEqual([{ seen: '10min' }]);
  await knex.raw('drop trigger note_timeout on board_views; drop trigger note_timeout on board_rankings');
});

test('a process that has cached players writes no view by facts from before writers followed it', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'RUN_IDENTITY', keepStrategy: 'BEST' });
  const players = [1, 2, 3].map(() => startSession(app, game.id));
  const [early, later, last] = (await Promise.all(players)) as [Player, Player, Player];
  const { knex, pool } = app.database;
  const id = uuidOf(board.id);
  const builder = await pool.connect();
  // The service's own work finds the board busy.
  await builder.query('select pg_advisory_lock(7100002, hashtext($1))', [id]);
  const step = async () =>
    (await builder.query('select advance_build($1, now(), 1, false) as outcome', [id])).rows[0].outcome;
  const phase = async () => (await knex('board_views').where('board_id', id).first('build')).build?.phase;
  await declareView(knex, board.id, { name: 'ever', period: null, by: [] }, new Date(app.clock.now()));
  // No submission was refused for a stale cache, after which the process reads anew for a while.
  await knex('board_views').where('board_id', id).update({ status: 'building' });
  for (const player of [early, later, last]) await submit(player, board.id, 1);
  while ((await phase()) !== 'news') expect(await step()).toBe('step');
  for (const player of [early, later]) await submit(player, board.id, 5);
  expect(await step()).toBe('step');
  expect(await phase()).toBe('follow');
  // Not among the players that the build still reads.
  await submit(last, board.id, 3);
  // As many as the process reads anew after that one was refused.
  for (let n = 0; n < 40; n += 1) await submit(last, board.id, 4);
  // Improves what the view has of this player so far.
  await submit(early, board.id, 2);
  expect(await step()).toBe('step');
  await submit(early, board.id, 3);
  expect(await step()).toBe('turned');
  builder.release(true);
  await expectExactViews(app.database, board.id);
  await expectSound(app.database, board.id);
});

test('a check that takes too long is done in smaller parts, and finds what it would have found', async () => {
  const board = await makeBoard(studio, game.id, DECLARED);
  const players = [await makePlayer(), await makePlayer(), await makePlayer()];
  for (const [n, player] of players.entries()) await play(board.id, player, n, { country: 'DE' });
  const { knex } = app.database;
  await knex.raw('alter function verify_views(uuid, uuid, integer) rename to verify_views_in_time');
  await knex.raw(`create function verify_views(b uuid, after uuid, most integer) returns table (upto uuid, faults text[])
    language plpgsql as $$
    begin
      if most > 2 then raise exception 'canceled' using errcode = 'query_canceled'; end if;
      return query select * from verify_views_in_time(b, after, most);
    end $$`);
  // A player whose rename is due, as after its first run, may be shown by another name: until after the second look, a minute later.
  const due = () => knex('renames_due').whereIn('identity_id', players.map(uuidOf));
  await until(async () => {
    app.clock.advance(60_000);
    return (await due()).length === 0;
  });
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
  await byHand(knex, (trx) =>
    trx('entries')
      .where({ board_id: uuidOf(board.id), identity_id: uuidOf(players[2]!) })
      .where('generation', '<', 0)
      .update({ player_name: 'Q' }),
  );
  const faults = await verifyBoard(app.database, board.id);
  expect(faults.length).toBeGreaterThan(0);
  await knex.raw(`drop function verify_views(uuid, uuid, integer);
    alter function verify_views_in_time(uuid, uuid, integer) rename to verify_views`);
  expect(await verifyBoard(app.database, board.id)).toEqual(faults);
});
