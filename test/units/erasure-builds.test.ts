import 'reflect-metadata';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import type { Database } from '../../src/db/pool.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { rowsWith } from '../support/dump.js';
import { isQuick } from '../support/lane.js';
import { expectSound } from '../support/standings.js';
import { declareView, expectExactViews } from '../support/views.js';
import {
  type BoardRules,
  changeRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  submissionOf,
} from '../support/world.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const AT = new Date(NOW);
const MARK = 'a name to be erased';

let testDatabase: TestDatabase;
let db: Database;
let pipeline: SubmissionPipeline;
beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  pipeline = new SubmissionPipeline(
    db,
    () => NOW,
    makeLog('fatal'),
    () => undefined,
    { batch: 5, queue: 1_000, writers: 3 },
  );
});
afterAll(() => testDatabase.drop());

const KINDS: BoardRules[] = [
  { boardType: 'run_runs', keepStrategy: 'all', sortDirection: 'desc' },
  { boardType: 'run_identity', keepStrategy: 'best', sortDirection: 'desc', tiePolicy: 'dense' },
];

describe.each(['keep', 'remove'] as const)('an erasure (%s) in several chunks', (scores) => {
  test.each(['entries', 'tree', 'news', 'follow', 'states', undefined])(
    'ended beside a build in phase %s leaves no name in it',
    async (end) => {
      for (const rules of isQuick ? [KINDS[scores === 'keep' ? 0 : 1]!] : KINDS) {
        for (const viewed of isQuick ? [true] : [false, true]) {
          const world = await makeWorld(db.knex);
          const players = await makeIdentities(db.knex, world, 6);
          const erased = players[2]!;
          await db.knex('identities').where('id', uuidOf(erased)).update({ display_name: MARK });
          const board = await makeBoard(db.knex, world, rules);
          const id = uuidOf(board);
          if (viewed) {
            await declareView(db.knex, board, { name: 'country', period: null, by: ['country'] }, AT);
            await declareView(
              db.knex,
              board,
              { name: 'week', period: 'week', by: [], tiePolicy: 'dense' },
              AT,
            );
          }
          const submit = (player: string, amount: number) =>
            pipeline.submit({
              ...submissionOf(world, board, player, { amount, isTest: false }),
              place: { city: null, country: 'DE', timezone: null },
            });
          for (const [n, player] of players.entries()) await submit(player, n);
          for (const amount of [20, 3, 7, 9, 1]) await submit(erased, amount);
          await changeRules(db.knex, board, { ...rules, sortDirection: 'asc' }, AT, 0);

          const phase = async () =>
            (await db.knex('board_rankings').where('board_id', id).first('build')).build?.phase;
          const step = async (): Promise<string> =>
            (await db.knex.raw('select advance_build(?, ?, 1, false) as outcome', [id, AT])).rows[0].outcome;
          const erase = async (knex = db.knex) =>
            (await knex.raw('select * from advance_erasure(?, ?, 2)', [uuidOf(erased), AT])).rows[0];
          const chunks = async () =>
            (await db.knex('identity_erasures').where('identity_id', uuidOf(erased)).first()).boards?.length;

          await step();
          await db.knex.transaction(async (trx) => {
            await trx.raw('select erase_player(?, ?)', [uuidOf(erased), AT]);
            await trx('identities')
              .where('id', uuidOf(erased))
              .update({ keeps_scores: scores === 'keep' });
            await trx('identity_erasures').insert({
              ...{ identity_id: uuidOf(erased), account_id: uuidOf(world.accountId) },
              ...{ game_id: uuidOf(world.gameId), scores, status: 'running' },
              ...{ leased_until: AT, created_at: AT },
            });
          });
          await erase();
          // While a chunk is open, no step reads the events that it overwrites.
          await db.knex.transaction(async (trx) => {
            await erase(trx as unknown as typeof db.knex);
            expect(await step()).toBe('busy');
          });
          expect([await chunks(), await phase()]).toEqual([1, 'entries']);
          for (let i = 0; (await phase()) !== end && i < 60; i += 1) {
            await step();
            if ((await phase()) === 'news') await submit(players[4]!, i);
          }
          expect(await phase()).toBe(end);
          for (let i = 0; (await chunks()) !== 0 && i < 10; i += 1) await erase();
          for (let i = 0; (await phase()) && i < 60; i += 1) await step();
          for (let i = 0; !(await erase()).finished && i < 20; i += 1);

          expect(await rowsWith(db, MARK)).toEqual([]);
          await expectSound(db, board);
          expect(await expectExactViews(db, board)).toBeGreaterThanOrEqual(viewed ? 5 : 0);
          const served = await db
            .knex('entries')
            .where({ board_id: id, identity_id: uuidOf(erased), generation: 2 });
          expect(served.every(({ player_name }) => player_name === 'deleted player')).toBe(true);
          expect(served.length > 0).toBe(scores === 'keep');
        }
      }
    },
  );
});
