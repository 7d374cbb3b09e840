import { RUN_TEMPLATES } from '../../src/boards/templates/run.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import type { Data } from '../support/http.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Studio,
  startSession,
  TEMPLATE,
} from '../support/make.js';
import { takeNonce } from '../support/play.js';

const GET = `query ($id: ID!) { boardTemplate(id: $id) {
  ${TEMPLATE} game { id }
  boards(orderBy: {field: CREATED_AT}) { nodes {
    id name slug shortCode isActive isPublished icon unit boardType sortDirection keepStrategy startsAt endsAt tags
    templateName createdFromTemplateId seriesNumber createdFromTemplate { id }
  } }
} }`;

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
beforeEach(async () => {
  game = await makeGame(studio);
});
// The clock turns for all tests: what one has left must not make boards in the next.
afterEach(() => change(studio.admin, 'Game', game.id, { deleted: true }));
afterAll(() => app.close());

const run = () => app.app.jobs.run(RUN_TEMPLATES);
const get = async (id: string): Promise<Data> => (await studio.admin.data(GET, { id })).boardTemplate;
const boardsOf = async (id: string): Promise<Data[]> => (await get(id)).boards.nodes;
const at = (offset: number) => new Date(app.clock.now() + offset).toISOString();

test('a due template makes the board of its window, once, and moves on', async () => {
  const template = await makeTemplate(studio, game.id, {
    name: 'Weekly',
    nameTemplate: '{date} {year} {month} {month_short} {week} {quarter} No. {series}',
    series: 'weekly',
    nextRunAt: '2030-01-06T23:30:00-01:00',
    unit: 'points',
    boardType: 'RUN_IDENTITY',
    keepStrategy: 'LAST',
    sortDirection: 'ASC',
    isPublished: false,
    tags: ['weekly'],
  });
  app.clock.advance(Date.parse('2030-01-07T00:29:59.999Z') - app.clock.now());
  expect(await run()).toBe(0);
  app.clock.advance(1);
  expect(await run()).toBe(1);
  expect(await run()).toBe(0);
  const [board, ...others] = await boardsOf(template.id);
  expect(others).toEqual([]);
  expect(board).toMatchObject({
    name: '2030-01-07 2030 January Jan 2 Q1 No. 1',
    slug: '2030-01-07-2030-january-jan-2-q1-no-1',
    shortCode: expect.stringMatching(/^[2-9A-HJ-NP-Z]{6}$/),
    isActive: true,
    isPublished: false,
    icon: 'fa-crown',
    unit: 'points',
    boardType: 'RUN_IDENTITY',
    sortDirection: 'ASC',
    keepStrategy: 'LAST',
    startsAt: '2030-01-07T00:30:00.000Z',
    endsAt: '2030-01-14T00:30:00.000Z',
    tags: ['weekly'],
    templateName: 'Weekly',
    createdFromTemplateId: template.id,
    seriesNumber: 1,
    createdFromTemplate: { id: template.id },
  });
  expect(await get(template.id)).toMatchObject({ nextRunAt: '2030-01-14T00:30:00.000Z', boardsMade: 1 });
});

test('windows that are wholly in the past are skipped; numbers have no gaps', async () => {
  const start = app.clock.now();
  const { id } = await makeTemplate(studio, game.id, {
    nameTemplate: 'No. {series}',
    series: 's',
    repeatInterval: '1 day',
    nextRunAt: at(0),
  });
  await run();
  app.clock.advance(5 * DAY + HOUR);
  await run();
  app.clock.advance(DAY - HOUR);
  await run();
  const boards = await boardsOf(id);
  expect(boards.map(({ name, startsAt }) => [name, (Date.parse(startsAt) - start) / DAY])).toEqual([
    ['No. 1', 0],
    ['No. 2', 5],
    ['No. 3', 6],
  ]);
  expect(boards.map(({ isActive }) => isActive)).toEqual([false, false, true]);
});

test('a number is not used again when its board is deleted; its period can then be made anew', async () => {
  const nextRunAt = at(0);
  const { id } = await makeTemplate(studio, game.id, {
    nameTemplate: 'No. {series}',
    series: 's',
    nextRunAt,
  });
  await run();
  const again = () => change(studio.admin, 'BoardTemplate', id, { nextRunAt });
  await again();
  expect(await run()).toBe(0);
  const [first] = await boardsOf(id);
  await change(studio.admin, 'Board', first!.id, { deleted: true });
  await again();
  expect(await run()).toBe(1);
  expect((await boardsOf(id)).map(({ name }) => name)).toEqual(['No. 2']);
  expect(await changeFault(studio.admin, 'Board', first!.id, { deleted: false })).toBe('CONFLICT');
});

test('with a fixed slug the new board takes it from the one before, in one step', async () => {
  const { id } = await makeTemplate(studio, game.id, {
    slug: 'current',
    nextRunAt: at(0),
    endsAt: at(365 * DAY),
    repeatInterval: '1 day',
  });
  await run();
  app.clock.advance(DAY);
  await run();
  const boards = await boardsOf(id);
  expect(boards.map(({ slug, isActive }) => [slug, isActive])).toEqual([
    ['current', false],
    ['current', true],
  ]);
  const { client } = await startSession(app, game.id);
  const submit = `mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { submission { score { rank } } } }`;
  const score = async (boardId: string) => {
    const nonce = await takeNonce(client);
    return client.graphql(submit, {
      input: { boardId, playerName: 'Ann', value: 1, nonce },
    });
  };
  expect((await score(boards[0]!.id)).errors?.[0]?.extensions.code).toBe('BOARD_CLOSED');
  expect((await score(boards[1]!.id)).data.submitScore.submission.score.rank).toBe(1);
});

test("the template's own bounds stand for the window's, each by itself", async () => {
  const nextRunAt = at(0);
  const startsAt = at(HOUR);
  const endsAt = at(9 * DAY);
  const late = await makeTemplate(studio, game.id, { nextRunAt, startsAt });
  const long = await makeTemplate(studio, game.id, { nextRunAt, endsAt });
  await run();
  expect(await boardsOf(late.id)).toMatchObject([{ startsAt, endsAt: at(7 * DAY) }]);
  expect(await boardsOf(long.id)).toMatchObject([{ startsAt: nextRunAt, endsAt }]);
  app.clock.advance(7 * DAY);
  await run();
  expect((await get(long.id)).boards.nodes).toHaveLength(2);
  app.clock.advance(7 * DAY);
  await run();
  expect(await get(long.id)).toMatchObject({ boardsMade: 2, lastError: expect.stringContaining('ends_at') });
});

test('a template that fails shows the reason, waits longer each time, and keeps no other from its board', async () => {
  await makeBoard(studio, game.id, { slug: 'taken' });
  const nextRunAt = at(0);
  const stuck = await makeTemplate(studio, game.id, { slug: 'taken', nextRunAt });
  const well = await makeTemplate(studio, game.id, { slug: 'free', nextRunAt });
  expect(await run()).toBe(1);
  expect(await get(well.id)).toMatchObject({ boardsMade: 1, lastError: null, retryAt: null });
  const sentence = 'Another active board of this game already uses this slug.';
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    expect(await get(stuck.id)).toMatchObject({
      boardsMade: 0,
      nextRunAt,
      lastError: sentence,
      retryAt: at(minutes * MINUTE),
    });
    app.clock.advance(minutes * MINUTE - 1);
    expect(await run()).toBe(0);
    expect((await get(stuck.id)).retryAt).toBe(at(1));
    app.clock.advance(1);
    await run();
  }
  await change(studio.admin, 'BoardTemplate', stuck.id, { slug: 'mine' });
  expect(await run()).toBe(1);
  expect(await get(stuck.id)).toMatchObject({ boardsMade: 1, lastError: null, retryAt: null });
});

test('a template rests while it, its game or its account is inactive or deleted', async () => {
  const other = await makeStudio(app);
  const own = await makeGame(other);
  const nextRunAt = at(0);
  const { id } = await makeTemplate(other, own.id, { nextRunAt, isActive: false });
  expect(await run()).toBe(0);
  await change(other.admin, 'BoardTemplate', id, { isActive: true, deleted: true });
  expect(await run()).toBe(0);
  await change(other.admin, 'BoardTemplate', id, { deleted: false });
  await change(other.admin, 'Game', own.id, { deleted: true });
  expect(await run()).toBe(0);
  await change(other.admin, 'Game', own.id, { deleted: false });
  await change(app.superadmin, 'Account', other.accountId, { status: 'SUSPENDED' });
  expect(await run()).toBe(0);
  await change(app.superadmin, 'Account', other.accountId, { status: 'ACTIVE' });
  expect(await run()).toBe(1);
});

const PREVIEW = `query ($input: PreviewBoardTemplateInput!) {
  previewBoardTemplate(input: $input) { name startsAt untilSaved { name startsAt endsAt } } }`;

test(
  'weeks are those of the time zone; a template of before keeps its windows in UTC until it is saved, ' +
    'and the preview shows both',
  async () => {
    // A Monday in Berlin, where the clock is set forward on the Sunday after.
    const nextRunAt = '2031-03-23T23:00:00.000Z';
    const make = (name: string) =>
      makeTemplate(studio, game.id, {
        ...{ name, nameTemplate: `${name} {week} {date}`, timeZone: 'Europe/Berlin', nextRunAt },
      });
    const [own, before] = [await make('Own'), await make('Before')];
    const stored = app.database.knex('board_templates').where('name', 'Before');
    await stored.clone().update({ windows_from: null });
    const shown = async ({ id }: Data) =>
      (await studio.admin.get(`/v1/board-templates/${id}`)).body.window_time_zone;
    expect([await shown(own), await shown(before)]).toEqual(['Europe/Berlin', 'UTC']);
    app.clock.advance(Date.parse(nextRunAt) - app.clock.now());
    await run();
    const boards = async ({ id }: Data) =>
      (await boardsOf(id)).map(({ name, startsAt, endsAt }) => `${name}: ${startsAt} ${endsAt}`);
    expect(await boards(own)).toEqual([
      'Own 13 2031-03-24: 2031-03-23T23:00:00.000Z 2031-03-30T22:00:00.000Z',
    ]);
    expect(await boards(before)).toEqual([
      'Before 12 2031-03-23: 2031-03-23T23:00:00.000Z 2031-03-30T23:00:00.000Z',
    ]);

    const preview = async ({ id }: Data): Promise<Data[]> =>
      (await studio.admin.data(PREVIEW, { input: { id } })).previewBoardTemplate;
    expect(
      (await preview(own)).map(({ startsAt, untilSaved }) => [startsAt, untilSaved]).slice(0, 2),
    ).toEqual([
      ['2031-03-30T22:00:00.000Z', null],
      ['2031-04-06T22:00:00.000Z', null],
    ]);
    expect((await preview(before))[0]).toEqual({
      name: 'Before 14 2031-03-31',
      startsAt: '2031-03-30T23:00:00.000Z',
      untilSaved: {
        name: 'Before 13 2031-03-30',
        startsAt: '2031-03-30T23:00:00.000Z',
        endsAt: '2031-04-06T23:00:00.000Z',
      },
    });
    // What the console's "Start now" begins with, and what a save without any change does.
    const { boardTemplate } = await studio.admin.data(
      'query ($id: ID!) { boardTemplate(id: $id) { windowStartsAt } }',
      { id: own.id },
    );
    expect(boardTemplate).toEqual({ windowStartsAt: nextRunAt });
    await change(studio.admin, 'BoardTemplate', before.id, {});
    expect(await shown(before)).toBe('Europe/Berlin');
    expect((await preview(before))[0]!.untilSaved).toBeNull();
    app.clock.advance(7 * DAY);
    await run();
    expect((await boards(before))[1]).toBe(
      'Before 14 2031-03-31: 2031-03-30T23:00:00.000Z 2031-04-06T23:00:00.000Z',
    );
    // The preview of other rules is of windows as they would be saved.
    const [in2] = await studio.admin
      .data(PREVIEW, { input: { id: own.id, timeZone: 'Asia/Tokyo', nameTemplate: '{date}' } })
      .then((answer) => answer.previewBoardTemplate);
    expect(in2).toEqual({ name: '2031-04-07', startsAt: '2031-04-06T22:00:00.000Z', untilSaved: null });
  },
);
