import { RUN_TEMPLATES } from '../../src/boards/templates/run.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import { makeGame, makeStudio, makeTemplate, type Studio } from '../support/make.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let anyone: Caller;
let admin: Caller;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  anyone = app.anyone;
  admin = anyone.with(studio.admin.headers);
});
afterAll(() => app.close());

const PATH = '/v1/board-templates';
const body = (over: Data = {}) => ({
  account_id: studio.accountId,
  game_id: game.id,
  name: 'Weekly',
  repeat_interval: '1 week',
  next_run_at: new Date(app.clock.now() + DAY).toISOString(),
  ...over,
});

test('a template is created, read, changed, deleted and restored', async () => {
  const config = { rewards: [{ Rank_One: 'gold' }], camelCase: { snake_case: null } };
  const { status, body: made } = await admin.post(
    PATH,
    body({ name_template: 'W{week}', config, board_type: 'counter' }),
  );
  expect(status).toBe(201);
  expect(made).toEqual({
    ...body({ name_template: 'W{week}', config, board_type: 'counter' }),
    id: expect.stringMatching(/^tpl_/),
    slug: null,
    tickets: null,
    verdicts: null,
    series: null,
    is_active: true,
    is_published: true,
    icon: 'fa-crown',
    unit: null,
    format: null,
    sort_direction: 'desc',
    keep_strategy: 'all',
    starts_at: null,
    ends_at: null,
    tags: [],
    time_zone: 'UTC',
    window_time_zone: 'UTC',
    week_start: 'monday',
    day_start: '00:00',
    closing_rules: [],
    dimensions: [],
    views: [],
    proof: 'off',
    public_fields: [],
    friends_from: 'client',
    default_view: null,
    hold_hours: 48,
    hold_top: 0,
    recordings: null,
    tie_policy: 'earliest',
    last_error: null,
    created_at: new Date(app.clock.now()).toISOString(),
    updated_at: new Date(app.clock.now()).toISOString(),
  });
  const path = `${PATH}/${made.id}`;
  expect(await admin.got(admin.get(path))).toEqual(made);
  app.clock.advance(1_000);
  const changed = await admin.got(
    admin.patch(path, { name: 'Monthly', name_template: null, game_id: 'ignored', is_active: false }),
  );
  expect(changed).toEqual({
    ...made,
    name: 'Monthly',
    name_template: null,
    is_active: false,
    updated_at: new Date(app.clock.now()).toISOString(),
  });
  expect((await admin.patch(path, { deleted: true })).status).toBe(200);
  expect((await admin.get(path)).status).toBe(404);
  expect((await admin.patch(path, { name: 'No' })).status).toBe(404);
  expect(await admin.got(admin.patch(path, { deleted: false }))).toEqual(changed);
});

test('every fault of a body has its place', async () => {
  const { status, body: answer } = await admin.post(PATH, {
    account_id: 'acc_1',
    name: ' ',
    name_template: 5,
    repeat_interval: '1 month',
    next_run_at: 'tomorrow',
    keep_strategy: 'worst',
    config: [],
  });
  expect([status, answer.code]).toEqual([422, 'VALIDATION_FAILED']);
  const places = answer.details.map(({ loc }: Data) => loc.join('.'));
  expect(places).toEqual(
    expect.arrayContaining([
      'body.game_id',
      'body.name_template',
      'body.next_run_at',
      'body.keep_strategy',
      'body.config',
    ]),
  );
  const later = await admin.post(PATH, body({ name: ' ', repeat_interval: '1 month' }));
  expect(later.body.details.map(({ loc }: Data) => loc.join('.')).toSorted()).toEqual([
    'body.name',
    'body.repeat_interval',
  ]);
  const pattern = await admin.post(PATH, body({ name_template: 'Season {series}' }));
  expect(pattern.body.details).toEqual([
    { loc: ['body', 'name_template'], msg: expect.stringContaining('{series}'), type: 'placeholder' },
  ]);
  const codes: [Data, number, string][] = [
    [{ board_type: 'ratio' }, 422, 'VALIDATION_FAILED'],
    [{ slug: 'A slug' }, 400, 'INVALID_SLUG'],
    [{ game_id: `gam_${studio.accountId.slice(4)}` }, 404, 'NOT_FOUND'],
    [{ name: 'a\u0000b' }, 422, 'VALIDATION_FAILED'],
    [{ config: { deep: '\u0000' } }, 422, 'VALIDATION_FAILED'],
  ];
  for (const [over, expected, code] of codes) {
    const { status, body: refused } = await admin.post(PATH, body(over));
    expect([over, status, refused.code]).toEqual([over, expected, code]);
  }
});

test('only administrators of the account use templates', async () => {
  const other = await makeStudio(app);
  const stranger = anyone.with(other.admin.headers);
  const { id } = await makeTemplate(studio, game.id);
  expect((await anyone.get(PATH)).status).toBe(401);
  expect((await stranger.get(`${PATH}/${id}`)).status).toBe(403);
  expect((await stranger.patch(`${PATH}/${id}`, { deleted: true })).status).toBe(403);
  expect((await stranger.post(PATH, body())).status).toBe(403);
  expect((await stranger.get(`${PATH}?game_id=${game.id}`)).status).toBe(403);
  expect((await stranger.get(`${PATH}?account_id=${studio.accountId}`)).status).toBe(403);
  expect((await admin.got(stranger.get(PATH))).data).toEqual([]);
  const root = anyone.with(app.superadmin.headers);
  expect((await root.get(`${PATH}/${id}`)).status).toBe(200);
  expect((await root.got(root.get(`${PATH}?account_id=${studio.accountId}&limit=100`))).data).toContainEqual(
    await admin.got(admin.get(`${PATH}/${id}`)),
  );
  expect((await admin.get(`${PATH}/brd_${id.slice(4)}`)).status).toBe(422);
});

test('the list has filters, orders and pages', async () => {
  const own = await makeGame(studio);
  for (const [name, is_active, days] of [
    ['B', true, 3],
    ['A', false, 2],
    ['C', true, 1],
  ] as const) {
    const next_run_at = new Date(app.clock.now() + days * DAY).toISOString();
    await admin.got(admin.post(PATH, body({ game_id: own.id, name: `Cup ${name}`, is_active, next_run_at })));
  }
  const names = async (query: string) =>
    (await admin.got(admin.get(`${PATH}?game_id=${own.id}&${query}`))).data.map(({ name }: Data) => name);
  expect(await names('sort=name:asc')).toEqual(['Cup A', 'Cup B', 'Cup C']);
  expect(await names('sort=next_run_at:asc')).toEqual(['Cup C', 'Cup A', 'Cup B']);
  expect(await names('is_active=1&sort=name:desc')).toEqual(['Cup C', 'Cup B']);
  const first = await admin.got(admin.get(`${PATH}?game_id=${own.id}&sort=next_run_at:desc&limit=2`));
  expect(first.pagination).toMatchObject({ count: 2, has_next: true, has_prev: false });
  expect(await names(`sort=next_run_at:desc&limit=2&cursor=${first.pagination.next_cursor}`)).toEqual([
    'Cup C',
  ]);
  expect((await admin.get(`${PATH}?sort=series:asc`)).body.code).toBe('INVALID_SORT');
});

test('a board that a template made names it; a failure shows on the template', async () => {
  const next_run_at = new Date(app.clock.now()).toISOString();
  const template = await admin.got(admin.post(PATH, body({ name: 'Linked', slug: 'linked', next_run_at })));
  const board = { account_id: studio.accountId, game_id: game.id, name: 'In the way', slug: 'linked' };
  const { id } = await admin.got(admin.post('/v1/boards', board));
  await app.app.jobs.run(RUN_TEMPLATES);
  const read = () => admin.got(admin.get(`${PATH}/${template.id}`));
  expect((await read()).last_error).toContain('slug');
  await admin.got(admin.patch(`/v1/boards/${id}`, { deleted: true }));
  await admin.got(admin.patch(`${PATH}/${template.id}`, { unit: 'laps' }));
  await app.app.jobs.run(RUN_TEMPLATES);
  expect((await read()).last_error).toBeNull();
  const { data } = await admin.got(admin.get(`/v1/boards?game_slug=${game.slug}&slug=linked&is_active=true`));
  expect(data).toMatchObject([
    { name: 'Linked', template_name: 'Linked', created_from_template_id: template.id, unit: 'laps' },
  ]);
});
