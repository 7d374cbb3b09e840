import 'reflect-metadata';
import fc from 'fast-check';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Changes } from '../../src/db/changes.js';
import type { Database } from '../../src/db/pool.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { boardRules } from '../support/board-rules.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { runsOf } from '../support/lane.js';
import { unlessLost } from '../support/lost-deltas.js';
import { setRatio } from '../support/ratio.js';
import { patience, until } from '../support/wait.js';
import {
  changeRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  ruleOn,
  submissionOf,
  type World,
} from '../support/world.js';
import { Follower } from './follower.js';

// Standings that are moved on by what happened, against those that are read: after any history, and how they were come by.

const RUNS = runsOf(25, 4);
const PLAYERS = 8;

let testDatabase: TestDatabase;
let db: Database;
/** Two processes that take submissions. */
let batchers: SubmissionPipeline[];
let world: World;
let players: string[];
let now = Date.parse('2026-03-01T12:00:00Z');
const clock = () => now;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  const log = makeLog('silent');
  batchers = [1, 2].map(
    () =>
      new SubmissionPipeline(testDatabase.open(), clock, log, () => undefined, {
        batch: 5,
        queue: 1_000,
        writers: 2,
      }),
  );
  world = await makeWorld(db.knex);
  players = await makeIdentities(db.knex, world, PLAYERS);
});
afterAll(() => testDatabase.drop());

/** Many ties, and numbers that do not add up exactly. */
const play = fc.record({
  process: fc.nat(1),
  player: fc.nat(PLAYERS - 1),
  isTest: fc.boolean(),
  amount: fc
    .oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 0.2, -0.3, 1e15, -1e15, 5e-324))
    .map((x) => x + 0),
  name: fc.option(fc.constantFrom('Ann', 'Bob', 'Cid'), { nil: undefined }),
});
type Play = typeof play extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('play' as const),
      plays: fc.array(play, { minLength: 1, maxLength: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rule' as const),
      position: fc.nat(),
      effect: fc.constantFrom('exclude' as const, 'include' as const, 'review' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), rules: boardRules }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('watch' as const),
      watched: fc.subarray([...Array(PLAYERS).keys()], { minLength: 1 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const submit = (boardId: string, { process, player, isTest, amount, name: playerName }: Play) =>
  batchers[process]!.submit(submissionOf(world, boardId, players[player]!, { isTest, amount, playerName }));

async function rule(boardId: string, { position, effect }: Extract<Step, { kind: 'rule' }>): Promise<void> {
  const events = await db.knex('score_events').where('board_id', uuidOf(boardId)).orderBy('seq');
  const event = events[position % Math.max(1, events.length)];
  if (!event) return;
  const subject = { eventId: event.id, identityId: event.identity_id };
  await ruleOn(db.knex, boardId, subject, effect, new Date(now));
}

/** A short step of what a board has under way: a player or two. @returns false: nothing was */
async function buildsOn(boardId: string): Promise<boolean> {
  const { rows } = await db.pool.query('select advance_build($1, $2, 2, false) as outcome', [
    uuidOf(boardId),
    new Date(now),
  ]);
  return rows[0].outcome !== 'idle';
}

test('places derived from moves are those that are read, wherever only submissions came', async () => {
  const ways = { moved: 0, read: 0 };
  await fc.assert(
    fc.asyncProperty(boardRules, fc.array(step, { minLength: 2, maxLength: 9 }), async (first, steps) => {
      const boardId = await makeBoard(db.knex, world, first);
      const followers = [false, true].map((isTest) => new Follower(db, boardId, isTest));
      let watched = players;
      for (const follower of followers) expect(await follower.look(watched)).toBe('read');
      /** @param submissions how many came at most since the look before; undefined: something else did */
      const look = async (submissions?: number) => {
        for (const follower of followers) {
          const { version, sharesRanks } = follower;
          const way = await follower.look(watched);
          // So few players may be cheaper to read.
          const isCheap = submissions !== undefined && submissions > watched.length * 16;
          if (submissions !== undefined && !isCheap) {
            expect(way).toBe(sharesRanks || follower.sharesRanks ? 'read' : 'moved');
          }
          if (submissions === undefined && follower.version !== version) expect(way).toBe('read');
          ways[way] += 1;
        }
      };
      for (const step of steps) {
        now += 500;
        if (step.kind === 'watch') {
          watched = step.watched.map((i) => players[i]!);
          await look(0);
        } else if (step.kind === 'play') {
          const playing = Promise.all(step.plays.map((play) => unlessLost(submit(boardId, play))));
          // Among the batches: what was seen in between is what the next look stands on.
          for (const follower of followers) await follower.follow(watched);
          await playing;
          await look(step.plays.length);
        } else if (step.kind === 'rule') {
          await rule(boardId, step);
          await look();
        } else {
          await changeRules(db.knex, boardId, step.rules, new Date(now), 0);
          const inTime = patience('the board to be built');
          while (await buildsOn(boardId)) {
            inTime();
            await look();
          }
        }
      }
    }),
    { numRuns: RUNS },
  );
  expect(ways.moved).toBeGreaterThan(RUNS);
  expect(ways.read).toBeGreaterThan(0);
}, 600_000);

test('places are read after many submissions, and for a ratio', async () => {
  const counter = { boardType: 'counter', keepStrategy: 'all', sortDirection: 'desc' } as const;
  const [left, right] = [await makeBoard(db.knex, world, counter), await makeBoard(db.knex, world, counter)];
  const ratio = await makeBoard(db.knex, world, { ...counter, boardType: 'ratio' });
  const plain = { swapped: false, zero: 'null', minNumerator: 0, minDenominator: 0, scale: 1 } as const;
  await setRatio(db, ratio, left, right, { ...plain, display: 'raw', decimals: 2 }, new Date(now));
  const ratios = new Ratios(db, clock, makeLog('silent'), new Changes(), () => undefined);
  const [sums, quotients] = [new Follower(db, left, false), new Follower(db, ratio, false)];
  const playing = (times: number, boards: string[]) =>
    Promise.all(
      boards.flatMap((board) =>
        Array.from({ length: times }, (_, i) =>
          submit(board, {
            process: i % 2,
            player: i % PLAYERS,
            isTest: false,
            amount: 1 + i,
            name: undefined,
          }),
        ),
      ),
    );
  const one = players.slice(0, 1);
  const ways: string[] = [];
  for (const times of [1, 16, 17]) {
    await playing(times, [left, right]);
    await until(async () => (await ratios.followAll()) === 0, 0);
    const before = quotients.version;
    ways.push(`${await sums.look(one)} ${await quotients.look(one)}`);
    expect(quotients.version).not.toBe(before);
  }
  await ratios.close();
  expect(ways).toEqual(['read read', 'moved read', 'read read']);
});
