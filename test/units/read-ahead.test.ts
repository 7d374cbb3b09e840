import { auditedWrite, workOf } from '../../src/graphql/author.js';
import 'reflect-metadata';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { closeBoards, lockRankings } from '../../src/boards/board/ranking.js';
import type { Database } from '../../src/db/pool.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { BoardHead } from '../../src/submissions/decide/decide.js';
import type { Outcome, Submission } from '../../src/submissions/facts/submission.js';
import { type FactsReading, ingest } from '../../src/submissions/ingest.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import {
  type BoardRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  ruleOn,
  submissionOf,
  type World,
} from '../support/world.js';

const RULES: BoardRules = { boardType: 'run_identity', sortDirection: 'desc', keepStrategy: 'best' };
const CHANGED = '40LB2';

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let board: string;
let ann: string;
let bob: string;
let now = Date.parse('2026-03-01T12:00:00Z');
const clock = () => now;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
});
afterAll(() => testDatabase.drop());

beforeEach(async () => {
  now += 60_000;
  world = await makeWorld(db.knex);
  board = await makeBoard(db.knex, world, RULES);
  [ann, bob] = (await makeIdentities(db.knex, world, 2)) as [string, string];
});

const run = (player: string, amount: number): Submission =>
  submissionOf(world, board, player, { amount, isTest: false });

async function withClient<T>(work: (client: Parameters<typeof ingest>[0]) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

const write = (items: Submission[], reading?: FactsReading) =>
  withClient((client) => ingest(client, clock, items, undefined, reading));

/** Reads for a batch, and lets something happen before the batch goes on. */
function reading(meanwhile: () => Promise<unknown>): FactsReading {
  const query = async (asked: never) => {
    const answer = await db.pool.query(asked);
    await meanwhile();
    return answer;
  };
  return { mode: 'reading', reader: { query } as never };
}

const events = async () =>
  (await db.knex('score_events').where('board_id', uuidOf(board)).orderBy('seq')).map(({ amount }) => amount);

/** @returns its bare uuid */
async function makeDevice(identity: string): Promise<string> {
  const id = uuid7();
  const at = new Date(now);
  await db.knex('devices').insert({
    id,
    account_id: uuidOf(world.accountId),
    game_id: uuidOf(world.gameId),
    identity_id: uuidOf(identity),
    client_fingerprint: id,
    platform: '',
    status: 'active',
    metadata: {},
    first_seen_at: at,
    last_seen_at: at,
    created_at: at,
    updated_at: at,
  });
  return id;
}

test.each<[string, (prepared: string) => Promise<unknown>]>([
  ['another process writes to the board', () => write([run(bob, 7)])],
  [
    'its player is deleted',
    () =>
      db
        .knex('identities')
        .where('id', uuidOf(ann))
        .update({ deleted_at: new Date(now) }),
  ],
  ['a device of its game is blocked', (id) => db.knex('devices').where({ id }).update({ status: 'banned' })],
  [
    'the board is closed',
    () =>
      auditedWrite({ ...workOf('job', 'test', new Date(now)), db: db.knex }, async (trx) => {
        await lockRankings(trx, [uuidOf(board)]);
        await closeBoards(trx, [uuidOf(board)], null, new Date(now));
      }),
  ],
  [
    'its game is deleted',
    () =>
      db
        .knex('games')
        .where('id', uuidOf(world.gameId))
        .update({ deleted_at: new Date(now) }),
  ],
  [
    'its account is suspended',
    () => db.knex('accounts').where('id', uuidOf(world.accountId)).update({ status: 'suspended' }),
  ],
])('a batch is not written when %s after it was read for', async (_what, happens) => {
  const device = await makeDevice(bob);
  await expect(
    write(
      [run(ann, 5)],
      reading(() => happens(device)),
    ),
  ).rejects.toMatchObject({ code: CHANGED });
  expect(await events()).not.toContain(5);
  expect(await verifyBoard(db, board)).toEqual([]);
});

test('a batch is not written when an event was ruled on; writes elsewhere and renames do not matter', async () => {
  const first = run(ann, 3);
  await write([first]);
  const rule = () =>
    ruleOn(
      db.knex,
      board,
      { eventId: uuidOf(first.eventId), identityId: uuidOf(ann) },
      'exclude',
      new Date(now),
    );
  await expect(write([run(ann, 5)], reading(rule))).rejects.toMatchObject({ code: CHANGED });
  const other = await makeBoard(db.knex, world, RULES);
  const device = await makeDevice(bob);
  const elsewhere = async () => {
    await write([submissionOf(world, other, bob, { amount: 1, isTest: false })]);
    await db
      .knex('devices')
      .where('id', device)
      .update({ last_seen_at: new Date(now + 1) });
    await db.knex('identities').where('id', uuidOf(bob)).update({ display_name: 'Bob' });
  };
  const [outcome] = (await write([run(ann, 5)], reading(elsewhere))) as Outcome[];
  expect(outcome!.score).toMatchObject({ rank: 1, value: 5 });
});

test('a batch sent behind another is decided on its result, and fails with it', async () => {
  await withClient(async (client) => {
    const begin = (items: Submission[], head?: BoardHead) => {
      let resolveHead: (head: BoardHead) => void;
      const sent = new Promise<BoardHead>((resolve) => {
        resolveHead = resolve;
      });
      const reading = { mode: 'reading' as const, reader: db.pool };
      const link = { head, decided: (left: BoardHead) => resolveHead(left), sent: () => undefined };
      const results = ingest(client, clock, items, undefined, reading, link);
      results.catch(() => undefined);
      return { sent, results };
    };
    const first = begin([run(ann, 5)]);
    const second = begin([run(bob, 7)], await first.sent);
    const left = await second.sent;
    expect(left).toMatchObject({ seq: 2, version: 2 });
    expect(((await first.results)[0] as Outcome).score.rank).toBe(1);
    expect(((await second.results)[0] as Outcome).score.rank).toBe(1);
    expect(await events()).toEqual([5, 7]);

    // One that writes nothing leaves what it has found, and nothing else of the board.
    const refused = begin([submissionOf(world, board, `ide_${uuid7()}`, { amount: 1, isTest: false })]);
    expect(await refused.sent).toEqual(left);

    // Another process' batch of the same size comes in between: the state on which the second was decided never exists.
    const third = ingest(
      client,
      clock,
      [run(ann, 6)],
      undefined,
      reading(() => write([run(bob, 8)])),
    );
    await expect(third).rejects.toMatchObject({ code: CHANGED });
    const never = { ...left, seq: left.seq + 1, version: left.version + 1, newest_batch: uuid7() };
    const fourth = begin([run(ann, 9)], never);
    await expect(fourth.results).rejects.toMatchObject({ code: CHANGED });
  });
  expect(await events()).toEqual([5, 7, 8]);
  expect(await verifyBoard(db, board)).toEqual([]);
});

test('through batchers of two processes that write to one board at once, nothing is lost, refused or written twice', async () => {
  const players = await makeIdentities(db.knex, world, 40);
  const batchers = [0, 1].map(
    () =>
      new SubmissionPipeline(testDatabase.open(), clock, makeLog('silent'), () => undefined, {
        batch: 8,
        queue: 10_000,
        writers: 2,
      }),
  );
  const play = async (player: string, n: number) => {
    for (let i = 0; i < 10; i += 1) await batchers[(n + i) % 2]!.submit(run(player, n * 10 + i));
  };
  await Promise.all(players.map(play));
  await Promise.all(batchers.map((pipeline) => pipeline.close()));
  expect((await events()).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i));
  expect(await verifyBoard(db, board)).toEqual([]);
});
