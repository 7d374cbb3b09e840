import 'reflect-metadata';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import type { Database } from '../../src/db/pool.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { isQuick } from '../support/lane.js';
import { boardText, expectSound } from '../support/standings.js';
import { declareView } from '../support/views.js';
import {
  type BoardRules,
  changeRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  ruleOn,
  submissionOf,
  type World,
} from '../support/world.js';

let testDatabase: TestDatabase;
let db: Database;
let pipelines: SubmissionPipeline[];
let world: World;
let now = Date.parse('2026-03-01T12:00:00Z');

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  const log = makeLog('fatal');
  pipelines = [1, 2].map(
    () =>
      new SubmissionPipeline(
        testDatabase.open(),
        () => now,
        log,
        () => undefined,
        { batch: 5, queue: 10_000, writers: 3 },
      ),
  );
  world = await makeWorld(db.knex);
});
afterAll(() => testDatabase.drop());

const RULES: BoardRules[] = (['best', 'last', 'first', 'all'] as const).flatMap((keepStrategy) =>
  (['asc', 'desc'] as const).map((sortDirection, n) => ({
    boardType: keepStrategy === 'all' ? ('run_runs' as const) : ('run_identity' as const),
    keepStrategy,
    sortDirection,
    tiePolicy: (['latest', 'dense', 'earliest', 'competition'] as const)[(n + keepStrategy.length) % 4]!,
  })),
);

/** Each change of rules; in the quick lane one to each kind of ranking and one from it. */
const CHANGES = RULES.flatMap((from, n) =>
  RULES.filter((to, m) => (isQuick ? m === (n + 3) % RULES.length : to !== from)).map((to) => ({ from, to })),
);

test.each(isQuick ? [true] : [false, true])(
  'what is built follows submissions by its own rules until it is served (views: %s)',
  async (viewed) => {
    let followed = 0;
    for (const { from, to } of CHANGES) {
      const board = await makeBoard(db.knex, world, from);
      const id = uuidOf(board);
      if (viewed) {
        await declareView(db.knex, board, { name: 'day', period: 'day', by: [] }, new Date(now));
        await declareView(
          db.knex,
          board,
          { name: 'land', period: null, by: ['country'], tiePolicy: 'dense' },
          new Date(now),
        );
      }
      const players = await makeIdentities(db.knex, world, 5);
      const submit = (n: number, amount: number, country: string | null = 'DE') =>
        pipelines[(n + amount) % 2]!.submit({
          ...submissionOf(world, board, players[n]!, { amount, isTest: false }),
          place: { city: null, country, timezone: null },
        });
      const phase = async () =>
        (await db.knex('board_rankings').where('board_id', id).first('build')).build?.phase;
      const step = async () =>
        (await db.knex.raw('select advance_build(?, ?, 20, false) as outcome', [id, new Date(now)])).rows[0]
          .outcome;
      for (const n of [0, 1, 2, 3]) await submit(n, 5);
      await changeRules(db.knex, board, to, new Date(now), 0);
      while ((await phase()) !== 'news') await step();
      for (const n of [0, 1, 2]) await submit(n, 3 + n);
      while ((await phase()) === 'news') await step();
      if ((await phase()) === 'follow') followed += 1;
      now += 90_000_000;
      // Caches of both processes are warm; new players, a new day and a new country begin rankings.
      for (const n of [3, 0, 4]) await submit(n, 4, n === 4 ? 'FR' : 'DE');
      for (const n of [3, 0, 4]) await submit(n, 7);
      await step();
      for (const n of [3, 1, 4]) await submit(n, 2);
      const event = await db
        .knex('score_events')
        .where({ board_id: id, identity_id: uuidOf(players[3]!) })
        .orderBy('seq')
        .first();
      await ruleOn(
        db.knex,
        board,
        { eventId: event.id, identityId: uuidOf(players[3]!) },
        'exclude',
        new Date(now),
      );
      for (const n of [3, 1, 2]) await submit(n, 9);
      while ((await step()) !== 'turned') for (const n of [3, 1]) await submit(n, 6);
      for (const n of [0, 3, 4]) await submit(n, 1);
      while ((await phase()) !== undefined) await step();
      expect((await boardText(db, board)).length).toBeGreaterThan(3);
      await expectSound(db, board);
    }
    expect(followed).toBe(CHANGES.length);
  },
  300_000,
);
