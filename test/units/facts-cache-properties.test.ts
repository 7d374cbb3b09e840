import 'reflect-metadata';
import fc from 'fast-check';
import { DomainError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { readConfig } from '../../src/config/table.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import type { Result } from '../../src/submissions/decide/batch.js';
import type { Outcome, Submission } from '../../src/submissions/facts/submission.js';
import { boardRules } from '../support/board-rules.js';
import { comparable, contents } from '../support/comparable.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { runsOf } from '../support/lane.js';
import { RememberingWriter } from '../support/remembering-writer.js';
import {
  clientSubmission,
  makeBoard,
  makeSeats,
  makeWorld,
  ruleOn,
  type Seat,
  type World,
} from '../support/world.js';

const RUNS = runsOf(30, 4);
const CHANGED = /^40LB/;

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let seats: Seat[];
let now = Date.parse('2026-03-01T12:00:00Z');
const clock = () => now;
const log = makeLog('silent');

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
});
afterAll(() => testDatabase.drop());

beforeEach(async () => {
  now += 3_600_000;
  world = await makeWorld(db.knex);
  seats = await makeSeats(db.knex, world, 5);
});

const run = (boardId: string, seat: Seat, of: Partial<Submission> & { amount: number }) =>
  clientSubmission(world, boardId, seat, now, of);

const player = (seat: Seat) => db.knex('identities').where('id', uuidOf(seat.identityId));

const game = () => db.knex('games').where('id', uuidOf(world.gameId));

interface Step {
  kind: 'batch' | 'rename' | 'tier' | 'rule' | 'elsewhere';
  who: { seat: number; amount: number; isTest: boolean; name: string | undefined; byAdmin: boolean }[];
  seconds: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record<Step>({
    kind: fc.oneof(
      { weight: 8, arbitrary: fc.constant('batch' as const) },
      { weight: 1, arbitrary: fc.constantFrom('rename', 'tier', 'rule', 'elsewhere') },
    ),
    who: fc.uniqueArray(
      fc.record({
        seat: fc.nat(4),
        amount: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 900)),
        isTest: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
        name: fc.option(fc.constantFrom('Ann', 'Bob'), { nil: undefined }),
        byAdmin: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
      }),
      { selector: ({ seat }) => seat, minLength: 1, maxLength: 5 },
    ),
    seconds: fc.constantFrom(0, 1, 3, 400, 4_000),
  }),
  { minLength: 4, maxLength: 20 },
);

test('a process with a cache answers and writes like one that reads everything, whatever happens in between', async () => {
  // Outliers depend on when a process has seen the others' runs: that differs between two.
  const settings = readConfig({ ANTI_CHEAT_RATE_LIMIT_B: '4', ANTI_CHEAT_OUTLIER_MIN_ENTRIES: '100000' });
  await game().update({ anti_cheat_enabled: true });
  const judge = () => new ScoreChecker(db, clock, log, settings, () => undefined);
  let fromCache = 0;
  await fc.assert(
    fc.asyncProperty(boardRules, steps, async (board, history) => {
      const boards = [await makeBoard(db.knex, world, board), await makeBoard(db.knex, world, board)];
      const [remembering, reading] = [
        new RememberingWriter(db, clock, judge()),
        new RememberingWriter(db, clock, judge()),
      ];
      const events: Record<number, Outcome[]> = { 0: [], 1: [] };
      for (const { kind, who, seconds } of history) {
        now += seconds * 1_000;
        const [first] = who;
        const subject = seats[first!.seat]!;
        if (kind === 'rename') await player(subject).update({ display_name: first!.name ?? 'Nameless' });
        if (kind === 'tier') await player(subject).update({ trust_tier: first!.isTest ? 'c' : 'a' });
        if (kind === 'rule') {
          for (const [n, boardId] of boards.entries()) {
            const event = events[n]![first!.seat];
            if (!event) continue;
            const about = { eventId: uuidOf(event.eventId), identityId: uuidOf(event.score.identityId!) };
            await ruleOn(db.knex, boardId, about, first!.isTest ? 'include' : 'exclude', new Date(now));
          }
        }
        const answers: object[][] = [];
        for (const [n, boardId] of boards.entries()) {
          const items = () =>
            who.map(({ seat, amount, isTest, name, byAdmin }) =>
              run(boardId, seats[seat]!, {
                ...{ amount: amount + 0, isTest, playerName: name, wantPreviousRank: true },
                ...(byAdmin && { origin: { kind: 'admin', accountId: world.accountId, superAdmin: false } }),
              }),
            );
          let results: Result[];
          if (n === 1 || kind === 'elsewhere') {
            results = await reading.write(items(), { mode: 'reading', reader: db.pool });
          } else {
            const readsBefore = remembering.reads;
            // As the pipeline does: what has changed is read again.
            results = await remembering.write(items()).catch((error: { code: string }) => {
              expect(error.code).toMatch(CHANGED);
              return remembering.write(items());
            });
            if (remembering.reads === readsBefore) fromCache += 1;
          }
          answers.push(results.map(comparable));
          events[n]!.push(...results.filter((result): result is Outcome => !(result instanceof DomainError)));
        }
        expect(answers[0]).toEqual(answers[1]);
      }
      const tables = await Promise.all(boards.map((boardId) => contents(db, boardId)));
      expect(tables[0]).toEqual(tables[1]);
    }),
    { numRuns: RUNS },
  );
  expect(fromCache).toBeGreaterThan(0);
}, 36_000_000);
