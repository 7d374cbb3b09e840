import fc from 'fast-check';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Changes } from '../../src/db/changes.js';
import { Ratios } from '../../src/scores/upkeep/ratios.js';
import { startApp, type TestApp } from '../support/app.js';
import { review, reviewRuns, undo } from '../support/flags.js';
import { runsOf } from '../support/lane.js';
import { makeStudio, type Studio } from '../support/make.js';
import { type Act, KINDS, PLAYERS, ReviewStory } from '../support/review-story.js';
import { boardText, expectSound } from '../support/standings.js';

const RUNS = runsOf(5, 1);

let app: TestApp;
let studio: Studio;
let ratios: Ratios;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  ratios = new Ratios(app.database, app.clock.now, makeLog('fatal'), new Changes(), () => undefined);
});
afterAll(async () => {
  await ratios.close();
  await app.close();
});

const decision = fc.constantFrom('confirmed_cheat' as const, 'false_positive' as const, 'dismissed' as const);
const submission = fc.record({
  player: fc.nat(PLAYERS - 1),
  board: fc.nat(KINDS.length - 1),
  value: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 0.2, -0.3, 1e15)).map((x) => x + 0),
  isTest: fc.integer({ min: 0, max: 4 }).map((x) => x === 0),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('flag' as const), event: fc.nat() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('review' as const),
      flag: fc.nat(),
      status: fc.oneof(decision, fc.constant('pending' as const)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'restore' as const), flag: fc.nat() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('runs' as const), player: fc.nat(PLAYERS - 1), decision }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('undo' as const), review: fc.nat() }) },
);
/** A wave of submissions that are in flight together, then acts one after the other. */
const history = fc.array(
  fc.record({
    wave: fc.array(submission, { minLength: 1, maxLength: 16 }),
    acts: fc.array(act, { minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 3 },
);

/** One of each, for few runs, of which chance may bring none. */
const EVERY_ACT: typeof history extends fc.Arbitrary<infer T> ? T : never = [
  {
    wave: [1, 3, 2].map((value, board) => ({ player: board % 2, board, value, isTest: false })),
    acts: [
      { kind: 'flag', event: 0 },
      { kind: 'review', flag: 0, status: 'confirmed_cheat' },
      { kind: 'delete', flag: 0 },
      { kind: 'restore', flag: 0 },
      { kind: 'runs', player: 0, decision: 'confirmed_cheat' },
      { kind: 'undo', review: 0 },
    ],
  },
];

test('any sequence of reviews, deletions and undone reviews among submissions ends as the remaining flags say', async () => {
  let reviews = 0;
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const story = await ReviewStory.begin({ app, studio, ratios });
      for (const { wave, acts } of steps) {
        app.clock.advance(1_000);
        await Promise.all(wave.map((one) => story.submit(one)));
        await ratios.followAll();
        for (const one of acts) {
          app.clock.advance(10);
          await story.do(one);
          await ratios.followAll();
        }
        await story.compare();
      }
      reviews += story.reviews.length;
      // At last everything is cleared: as if there had never been a flag.
      for (const known of story.model.live()) await review(studio.admin, known.id!, { status: 'DISMISSED' });
      const cleared = await story.texts();
      expect(await story.pure()).toEqual(cleared);
    }),
    { numRuns: RUNS, endOnFailure: true, examples: [[EVERY_ACT]] },
  );
  expect(reviews).toBeGreaterThan(0);
}, 600_000);

test('concurrent reviews leave every board sound, and undone ones leave no trace', async () => {
  const story = await ReviewStory.begin({ app, studio, ratios });
  for (let i = 0; i < 60; i += 1) {
    await story.submit({
      player: i % PLAYERS,
      board: i % KINDS.length,
      value: (i * 7) % 11,
      isTest: i % 9 === 0,
    });
  }
  await ratios.followAll();
  const texts = async () => [...(await story.texts()), await boardText(app.database, story.ratio)];
  const before = await texts();
  const decisions = ['CONFIRMED_CHEAT', 'FALSE_POSITIVE', 'CONFIRMED_CHEAT', 'DISMISSED'];
  const asked = await Promise.all(
    decisions.flatMap((decision) =>
      story.players.map((identityId) => reviewRuns(studio.admin, { identityId, decision })),
    ),
  );
  await Promise.all(asked.map(({ review: made }) => undo(studio.admin, made.id)));
  for (const { id } of story.boards) await expectSound(app.database, id);
  await ratios.followAll();
  expect(await texts()).toEqual(before);
  expect(
    await app.database
      .knex('score_flags')
      .whereIn('identity_id', story.players.map(uuidOf))
      .whereNull('deleted_at'),
  ).toEqual([]);
});
