import 'reflect-metadata';
import type { Database } from '../../src/db/pool.js';
import { BoardSpreads } from '../../src/fairplay/board-spreads.js';
import type { Crowd } from '../../src/fairplay/outlier.js';
import { uuidOf } from '../../src/ids.js';
import { makeLog } from '../../src/log.js';
import { ingest } from '../../src/scores/ingest.js';
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

/** So many players who have not played before, with a match each. */
async function play(players: number): Promise<void> {
  const identities = await makeIdentities(db.knex, world, players);
  const items = identities.map((id, i) => submissionOf(world, boardId, id, { amount: i, isTest: false }));
  const client = await db.pool.connect();
  await ingest(client, () => now, items).finally(() => client.release());
}

/** What the next batch is held against. */
async function crowd(): Promise<Crowd | undefined> {
  await spreads.refresh(boardId, false);
  const { generation, seq } = await db.knex('board_rankings').where('board_id', uuidOf(boardId)).first();
  return spreads.of(boardId, false, generation, seq);
}

/** Players whose entries, and whose last hours, are known. */
async function known(): Promise<(number | undefined)[]> {
  const { spread, habits } = (await crowd())!;
  return [spread?.entries, habits.gain?.spread.entries];
}

test('entries are looked at when a hundredth is new, habits when a twentieth of the events is or a minute has passed', async () => {
  await play(100);
  expect(await known()).toEqual([100, 100]);
  await play(1);
  // Once a second at most.
  expect(await known()).toEqual([100, 100]);
  now += 1_001;
  expect(await known()).toEqual([101, 100]);
  await play(4);
  now += 1_001;
  // Whoever submits next tells of them.
  expect(await known()).toEqual([101, 100]);
  expect(await known()).toEqual([105, 100]);
  await play(2);
  await known();
  now += 1_001;
  expect(await known()).toEqual([107, 107]);
  await play(1);
  await known();
  now += 60_000;
  expect(await known()).toEqual([108, 108]);
});

test('a board by other rules has other habits at once', async () => {
  await play(100);
  expect((await crowd())!.habits).toHaveProperty('gain');
  await play(2);
  await crowd();
  await changeRules(db.knex, boardId, RUNS, new Date(now), 1_000);
  now += 1_001;
  expect((await crowd())!.habits).toEqual({ streak: expect.anything() });
});

test('what is known of a board by its rules before is not used', async () => {
  await play(100);
  expect(await crowd()).toBeDefined();
  await changeRules(db.knex, boardId, RUNS, new Date(now), 1_000);
  // Nobody has told of anything new: what is known is looked at before it is read anew.
  expect(await crowd()).toBeUndefined();
  expect((await crowd())!.habits).toEqual({ streak: expect.anything() });
});
