import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { heapInUse } from '../support/hostile/memory.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { standings, submit } from '../support/play.js';
import { expectSound } from '../support/standings.js';
import { expectExactViews } from '../support/views.js';
import { until } from '../support/wait.js';

// Imports beside writers, readers and builds, and the work that their largest chunks take.

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const imports = new ImportClient(() => studio.admin);
const begin = imports.begin.bind(imports);
const send = imports.send.bind(imports);
const read = imports.read.bind(imports);

const best = { keepStrategy: 'BEST', sortDirection: 'DESC' };

test('the progress of an import never falls, also when rules change while its scores are ranked', async () => {
  const board = await makeBoard(studio, game.id, { ...best, views: [{ name: 'yearly', period: 'YEAR' }] });
  const id = uuidOf(board.id);
  const builder = await app.database.pool.connect();
  // The service's own work finds the board busy.
  await builder.query('select pg_advisory_lock(7100002, hashtext($1))', [id]);
  const step = () => builder.query('select advance_build($1, now(), 2, false)', [id]);
  const build = async () => (await app.database.knex('board_rankings').where('board_id', id).first()).build;
  const rank = (rules: Data) =>
    app.database.knex.transaction(async (trx) => {
      await trx('boards').where('id', id).update(rules);
      await trx.raw('select begin_build(?, now())', [id]);
    });

  const imported = await begin(board.id);
  const lines = Array.from({ length: 9 }, (_, n) => `one ${n},${n}`).join('\n');
  await send(imported, 0, `external_key,value\n${lines}`);
  await studio.admin.post(`/v1/imports/${imported}/finish`, {});
  await until(async () => (await build())?.imported > 0);
  const seen: { progress: number; phase: string }[] = [];
  const note = async () => {
    const present = await build();
    if (present) seen.push({ progress: (await read(imported)).progress, phase: present.phase });
    return present?.phase;
  };
  await note();
  while ((await note()) !== 'news') await step();
  await rank({ sort_direction: 'asc' });
  for (let n = 0; n < 2; n += 1) {
    await note();
    await step();
  }
  await rank({ tie_policy: 'dense' });
  while ((await note()) !== 'states') await step();
  await rank({ tie_policy: 'earliest' });
  while ((await note()) !== undefined) await step();
  builder.release(true);
  const shares = seen.map(({ progress }) => progress);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(shares[0]).toBeGreaterThanOrEqual(0.5);
  expect(shares.at(-1)).toBeGreaterThan(0.9);
  expect(seen.filter(({ phase }, n) => phase === 'entries' && seen[n - 1]?.phase !== 'entries')).toHaveLength(
    3,
  );
  await until(async () => (await read(imported)).status === 'finished');
  expect(await read(imported)).toMatchObject({ written: 9, progress: 1 });
  expect((await standings(studio.admin, board.id))[0]).toBe('1 one 0 0');
  await expectSound(app.database, board.id);
});

test('an import while writers follow a build begins it again, and nothing that they wrote is lost', async () => {
  const board = await makeBoard(studio, game.id, { ...best, views: [{ name: 'yearly', period: 'YEAR' }] });
  const id = uuidOf(board.id);
  const players = [await startSession(app, game.id), await startSession(app, game.id)];
  let value = 10;
  const play = async () => {
    for (const player of players) {
      value += 1;
      await submit(player, board.id, value);
    }
  };
  await play();
  const builder = await app.database.pool.connect();
  // The service's own work finds the board busy.
  await builder.query('select pg_advisory_lock(7100002, hashtext($1))', [id]);
  const step = () => builder.query('select advance_build($1, now(), 20, false)', [id]);
  const build = async () => (await app.database.knex('board_rankings').where('board_id', id).first()).build;
  await app.database.knex.transaction(async (trx) => {
    await trx('boards').where('id', id).update({ sort_direction: 'asc', keep_strategy: 'last' });
    await trx.raw('select apply_rules(?, now(), 0)', [id]);
  });
  while ((await build()).phase !== 'news') await step();
  await play();
  while ((await build()).phase === 'news') await step();
  expect((await build()).phase).toBe('follow');
  await play();

  const imported = await begin(board.id);
  await send(imported, 0, 'external_key,value\nold,3\nolder,2');
  await studio.admin.post(`/v1/imports/${imported}/finish`, {});
  await until(async () => (await build()).imported > 0);
  expect((await build()).phase).toBe('entries');
  for (let n = 0; (await build()) !== null && n < 100; n += 1) {
    await step();
    await play();
  }
  builder.release(true);
  await until(async () => (await read(imported)).status === 'finished');
  const [first, second] = [await standings(studio.admin, board.id), value];
  expect(first.map((line) => Number(line.split(' ').at(-1)))).toEqual([2, 3, second - 1, second]);
  await expectSound(app.database, board.id);
  expect(await expectExactViews(app.database, board.id)).toBeGreaterThan(0);
});

test('the board shows the old standings until the new ones are exact, and takes submissions meanwhile', async () => {
  const board = await makeBoard(studio, game.id, best);
  const player = await startSession(app, game.id);
  let value = 100_000;
  await submit(player, board.id, value, { playerName: 'Live' });
  // As an autovacuum does at any time: from now on the planner takes every board for one of a single player.
  await app.database.knex.raw('analyze');
  const id = await begin(board.id);
  const lines = Array.from({ length: 1_200 }, (_, n) => `crowd ${n},${n}`).join('\n');
  await send(id, 0, `external_key,value\n${lines}`);
  const seen = new Set<number>();
  let ended = false;
  const watching = (async () => {
    while (!ended) {
      const { data } = await studio.admin
        .post('/graphql', {
          query: `{ board(by: { id: "${board.id}" }) { ranking { totalCount } } }`,
        })
        .then(({ body }) => body);
      seen.add(data.board.ranking.totalCount);
    }
  })();
  const playing = (async () => {
    while (!ended) {
      value += 1;
      const { score } = await submit(player, board.id, value, { playerName: 'Live' });
      expect(score).toMatchObject({ rank: 1, value });
    }
  })();
  const progress: number[] = [];
  await studio.admin.post(`/v1/imports/${id}/finish`, {});
  await until(async () => {
    const { status, progress: share } = await read(id);
    progress.push(share);
    return status === 'finished';
  });
  ended = true;
  await Promise.all([watching, playing]);
  expect([...seen].filter((count) => count !== 1 && count !== 1_201)).toEqual([]);
  expect(progress).toEqual([...progress].sort((a, b) => a - b));
  expect(progress.at(-1)).toBe(1);
  expect((await standings(studio.admin, board.id)).slice(0, 2)).toEqual([
    `1 Live ${value}`,
    '2 crowd 1199 1199',
  ]);
  await expectSound(app.database, board.id);
});

const wide = (columns: number) =>
  `external_key,value,${Array.from({ length: columns }, (_, n) => `c${n}`).join(',')}\n`;
test.each([
  ['80,000 columns', wide(8_000).padEnd(350_000, 'a,'), 'csv'],
  ['10,000 columns and 100,000 lines', wide(10_000) + 'a\n'.repeat(100_000), 'csv'],
  ['100,000 short lines', `external_key,value\n${'a\n'.repeat(100_000)}`, 'lines'],
  ['a million empty cells', `external_key,value\n${','.repeat(1_000_000)}`, 'csv'],
  // Its line alone is refused.
  ['a quote without an end', `external_key,value\n"${'a\n'.repeat(100_000)}`, 'lines'],
])(
  'a chunk of %s is refused in little memory while other requests are answered',
  async (_, content, type) => {
    const id = await begin((await makeBoard(studio, game.id, best)).id);
    const before = await heapInUse();
    let most = 0;
    let isRefused = false;
    const refusal = send(id, 0, content).finally(() => {
      isRefused = true;
    });
    while (!isRefused) {
      await read(id);
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    }
    const { status, body } = await refusal;
    expect([status, body.details[0].type]).toEqual([422, type]);
    expect(most).toBeLessThan(100 * 2 ** 20);
    expect(await read(id)).toMatchObject({ chunks: 0, lines: 0 });
  },
);
