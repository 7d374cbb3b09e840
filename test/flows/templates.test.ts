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
  unique,
} from '../support/make.js';

const CREATE = `mutation ($input: CreateBoardTemplateInput!) {
  createBoardTemplate(input: $input) { boardTemplate { ${TEMPLATE} } }
}`;
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
const input = (over: Data) => ({
  accountId: studio.accountId,
  gameId: game.id,
  name: 'Weekly',
  repeatInterval: '1 week',
  nextRunAt: at(DAY),
  ...over,
});
const refusal = (over: Data) => studio.admin.code(CREATE, { input: input(over) });

test('a template has its defaults and the given values', async () => {
  const bare = (await studio.admin.data(CREATE, { input: input({}) })).createBoardTemplate.boardTemplate;
  expect(bare).toMatchObject({
    slug: null,
    nameTemplate: null,
    series: null,
    isActive: true,
    isPublished: true,
    icon: 'fa-crown',
    unit: null,
    boardType: 'RUN_RUNS',
    sortDirection: 'DESC',
    keepStrategy: 'ALL',
    startsAt: null,
    endsAt: null,
    tags: [],
    config: {},
    boardsMade: 0,
    lastError: null,
  });
  const full = {
    name: ' Season ',
    slug: 'season',
    nameTemplate: 'Season {series} ({quarter} {year})',
    series: 'season',
    repeatInterval: '2 weeks',
    nextRunAt: '2031-02-03T04:05:06.007+02:00',
    isActive: false,
    isPublished: false,
    icon: 'fa-star',
    unit: 'points',
    boardType: 'RUN_IDENTITY',
    sortDirection: 'ASC',
    startsAt: '2031-01-01T00:00:00Z',
    endsAt: '2032-01-01T00:00:00Z',
    tags: ['a ', 'b'],
    config: { rewards: [{ rank: 1, 'gold coins': 5 }], snake_case: true },
  };
  const made = (await studio.admin.data(CREATE, { input: input(full) })).createBoardTemplate.boardTemplate;
  expect(made).toMatchObject({
    ...full,
    name: 'Season',
    nextRunAt: '2031-02-03T02:05:06.007Z',
    keepStrategy: 'BEST',
    startsAt: '2031-01-01T00:00:00.000Z',
    endsAt: '2032-01-01T00:00:00.000Z',
    tags: ['a', 'b'],
  });
});

test('invalid intervals and patterns are refused by name', async () => {
  for (const repeatInterval of ['', '0 days', '1 month', '1  day', '30 seconds']) {
    const { extensions } = await studio.admin.fault(CREATE, { input: input({ repeatInterval }) });
    expect(extensions.details).toMatchObject([{ loc: ['repeatInterval'], type: 'interval' }]);
  }
  for (const nameTemplate of ['{yaer}', '{series}', '{year', '{month} '.repeat(12)]) {
    const { extensions } = await studio.admin.fault(CREATE, { input: input({ nameTemplate }) });
    expect(extensions.details).toMatchObject([{ loc: ['nameTemplate'], type: 'placeholder' }]);
  }
});

test('an invalid template is refused', async () => {
  for (const over of [
    { name: ' ' },
    { name: 'Week {wek}' },
    { boardType: 'RATIO' },
    { boardType: 'RUN_IDENTITY', keepStrategy: 'ALL' },
    { boardType: 'COUNTER', keepStrategy: 'BEST' },
    { startsAt: at(DAY), endsAt: at(DAY) },
    { tags: [''] },
    { config: { big: 'x'.repeat(8_192) } },
  ]) {
    expect([over, await refusal(over)]).toEqual([over, 'VALIDATION_FAILED']);
  }
  expect(await refusal({ slug: 'No Slug' })).toBe('INVALID_SLUG');
  expect((await makeTemplate(studio, game.id, { name: '★★★' })).name).toBe('★★★');
});

test('a template belongs to a live game of the account it names', async () => {
  const other = await makeStudio(app);
  const foreign = await makeGame(other);
  expect(await refusal({ gameId: foreign.id })).toBe('GAME_NOT_IN_ACCOUNT');
  expect(await refusal({ accountId: other.accountId })).toBe('FORBIDDEN');
  expect(await refusal({ gameId: `gam_${studio.accountId.slice(4)}` })).toBe('NOT_FOUND');
  const { id } = await makeTemplate(other, foreign.id);
  expect(await studio.admin.code(GET, { id })).toBe('FORBIDDEN');
  expect(await changeFault(studio.admin, 'BoardTemplate', id, { name: 'Mine' })).toBe('FORBIDDEN');
  const { client } = await startSession(app, game.id);
  expect(await client.code(GET, { id })).toBe('API_KEY_REQUIRED');
});

test('a template is changed, deleted and restored', async () => {
  const { id } = await makeTemplate(studio, game.id, {
    nameTemplate: 'Week {week}',
    series: 's',
    unit: 'points',
  });
  await change(studio.admin, 'BoardTemplate', id, { nameTemplate: null, unit: null, keepStrategy: 'BEST' });
  expect(await get(id)).toMatchObject({ nameTemplate: null, unit: null, boardType: 'RUN_IDENTITY' });
  await change(studio.admin, 'BoardTemplate', id, { boardType: 'COUNTER' });
  expect(await get(id)).toMatchObject({ boardType: 'COUNTER', keepStrategy: 'ALL' });
  const fault = (over: Data) => changeFault(studio.admin, 'BoardTemplate', id, over);
  expect(await fault({ keepStrategy: 'BEST' })).toBe('INVALID_TRANSITION');
  expect(await fault({ boardType: 'RATIO' })).toBe('VALIDATION_FAILED');
  expect(await fault({ repeatInterval: '1 month' })).toBe('VALIDATION_FAILED');
  expect(await fault({ name: null })).toBe('VALIDATION_FAILED');
  await change(studio.admin, 'BoardTemplate', id, { nameTemplate: 'No. {series}' });
  expect(await fault({ series: null })).toBe('VALIDATION_FAILED');
  await change(studio.admin, 'BoardTemplate', id, { startsAt: at(DAY) });
  expect(await fault({ endsAt: at(HOUR) })).toBe('BAD_REQUEST');

  await change(studio.admin, 'BoardTemplate', id, { deleted: true });
  expect(await studio.admin.code(GET, { id })).toBe('NOT_FOUND');
  expect(await fault({ name: 'Gone' })).toBe('NOT_FOUND');
  const list = () => studio.admin.data(`{ boardTemplates(filter: {gameId: "${game.id}"}) { nodes { id } } }`);
  expect((await list()).boardTemplates.nodes).toEqual([]);
  const restored = await studio.admin.data(
    `mutation { restore(input: { id: "${id}" }) { node { id __typename } } }`,
  );
  expect(restored.restore.node).toEqual({ id, __typename: 'BoardTemplate' });
  expect((await list()).boardTemplates.nodes).toEqual([{ id }]);
});

test('a board can be linked to a template by hand', async () => {
  const { id } = await makeTemplate(studio, game.id, { nextRunAt: at(0) });
  await run();
  const board = await makeBoard(studio, game.id, { createdFromTemplateId: id, templateName: 'By hand' });
  const elsewhere = await makeTemplate(studio, (await makeGame(studio)).id);
  expect(await changeFault(studio.admin, 'Board', board.id, { createdFromTemplateId: elsewhere.id })).toBe(
    'BAD_REQUEST',
  );
  const foreign = await makeStudio(app);
  const theirs = await makeTemplate(foreign, (await makeGame(foreign)).id);
  expect(await changeFault(studio.admin, 'Board', board.id, { createdFromTemplateId: theirs.id })).toBe(
    'FORBIDDEN',
  );
  const boards = await boardsOf(id);
  expect(boards.map(({ seriesNumber, templateName }) => [seriesNumber, templateName])).toEqual([
    [1, (await get(id)).name],
    [null, 'By hand'],
  ]);
  // One that leaves its series and comes back is no longer a number of it.
  await change(studio.admin, 'Board', boards[0]!.id, { createdFromTemplateId: null });
  await change(studio.admin, 'Board', boards[0]!.id, { createdFromTemplateId: id });
  expect((await boardsOf(id)).map(({ seriesNumber }) => seriesNumber)).toEqual([null, null]);
});

test('lists of templates have filters, orders and pages', async () => {
  const names = ['Charlie', 'Alpha', 'Bravo'];
  for (const [index, name] of names.entries()) {
    await makeTemplate(studio, game.id, {
      name,
      isActive: index > 0,
      nextRunAt: at((index + unique()) * DAY),
    });
    app.clock.advance(MINUTE);
  }
  const list = async (args: string) =>
    (await studio.admin.data(`{ boardTemplates(${args}) { nodes { name } } }`)).boardTemplates.nodes.map(
      ({ name }: Data) => name,
    );
  const own = `gameId: "${game.id}"`;
  expect(await list(`filter: {${own}}`)).toEqual(names.toReversed());
  expect(await list(`filter: {${own}}, orderBy: {field: NAME}`)).toEqual(names.toSorted());
  expect(await list(`filter: {${own}}, orderBy: {field: NEXT_RUN_AT}`)).toEqual(names);
  const active = `filter: {${own}, isActive: true}, orderBy: {field: NAME, direction: DESC}`;
  expect(await list(active)).toEqual(['Bravo', 'Alpha']);
  expect(await studio.admin.code('{ boardTemplates(orderBy: {field: SLUG}) { nodes { id } } }')).toBe(
    'BAD_REQUEST',
  );
});
