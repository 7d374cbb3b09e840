import 'reflect-metadata';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import type { Database } from '../../src/db/pool.js';
import { ownAddress, type RankingAddress } from '../../src/rankings/address.js';
import type { OrderKey } from '../../src/rankings/order.js';
import { WindowReads } from '../../src/rankings/pages.js';
import {
  type RankWindow,
  windowAfter,
  windowAroundScore,
  windowBefore,
  windowFromRank,
} from '../../src/rankings/window.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { runsOf } from '../support/lane.js';
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

// A cached page is followed through submissions that leave it as it was. After each step of a random history every page
// must equal the one that a process without a cache reads, and pages must have been followed, too.

/** Steps of a history. */
const STEPS = runsOf(60, 8);

let testDatabase: TestDatabase;
let db: Database;
let windows: WindowReads;
let other: Database;
let pipeline: SubmissionPipeline;
let world: World;
let players: string[];
const now = Date.parse('2026-03-01T12:00:00Z');

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  windows = new WindowReads(db.pool);
  other = testDatabase.open();
  const options = { batch: 5, queue: 100, writers: 1 };
  pipeline = new SubmissionPipeline(
    other,
    () => now,
    makeLog('silent'),
    () => undefined,
    options,
  );
  world = await makeWorld(db.knex);
  players = await makeIdentities(db.knex, world, 12);
});
afterAll(() => testDatabase.drop());

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const shown = ({ scores, keys, entryCount, hasNext, hasPrevious, version }: RankWindow) => ({
  scores: scores.map(({ id, rank, displayRank, value, playerName, metadata, status, updatedAt }) => {
    return { id, rank, displayRank, value, playerName, metadata, status, updatedAt };
  }),
  ...{ keys, entryCount, hasNext, hasPrevious, version },
});

const RULES: BoardRules[] = [
  { boardType: 'run_identity', keepStrategy: 'best', sortDirection: 'desc' },
  { boardType: 'run_identity', keepStrategy: 'best', sortDirection: 'asc', tiePolicy: 'latest' },
  { boardType: 'run_identity', keepStrategy: 'last', sortDirection: 'desc' },
  { boardType: 'run_identity', keepStrategy: 'best', sortDirection: 'desc', tiePolicy: 'competition' },
  { boardType: 'run_identity', keepStrategy: 'best', sortDirection: 'desc', tiePolicy: 'dense' },
  { boardType: 'run_identity', keepStrategy: 'first', sortDirection: 'desc' },
  { boardType: 'counter', keepStrategy: 'all', sortDirection: 'desc' },
  { boardType: 'run_runs', keepStrategy: 'all', sortDirection: 'desc' },
];

test.each(RULES.map((rules, i) => [JSON.stringify(rules), rules, i] as const))(
  'pages of %s are those of the present state',
  async (_name, rules, seed) => {
    const random = randomFrom(seed + 1);
    const any = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)]!;
    const boardId = await makeBoard(db.knex, world, rules);
    const views: RankingAddress[] = [];
    for (const [name, tiePolicy] of [
      ['land', 'latest'],
      ['country', 'dense'],
    ] as const) {
      const rule = { name, period: null, by: ['country'], tiePolicy };
      const viewNo = await declareView(db.knex, boardId, rule, new Date(now));
      views.push({ boardId, viewNo, period: 0, group: 'DE' });
    }
    const events: { eventId: string; identityId: string }[] = [];
    const submit = async (isTest: boolean) => {
      const player = any(players);
      const amount = rules.boardType === 'counter' ? any([0, 1, 5, -3]) : Math.floor(random() * 30);
      const place = { city: null, country: any(['DE', 'DE', 'FR']), timezone: null };
      const submission = submissionOf(world, boardId, player, { amount, isTest, place });
      await pipeline.submit(submission).catch(() => undefined);
      events.push({ eventId: uuidOf(submission.eventId), identityId: uuidOf(player) });
    };
    for (let i = 0; i < 30; i += 1) await submit(i % 4 === 3);
    const starts: (OrderKey | undefined)[] = [undefined];
    const { keys } = await windowAfter(
      new WindowReads(other.pool),
      ownAddress(boardId),
      false,
      undefined,
      20,
      'all',
    );
    starts.push(keys[2], keys[5], keys.at(-1), { rankKey: 1_000, seq: 0 });
    const before = new Map<string, RankWindow>();
    const fresh = () => new WindowReads({ query: (query: never) => other.pool.query(query) } as never);
    const followed = { own: 0, views: 0, others: 0 };
    /** Reads what may be cached, and the truth. */
    const compare = async (
      name: string,
      of: keyof typeof followed,
      read: (reads: WindowReads) => Promise<RankWindow | undefined>,
    ) => {
      // Some pages are left out for a while.
      if (random() < 0.3) return;
      const page = await read(windows);
      const true_ = await read(fresh());
      expect(page && shown(page)).toEqual(true_ && shown(true_));
      const last = before.get(name);
      if (page && last && last.version < page.version && last.scores === page.scores) followed[of] += 1;
      if (page) before.set(name, page);
    };
    const scores = (await windowAfter(windows, ownAddress(boardId), false, undefined, 20, 'all')).scores;
    const score = scores[Math.floor(scores.length / 2)]!.id;
    for (let step = 0; step < STEPS; step += 1) {
      if (rules.tiePolicy === 'competition' && step === STEPS / 2) {
        await changeRules(db.knex, boardId, { ...rules, tiePolicy: 'earliest' }, new Date(now), 100);
        await db.knex('board_rankings').where('board_id', uuidOf(boardId)).increment('version', 1);
      } else if (random() < 0.06) {
        await ruleOn(db.knex, boardId, any(events), any(['exclude', 'include'] as const), new Date(now));
      } else if (random() < 0.3) await Promise.all([1, 2, 3, 4].map(() => submit(random() < 0.2)));
      else await submit(random() < 0.2);
      const own = ownAddress(boardId);
      for (const isTest of [false, true]) {
        for (const [s, start] of starts.entries()) {
          for (const limit of [1, 3, 20]) {
            await compare(`${isTest} ${s} ${limit}`, 'own', (reads) =>
              windowAfter(reads, own, isTest, start, limit, 'withoutOrigin'),
            );
          }
        }
        for (const [v, view] of views.entries()) {
          for (const [s, start] of starts.slice(0, 2).entries()) {
            await compare(`${isTest} ${s} of ${v}`, 'views', (reads) =>
              windowAfter(reads, view, isTest, start, 3, 'withoutOrigin'),
            );
          }
        }
      }
      for (const [r, ranking] of [own, ...views].entries()) {
        await compare(`around in ${r}`, 'others', (reads) =>
          windowAroundScore(reads, ranking, false, score, 3, 'all'),
        );
        await compare(`from in ${r}`, 'others', (reads) =>
          windowFromRank(reads, ranking, false, 3, 2, 'withoutOrigin'),
        );
        await compare(`before in ${r}`, 'others', (reads) =>
          windowBefore(reads, ranking, false, starts[2], 3, 'withoutMetadata'),
        );
      }
    }
    expect(followed.own).toBeGreaterThan(rules.boardType === 'run_runs' ? STEPS / 12 : STEPS / 1.5);
    const least = rules.boardType === 'run_runs' ? 0 : STEPS / 4;
    expect(Math.min(followed.views, followed.others)).toBeGreaterThan(least);
  },
  240_000,
);
