import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { DomainError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { readConfig } from '../../src/config/table.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { Result } from '../../src/submissions/decide/batch.js';
import type { Outcome, Submission } from '../../src/submissions/facts/submission.js';
import { ingest } from '../../src/submissions/ingest.js';
import { boardRules } from '../support/board-rules.js';
import { comparable, contents } from '../support/comparable.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { runsOf } from '../support/lane.js';
import {
  clientSubmission,
  makeBoard,
  makeSeats,
  makeWorld,
  type Seat,
  type World,
} from '../support/world.js';

const RUNS = runsOf(25, 4);
const PLAYERS = 4;

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let seats: Seat[];
let now = Date.parse('2026-03-01T12:00:00Z');
let checks: ScoreChecker;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  checks = new ScoreChecker(
    db,
    () => now,
    makeLog('silent'),
    readConfig({}),
    () => undefined,
  );
  world = await makeWorld(db.knex);
  seats = await makeSeats(db.knex, world, PLAYERS);
});
afterAll(() => testDatabase.drop());

interface Step {
  player: number;
  amount: number;
  name: string;
  keyed: boolean;
}

const step = fc.record<Step>({
  player: fc.nat(PLAYERS - 1),
  amount: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 900)),
  name: fc.constantFrom('Ann', 'Bob "the" \\ one', 'Cem, (3)'),
  keyed: fc.boolean(),
});

function submission(boardId: string, { player, amount, name, keyed }: Step): Submission {
  const seat = seats[player]!;
  const key = { scope: seat.identityId, key: randomUUID(), bodyHash: Buffer.alloc(32) };
  return clientSubmission(world, boardId, seat, now, {
    ...{ amount, playerName: name, wantPreviousRank: true },
    idempotency: keyed ? key : undefined,
  });
}

async function write(items: Submission[]): Promise<Outcome[]> {
  const ended = await checks.prepare(items[0]!.boardId, [false]);
  const client = await db.pool.connect();
  const results: Result[] = await ingest(client, () => now, items, checks).finally(() => client.release());
  ended();
  return results.map((result) => {
    if (result instanceof DomainError) throw result;
    return result;
  });
}

const withoutRanks = (outcome: Outcome) => ({
  ...comparable(outcome),
  ...{ rank: 0, displayRank: 0, previousRank: 0 },
});

/** The values of a board's ranked entries, each player's. */
async function valuesOf(boardId: string): Promise<{ id: string; value: number }[]> {
  const { rows } = await db.pool.query(
    `select e.id, e.value from board_rankings b join entries e using (board_id, generation)
     where b.board_id = $1 and e.ranked order by e.rank_key, e.seq`,
    [uuidOf(boardId)],
  );
  return rows;
}

test('the submissions of a player in one batch are decided as if they came one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(
      boardRules,
      fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      async (board, batches) => {
        const [together, apart] = [
          await makeBoard(db.knex, world, board),
          await makeBoard(db.knex, world, board),
        ];
        for (const steps of batches) {
          now += 60_000;
          const before = await valuesOf(together);
          const outcomes = await write(steps.map((one) => submission(together, one)));
          const single: Outcome[] = [];
          for (const one of steps) single.push(...(await write([submission(apart, one)])));
          expect(outcomes.map(withoutRanks)).toEqual(single.map(withoutRanks));
          const after = await valuesOf(together);
          outcomes.forEach(({ score, previousRank }, i) => {
            const isLast = !outcomes.slice(i + 1).some((later) => later.score.id === score.id);
            const own = uuidOf(score.id);
            const place = after.findIndex(({ id }) => id === own);
            if (isLast) expect(score.rank).toBe(place + 1);
            const isBetter = ({ value }: { value: number }) =>
              board.sortDirection === 'asc' ? value < score.value : value > score.value;
            const others = after.filter(({ id }) => id !== own);
            const better = others.filter(isBetter).length;
            const equal = others.filter(({ value }) => value === score.value).length;
            expect(score.rank).toBeGreaterThan(better);
            expect(score.rank).toBeLessThanOrEqual(1 + better + equal);
            const isFirst = !outcomes.slice(0, i).some((earlier) => earlier.score.id === score.id);
            const stood = before.findIndex(({ id }) => id === own);
            if (isFirst) expect(previousRank).toBe(stood === -1 ? null : stood + 1);
            else expect(previousRank).not.toBeNull();
          });
        }
        expect(await contents(db, together)).toEqual(await contents(db, apart));
        expect(await verifyBoard(db, together)).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
}, 36_000_000);
