import fc from 'fast-check';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { full } from '../support/lane.js';
import { makeStudio, type Studio } from '../support/make.js';

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp({ viewsPerRunsBoard: 10 });
  studio = await makeStudio(app);
});
afterAll(() => app.close());

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 });

const PERIODS = [
  { period: 'day' },
  { period: 'week', keep_periods: 9 },
  { by: ['country'] },
  { by: ['class'], tie_policy: 'competition' },
  { period: 'month', by: ['platform'], keep_podium: 5 },
];
const views = fc.subarray(PERIODS).chain((all) =>
  fc.shuffledSubarray(
    all.map((rule, n) => ({ name: `v${PERIODS.indexOf(rule)}_${n * 0}`, ...rule })),
    { minLength: all.length },
  ),
);

const shared = {
  description: maybe(orNull(fc.constantFrom('One', ' Two '))),
  icon: maybe(orNull(fc.constantFrom('fa-star', ' fa-crown'))),
  unit: maybe(orNull(fc.constantFrom('points', ' s '))),
  is_published: maybe(fc.boolean()),
  sort_direction: maybe(orNull(fc.constantFrom('asc', 'desc'))),
  tie_policy: maybe(fc.constantFrom('earliest', 'latest', 'competition')),
  hold_hours: maybe(orNull(fc.constantFrom(24, 48))),
  tags: maybe(fc.subarray(['a', ' b', 'c'])),
  public_fields: maybe(fc.shuffledSubarray(['country', 'platform'])),
  time_zone: maybe(fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Tokyo')),
  week_start: maybe(fc.constantFrom('sunday', 'monday')),
  format: maybe(
    orNull(
      fc.constantFrom(
        { kind: 'time' },
        { kind: 'time', time_unit: 'milliseconds', decimals: 2 },
        { kind: 'compact', decimals: null },
      ),
    ),
  ),
};
const { description: _none, ...handedOn } = shared;
const rules = fc.constantFrom<Data>(
  {},
  { keep_strategy: 'best' },
  { keep_strategy: 'last' },
  { keep_strategy: 'all' },
  { board_type: 'run_identity' },
  { board_type: 'run_runs', keep_strategy: null },
);

const run = (n: number) =>
  fc
    .tuple(
      fc.record(
        {
          ...shared,
          starts_at: maybe(fc.constantFrom('2026-01-01', '2026-02-01T10:00:00+02:00')),
          ends_at: maybe(orNull(fc.constantFrom('2026-03-01', '2099-01-01'))),
          is_active: maybe(fc.boolean()),
          hold_top: maybe(fc.constantFrom(0, 3)),
        },
        { requiredKeys: [] },
      ),
      rules,
      maybe(
        fc.constant([
          { name: 'class', values: ['mage', 'rogue'] },
          { name: 'kind', source: 'player' },
        ]),
      ),
      maybe(views),
    )
    .map(([own, rule, dimensions, list]) => ({
      name: `Board ${n}`,
      ...own,
      ...rule,
      dimensions: dimensions ?? [{ name: 'class' }],
      ...(list && { views: list }),
      ...(list?.some(({ name }: Data) => name === 'v1_0') && {
        closing_rules: [{ view: 'v1_0', places: 3, prizes: { lines: [{ name: 'all', title: 'For all' }] } }],
      }),
    }));

const counters = fc.record({ ...shared, is_active: maybe(fc.boolean()) }, { requiredKeys: [] });
const boards = fc
  .tuple(
    fc.subarray([1, 2, 3]),
    run(1),
    run(2),
    run(3),
    counters,
    fc.constantFrom(0, 1, 2),
    fc.record(
      {
        scale: maybe(fc.constantFrom(1, 2)),
        zero_denominator_policy: maybe(fc.constantFrom('null', 'zero')),
        min_denominator: maybe(fc.constantFrom(0, 5)),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([which, a, b, c, counter, ratio, config]) => [
    ...[a, b, c].filter((_, n) => which.includes(n + 1)),
    { name: 'Kills', board_type: 'counter', ...counter },
    { name: 'Deaths', board_type: 'counter' },
    ...(ratio
      ? [
          {
            name: 'Rate',
            board_type: 'ratio',
            ratio_config: {
              ...config,
              numerator_board: ratio === 1 ? 'Kills' : 'deaths',
              denominator_board: ratio === 1 ? 'deaths' : 'Kills',
            },
          },
        ]
      : []),
  ]);

const template = fc
  .tuple(
    fc.record(handedOn, { requiredKeys: [] }),
    rules,
    fc.constantFrom('1 day', '1 week', '2 hours'),
    fc.constantFrom('2026-06-01', '2026-06-02T00:00:00Z', '2099-01-05'),
    fc.constantFrom({}, { config: { deepIn: [1] } }),
    maybe(orNull(fc.constantFrom('slug-a', 'slug-b'))),
    fc.constantFrom<Data>(
      {},
      { views: [{ name: 'country', by: ['country'] }] },
      {
        views: [{ name: 'country', by: ['country'], keep_podium: 7 }],
        closing_rules: [{ settle_minutes: 5 }],
      },
    ),
  )
  .map(([own, rule, every, next, config, slug, more]) => ({
    name: 'Often',
    ...own,
    ...rule,
    repeat_interval: every,
    next_run_at: next,
    ...config,
    ...(slug !== undefined && { slug }),
    ...more,
  }));

const game = (n: number) =>
  fc
    .tuple(
      fc.record(
        {
          description: maybe(orNull(fc.constant('A game'))),
          accent_colour: maybe(orNull(fc.constantFrom('#AABBCC', '#000000'))),
          page_url: maybe(fc.constant('https://example.com')),
          environment: maybe(fc.constantFrom('staging', 'production')),
          anti_cheat_enabled: maybe(orNull(fc.boolean())),
          anti_cheat_settings: maybe(
            orNull(fc.constantFrom({ rate_limit: { a: 5 } }, { outlier_z: { c: 'off' }, default_tier: 'b' })),
          ),
          tags: maybe(fc.constant(['x'])),
          overlay_origins: maybe(fc.constant(['https://A.example.com'])),
        },
        { requiredKeys: [] },
      ),
      maybe(boards),
      maybe(fc.array(template, { maxLength: 1 })),
      fc.constantFrom(undefined, 'Kills', null),
    )
    .map(([own, list, templates, first]) => ({
      name: `Game ${n}`,
      ...own,
      ...(list && { boards: list }),
      ...(templates && { templates }),
      ...(list && first !== undefined && { default_board: first }),
    }));

const webhook = fc
  .record(
    {
      events: fc.shuffledSubarray(['board.closed', 'score.flagged', 'device.banned'], { minLength: 1 }),
      url: fc.constantFrom('https://a.example.com', 'https://b.example.com/x'),
      population: maybe(fc.constantFrom('all', 'test')),
      ordered: maybe(fc.boolean()),
      paused: maybe(fc.boolean()),
      closing_minutes: maybe(fc.constantFrom(60, 90)),
      games: maybe(fc.constant(['Game 1'])),
    },
    { requiredKeys: ['events', 'url'] },
  )
  .map((own) => ({ name: 'Hook', ...own }));

const clean = (value: Data): Data => JSON.parse(JSON.stringify(value));
const files = fc
  .tuple(game(1), maybe(game(2)), maybe(fc.array(webhook, { maxLength: 1 })), fc.boolean())
  .map(([one, two, webhooks, prune]) => ({
    file: clean({ games: [one, ...(two ? [two] : [])], ...(webhooks && { webhooks }) }),
    prune,
  }));

const post = async (path: string, body: Data) => {
  const { status, body: answer } = await studio.admin.post(path, { account_id: studio.accountId, ...body });
  expect({ status, answer, body }).toMatchObject({ status: 200 });
  return answer;
};

full(
  'random files, one after the other: applied, the next plan is empty, and that of what is printed is, too',
  async () => {
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(files, async ({ file, prune }) => {
        const plan = await post('/v1/configuration/plan', { file, prune });
        expect(plan.refusals).toEqual([]);
        let { digest } = plan;
        for (let left = plan.changes.length; left > 0; ) {
          const made = await post('/v1/configuration/apply', { file, prune, digest });
          changes += made.ids.length;
          ({ left, digest } = made);
        }
        const after = await post('/v1/configuration/plan', { file, prune });
        expect({ file, changes: after.changes }).toEqual({ file, changes: [] });
        const { body } = await studio.admin.get(`/v1/accounts/${studio.accountId}/configuration`);
        const printed = await post('/v1/configuration/plan', { file: body.file, prune: true });
        expect({ file: body.file, ...printed }).toMatchObject({ changes: [], refusals: [], not_in_file: [] });
      }),
      { numRuns: 15, endOnFailure: true },
    );
    expect(changes).toBeGreaterThan(0);
  },
);
