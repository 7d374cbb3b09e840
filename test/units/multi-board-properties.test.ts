import 'reflect-metadata';
import fc from 'fast-check';
import type { DomainError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { readConfig } from '../../src/config/table.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import type { Result } from '../../src/submissions/decide/batch.js';
import type { Submission } from '../../src/submissions/facts/submission.js';
import { ingest } from '../../src/submissions/ingest.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { boardRules } from '../support/board-rules.js';
import { comparable, contents } from '../support/comparable.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { runsOf } from '../support/lane.js';
import {
  clientSubmission,
  makeBoard,
  makeSeats,
  makeWorld,
  ruleOn,
  type Seat,
  type World,
} from '../support/world.js';

const RUNS = runsOf(20, 3);

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
  seats = await makeSeats(db.knex, world, 8);
});

function run(boardId: string, seat: number, amount: number, of: Partial<Submission>): Submission {
  return clientSubmission(world, boardId, seats[seat]!, now, { amount, ...of });
}

interface Step {
  kind: 'batch' | 'rename' | 'tier' | 'rule' | 'elsewhere';
  who: {
    seat: number;
    board: number;
    amount: number;
    name: string | undefined;
    key: boolean;
    isTest: boolean;
  }[];
  seconds: number;
}

const BOARDS = 3;

async function isFlagged(eventId: string): Promise<boolean> {
  const { rows } = await db.pool.query('select from score_events where id = $1 and disposition <> $2', [
    uuidOf(eventId),
    'accepted',
  ]);
  return rows.length > 0;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record<Step>({
    kind: fc.oneof(
      { weight: 8, arbitrary: fc.constant('batch' as const) },
      { weight: 1, arbitrary: fc.constantFrom('rename', 'tier', 'rule', 'elsewhere') },
    ),
    who: fc.uniqueArray(
      fc.record({
        seat: fc.nat(7),
        board: fc.nat(BOARDS - 1),
        amount: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 900)),
        name: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.constantFrom('Ann', 'Bob')),
        key: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
        isTest: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
      }),
      { selector: ({ seat }) => seat, minLength: 1, maxLength: 8 },
    ),
    seconds: fc.constantFrom(0, 1, 3, 400, 4_000),
  }),
  { minLength: 3, maxLength: 12 },
);

test('boards written together are answered and stored as if each had been written by itself', async () => {
  // Outliers depend on when a process has seen the others' runs: that differs between two.
  const settings = readConfig({
    ANTI_CHEAT_RATE_LIMIT_A: '3',
    ANTI_CHEAT_RATE_LIMIT_B: '2',
    ANTI_CHEAT_RATE_LIMIT_C: '1',
    ANTI_CHEAT_OUTLIER_MIN_ENTRIES: '100000',
  });
  await db.knex('games').where('id', uuidOf(world.gameId)).update({ anti_cheat_enabled: true });
  const judge = () => new ScoreChecker(db, clock, log, settings, () => undefined);
  let together = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(boardRules, { minLength: BOARDS, maxLength: BOARDS }),
      steps,
      async (rules, history) => {
        const sides: string[][] = [[], []];
        for (const side of sides) for (const one of rules) side.push(await makeBoard(db.knex, world, one));
        const fairPlay = judge();
        const one = new SubmissionPipeline(db, clock, log, () => undefined, undefined, undefined, judge());
        const written: Map<string, string>[] = [new Map(), new Map()];
        for (const [step, { kind, who, seconds }] of history.entries()) {
          now += seconds * 1_000;
          const [first] = who;
          const subject = db.knex('identities').where('id', uuidOf(seats[first!.seat]!.identityId));
          if (kind === 'rename') {
            await subject.update({ display_name: first!.name ?? 'Nameless' });
            // Noted as by the service, whose job the boards' names are.
            await db.knex.raw('select note_renames(?::uuid[], ?)', [
              [uuidOf(seats[first!.seat]!.identityId)],
              new Date(now),
            ]);
          }
          if (kind === 'tier') await subject.update({ trust_tier: first!.isTest ? 'c' : 'a' });
          if (kind === 'rule') {
            for (const [s, side] of sides.entries()) {
              const event = written[s]!.get(`${first!.board} ${first!.seat}`);
              // A flagged one is ruled on by its flags alone.
              if (!event || (await isFlagged(event))) continue;
              const about = { eventId: uuidOf(event), identityId: uuidOf(seats[first!.seat]!.identityId) };
              await ruleOn(
                db.knex,
                side[first!.board]!,
                about,
                first!.isTest ? 'include' : 'exclude',
                new Date(now),
              );
            }
          }
          const answers = await Promise.all(
            sides.map(async (side, s) => {
              const items = who.map(({ seat, board, amount, name, key, isTest }) => ({
                ...run(side[board]!, seat, amount + 0, { isTest, playerName: name, wantPreviousRank: true }),
                idempotency: key
                  ? {
                      scope: seats[seat]!.identityId,
                      key: `${side[0]} ${step % 3}`,
                      bodyHash: Buffer.alloc(32),
                    }
                  : undefined,
              }));
              const results =
                s === 0 && kind !== 'elsewhere'
                  ? await Promise.all(
                      items.map((item) => one.submit(item).catch((error: DomainError) => error)),
                    )
                  : await byThemselves(items, fairPlay);
              results.forEach((result, i) => {
                if ('eventId' in result) written[s]!.set(`${who[i]!.board} ${who[i]!.seat}`, result.eventId);
              });
              return results;
            }),
          );
          expect(answers[0]!.map(comparable)).toEqual(answers[1]!.map(comparable));
          if (kind === 'batch' && new Set(who.map(({ board }) => board)).size > 1) together += 1;
        }
        await one.close();
        const tables = await Promise.all(
          sides.map((side) => Promise.all(side.map((id) => contents(db, id)))),
        );
        expect(tables[0]).toEqual(tables[1]);
        for (const board of sides[0]!) expect(await verifyBoard(db, board)).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
  expect(together).toBeGreaterThan(0);
}, 36_000_000);

/** Board by board, below its lock. */
async function byThemselves(items: Submission[], fairPlay: ScoreChecker): Promise<Result[]> {
  const results = new Map<Submission, Result>();
  for (const boardId of new Set(items.map((item) => item.boardId))) {
    const own = items.filter((item) => item.boardId === boardId);
    const ended = await fairPlay.prepare(boardId, [true, false]);
    const client = await db.pool.connect();
    const answers = await ingest(client, clock, own, fairPlay);
    client.release();
    ended();
    own.forEach((item, i) => {
      results.set(item, answers[i]!);
    });
  }
  return items.map((item) => results.get(item)!);
}
