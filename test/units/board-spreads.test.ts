import 'reflect-metadata';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import type { Database } from '../../src/db/pool.js';
import { BoardSpreads } from '../../src/fairplay/checks/board-spreads.js';
import type { BoardStatistics } from '../../src/fairplay/checks/checks.js';
import { ingest } from '../../src/submissions/ingest.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import {
  type BoardRules,
  changeRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  submissionOf,
  type World,
} from '../support/world.js';

const COUNTER: BoardRules = { boardType: 'counter', sortDirection: 'desc', keepStrategy: 'all' };
const RUNS: BoardRules = { boardType: 'run_identity', sortDirection: 'desc', keepStrategy: 'best' };
const START = Date.parse('2026-03-01T12:00:00Z');

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let boardId: string;
let spreads: BoardSpreads;
let now: number;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
});
afterAll(() => testDatabase.drop());

beforeEach(async () => {
  now = START;
  world = await makeWorld(db.knex);
  await db.knex('games').where('id', uuidOf(world.gameId)).update({ anti_cheat_enabled: true });
  boardId = await makeBoard(db.knex, world, COUNTER);
  spreads = new BoardSpreads(db.pool, () => now, makeLog('silent'));
});

/** The spreads that the next batch is compared with. */
async function crowd(submissions = 1): Promise<BoardStatistics | undefined> {
  await spreads.refresh(boardId, false);
  const { generation, seq } = await db.knex('board_rankings').where('board_id', uuidOf(boardId)).first();
  let found: BoardStatistics | undefined;
  for (let i = 0; i < submissions; i += 1) found = spreads.of(boardId, false, generation, seq);
  return found;
}

/**
 * A batch of so many players who have not played before, with a match each.
 * @returns of how many players the entries, and the last hours, are known that it is held against
 */
async function play(count: number): Promise<(number | undefined)[]> {
  const { spread, players } = (await crowd(count))!;
  const identities = await makeIdentities(db.knex, world, count);
  const items = identities.map((id, i) => submissionOf(world, boardId, id, { amount: i, isTest: false }));
  const client = await db.pool.connect();
  await ingest(client, () => now, items).finally(() => client.release());
  return [spread?.entries, players.gain?.spread.entries];
}

test('entries are read when a hundredth is new, player statistics after a twentieth of new events or a minute', async () => {
  expect(await play(100)).toEqual([undefined, undefined]);
  // Once a second at most.
  expect(await play(1)).toEqual([undefined, undefined]);
  now += 1_001;
  expect(await play(1)).toEqual([101, 101]);
  now += 1_001;
  expect(await play(1)).toEqual([101, 101]);
  now += 1_001;
  expect(await play(4)).toEqual([103, 101]);
  now += 1_001;
  expect(await play(1)).toEqual([107, 107]);
  now += 1_001;
  expect(await play(1)).toEqual([107, 107]);
  now += 60_000;
  expect(await play(1)).toEqual([109, 109]);
});

test('a board with new rules has new player statistics at once', async () => {
  await play(100);
  now += 1_001;
  expect((await crowd())!.players).toHaveProperty('gain');
  await play(2);
  await crowd();
  await changeRules(db.knex, boardId, RUNS, new Date(now), 1_000);
  now += 1_001;
  expect((await crowd())!.players).toEqual({ streak: expect.anything() });
});

test("statistics of a board's former rules are not used", async () => {
  await play(100);
  now += 1_001;
  expect(await crowd()).toBeDefined();
  await changeRules(db.knex, boardId, RUNS, new Date(now), 1_000);
  // Once a second at most: what is known is looked at before it is read anew.
  expect(await crowd()).toBeUndefined();
  expect((await crowd())!.players).toEqual({ streak: expect.anything() });
});
