import 'reflect-metadata';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import type { Database } from '../../src/db/pool.js';
import { ownAddress } from '../../src/rankings/address.js';
import { type CachedWindow, PageCache, WindowReads } from '../../src/rankings/pages.js';
import { placeholderAt, type Score } from '../../src/rankings/score.js';
import { windowAfter, windowAroundScore, windowFromRank } from '../../src/rankings/window.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
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

// Pages are read again when the board has changed, and only then: the same objects are the proof that nothing was read.

const RULES: BoardRules = { boardType: 'run_identity', keepStrategy: 'best', sortDirection: 'desc' };

let testDatabase: TestDatabase;
let db: Database;
let windows: WindowReads;
let pipeline: SubmissionPipeline;
let world: World;
let players: string[];
const now = Date.parse('2026-03-01T12:00:00Z');

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  windows = new WindowReads(db.pool);
  const options = { batch: 5, queue: 100, writers: 1 };
  pipeline = new SubmissionPipeline(
    testDatabase.open(),
    () => now,
    makeLog('silent'),
    () => undefined,
    options,
  );
  world = await makeWorld(db.knex);
  players = await makeIdentities(db.knex, world, 4);
});
afterAll(() => testDatabase.drop());

/** A board with three players' runs: 30, 20, 10. */
async function playedBoard() {
  const boardId = await makeBoard(db.knex, world, RULES);
  const submit = async (player: number, amount: number, isTest = false) => {
    const submission = submissionOf(world, boardId, players[player]!, { amount, isTest });
    await pipeline.submit(submission);
    return uuidOf(submission.eventId);
  };
  const events: string[] = [];
  for (const [player, amount] of [30, 20, 10].entries()) events.push(await submit(player, amount));
  const top = async (limit = 2) =>
    (await windowAfter(windows, ownAddress(boardId), false, undefined, limit, 'all')).scores;
  return { boardId, submit, top, events };
}

const ranksAndValues = (scores: Score[]) => scores.map(({ rank, value }) => [rank, value]);

/** The second reading is cached. */
async function remembered(read: () => Promise<Score[]>): Promise<Score[]> {
  await read();
  const kept = await read();
  expect((await read()).map((score, i) => score === kept[i])).toEqual(kept.map(() => true));
  return kept;
}

test('a repeated window is not read again until its board has changed', async () => {
  const { top, submit } = await playedBoard();
  expect((await top())[0]).not.toBe((await top())[0]);
  expect(ranksAndValues(await remembered(top))).toEqual([
    [1, 30],
    [2, 20],
  ]);
  await submit(2, 40);
  const changed = await top();
  expect(ranksAndValues(changed)).toEqual([
    [1, 40],
    [2, 30],
  ]);
  expect((await top())[0]).toBe(changed[0]);
});

test('windows of all kinds are cached by their arguments', async () => {
  const { boardId, submit, top } = await playedBoard();
  const [, second, third] = await remembered(() => top(3));
  const around = async () =>
    (await windowAroundScore(windows, ownAddress(boardId), false, second!.id, 2, 'all'))?.scores ?? [];
  const beyond = async () =>
    (await windowAroundScore(windows, ownAddress(boardId), false, third!.id, 3, 'all'))?.scores ?? [];
  const from = async () => (await windowFromRank(windows, ownAddress(boardId), false, 3, 5, 'all')).scores;
  expect(ranksAndValues(await remembered(around))).toEqual([
    [1, 30],
    [2, 20],
  ]);
  expect(ranksAndValues(await remembered(beyond))).toEqual([
    [1, 30],
    [2, 20],
    [3, 10],
  ]);
  expect(ranksAndValues(await remembered(from))).toEqual([[3, 10]]);
  await submit(3, 25);
  expect(ranksAndValues(await around())).toEqual([
    [2, 25],
    [3, 20],
  ]);
  expect(ranksAndValues(await from())).toEqual([
    [3, 20],
    [4, 10],
  ]);
  expect(ranksAndValues(await top(3))).toEqual([
    [1, 30],
    [2, 25],
    [3, 20],
  ]);
});

test('a review, other rules and the other population change a board as submissions do', async () => {
  const { boardId, submit, top, events } = await playedBoard();
  await remembered(top);
  await ruleOn(
    db.knex,
    boardId,
    { eventId: events[0]!, identityId: uuidOf(players[0]!) },
    'exclude',
    new Date(now),
  );
  expect(ranksAndValues(await remembered(top))).toEqual([
    [1, 20],
    [2, 10],
  ]);
  await changeRules(db.knex, boardId, { ...RULES, sortDirection: 'asc' }, new Date(now), 100);
  expect(ranksAndValues(await remembered(top))).toEqual([
    [1, 10],
    [2, 20],
  ]);
  const test = async () =>
    (await windowAfter(windows, ownAddress(boardId), true, undefined, 2, 'all')).scores;
  expect(await remembered(test)).toEqual([]);
  await submit(3, 5, true);
  expect(ranksAndValues(await test())).toEqual([[1, 5]]);
  expect(ranksAndValues(await top())).toEqual([
    [1, 10],
    [2, 20],
  ]);
});

test('a score that has left its board is not found around itself', async () => {
  const { boardId, top, events } = await playedBoard();
  const [first] = await top();
  const around = () => windowAroundScore(windows, ownAddress(boardId), false, first!.id, 2, 'all');
  expect(await remembered(async () => (await around())?.scores ?? [])).toHaveLength(2);
  const removed = { eventId: events[0]!, identityId: uuidOf(players[0]!) };
  await ruleOn(db.knex, boardId, removed, 'exclude', new Date(now));
  expect(await around()).toBeUndefined();
});

test('the cache is empty after a connection was lost', async () => {
  const { top } = await playedBoard();
  const [kept] = await remembered(top);
  const lost = new Promise((resolve) => db.pool.once('remove', resolve));
  await db.knex.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name = 'leaderboard scores'`,
  );
  await lost;
  expect((await top())[0]).not.toBe(kept);
});

const score = placeholderAt({ id: 'brd', accountId: 'acc', gameId: 'gam' }, false, 1, new Date(now));

const pageOf = (size: number, version = 1): CachedWindow => ({
  scores: Array.from({ length: size }, () => score),
  keys: [],
  entryCount: size,
  version,
  seq: 0,
  tiePolicy: 'earliest',
  sortDirection: 'desc',
});

test('memory is bounded, pages by their scores, names by their number; entries in use stay', () => {
  const pages = new PageCache();
  const addTwice = (name: string) => {
    pages.add(name, pageOf(100));
    pages.add(name, pageOf(100));
  };
  addTwice('asked for');
  for (let n = 0; n < 250; n += 1) {
    addTwice(`page ${n}`);
    expect(pages.get('asked for')).toBeDefined();
  }
  const kept = Array.from({ length: 250 }, (_, n) => n).filter((n) => pages.get(`page ${n}`));
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([199, 51, 249]);
  pages.add('page 249', pageOf(100, 2));
  expect(pages.get('page 249')?.version).toBe(2);
  expect(pages.get('page 51')).toBeDefined();

  pages.add('once', pageOf(1));
  for (let n = 0; n < 5_000; n += 1) pages.add(`name ${n}`, pageOf(1));
  pages.add('once', pageOf(1));
  expect(pages.get('once')).toBeUndefined();
  pages.add('name 4999', pageOf(1));
  expect(pages.get('name 4999')).toBeDefined();
  pages.clear();
  expect(pages.get('asked for')).toBeUndefined();
});

test('windows beyond the end of a board count, too, so that reading them does not grow the cache', () => {
  const pages = new PageCache();
  for (let n = 0; n < 20_050; n += 1) {
    for (const _time of [1, 2]) pages.add(`beyond ${n}`, pageOf(0));
  }
  const cached = Array.from({ length: 20_050 }, (_, n) => n).filter((n) => pages.get(`beyond ${n}`));
  expect([cached.length, cached[0]]).toEqual([20_000, 50]);
});
