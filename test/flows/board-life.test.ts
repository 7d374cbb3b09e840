import { EXPIRE_BOARDS } from '../../src/boards/board/expire.js';
import { RUN_TEMPLATES } from '../../src/boards/templates/run.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, SECOND } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Studio,
  startSession,
} from '../support/make.js';
import { until } from '../support/wait.js';

const LIFE = 'phase secondsToStart secondsToEnd isActive';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const at = (offset: number) => new Date(app.clock.now() + offset).toISOString();
const life = async (id: string, caller: Caller = studio.admin): Promise<Data> =>
  (await caller.data(`{ board(by: { id: "${id}" }) { ${LIFE} } }`)).board;
const expire = () => app.app.jobs.run(EXPIRE_BOARDS);

test('a board is upcoming, live and ended by its bounds, before any job has run', async () => {
  const { id } = await makeBoard(studio, game.id, { startsAt: at(HOUR), endsAt: at(DAY) });
  const { client } = await startSession(app, game.id);
  expect(await life(id, client)).toEqual({
    phase: 'UPCOMING',
    secondsToStart: 3_600,
    secondsToEnd: 86_400,
    isActive: true,
  });
  app.clock.advance(HOUR - 1);
  expect(await life(id)).toMatchObject({ phase: 'UPCOMING', secondsToStart: 1 });
  app.clock.advance(1);
  expect(await life(id)).toMatchObject({ phase: 'LIVE', secondsToStart: null, secondsToEnd: 23 * 3_600 });
  app.clock.advance(23 * HOUR - SECOND / 2);
  expect(await life(id)).toMatchObject({ phase: 'LIVE', secondsToEnd: 1 });
  app.clock.advance(SECOND / 2);
  const ended = { phase: 'ENDED', secondsToStart: null, secondsToEnd: null };
  expect(await life(id)).toEqual({ ...ended, isActive: true });
  await expire();
  expect(await life(id)).toEqual({ ...ended, isActive: false });
});

test('visitors find boards by the phase that each shows, at every bound', async () => {
  const own = await makeGame(studio);
  const bounds = [{}, { startsAt: at(HOUR) }, { endsAt: at(HOUR) }, { startsAt: at(HOUR), endsAt: at(DAY) }];
  const boards = await Promise.all(
    bounds.map((given) => makeBoard(studio, own.id, { ...given, isPublished: true })),
  );
  const query = `query ($slug: String!, $phase: BoardPhase) { publicGame(by: { slug: $slug }) { boards(phase: $phase) { nodes
    { shortCode phase } } } }`;
  const found = async (phase: string | null): Promise<Data[]> =>
    (await app.anyone.data(query, { slug: own.slug, phase })).publicGame.boards.nodes;
  for (const step of [0, HOUR - 1, 1, DAY - HOUR - 1, 1]) {
    app.clock.advance(step);
    const all = await found(null);
    expect(all.map(({ shortCode }) => shortCode).toSorted()).toEqual(
      boards.map(({ shortCode }) => shortCode).toSorted(),
    );
    for (const phase of ['UPCOMING', 'LIVE', 'ENDED', 'INACTIVE'])
      expect(await found(phase)).toEqual(all.filter((board) => board.phase === phase));
  }
  await expire();
});

test('a board without bounds is live for ever, or inactive', async () => {
  const { id } = await makeBoard(studio, game.id);
  expect(await life(id)).toMatchObject({ phase: 'LIVE', secondsToStart: null, secondsToEnd: null });
  await change(studio.admin, 'Board', id, { isActive: false, startsAt: at(HOUR), endsAt: at(DAY) });
  expect(await life(id)).toMatchObject({ phase: 'INACTIVE', secondsToStart: null, secondsToEnd: null });
});

test('the expiry job closes boards that are over and no others, and notifies their readers', async () => {
  const over = await makeBoard(studio, game.id, { endsAt: at(HOUR) });
  const open = await makeBoard(studio, game.id, { endsAt: at(HOUR + 1) });
  const gone = await makeBoard(studio, game.id, { endsAt: at(HOUR) });
  await change(studio.admin, 'Board', gone.id, { deleted: true });
  const heard: string[] = [];
  const stop = app.changes.listen((topic) => heard.push(topic));
  const version = async () =>
    (await app.database.knex('board_rankings').where('board_id', over.id.slice(4)).first('version')).version;
  app.clock.advance(HOUR - 1);
  expect(await expire()).toBe(0);
  const before = await version();
  app.clock.advance(1);
  expect(await expire()).toBe(1);
  stop();
  expect(heard).toEqual([over.id]);
  expect(await version()).toBe(before + 1);
  const { board } = await studio.admin.data(`{ board(by: { id: "${over.id}" }) { isActive updatedAt } }`);
  expect(board).toEqual({ isActive: false, updatedAt: at(0) });
  expect(await life(open.id)).toMatchObject({ phase: 'LIVE', isActive: true });
  await change(studio.admin, 'Board', gone.id, { deleted: false });
  expect(await life(gone.id)).toMatchObject({ phase: 'ENDED', isActive: true });
  expect(await expire()).toBe(1);
  app.clock.advance(DAY);
  await expire();
});

test('the expiry job waits for a locked board without delaying the others', async () => {
  const held = await makeBoard(studio, game.id, { endsAt: at(HOUR) });
  const free = await makeBoard(studio, game.id, { endsAt: at(HOUR) });
  app.clock.advance(HOUR);
  const trx = await app.database.knex.transaction();
  await trx('board_rankings').where('board_id', held.id.slice(4)).forUpdate().select('board_id');
  const running = expire();
  await until(async () => !(await life(free.id)).isActive, 1);
  expect(await life(held.id)).toMatchObject({ isActive: true });
  await trx.commit();
  expect(await running).toBe(2);
  expect(await life(held.id)).toMatchObject({ isActive: false });
});

const PERIODS = 'name phase previousBoard { name previousBoard { name } } nextBoard { name phase }';

test('games and visitors walk a series of weekly boards', async () => {
  const { id } = await makeTemplate(studio, game.id, {
    nameTemplate: 'Week {series}',
    series: 'week',
    slug: 'weekly',
    nextRunAt: at(0),
  });
  for (let week = 0; week < 4; week += 1) {
    await app.app.jobs.run(RUN_TEMPLATES);
    app.clock.advance(7 * DAY);
  }
  app.clock.advance(-DAY);
  await makeBoard(studio, game.id, { name: 'By hand', createdFromTemplateId: id });
  const { client } = await startSession(app, game.id);
  const current = { gameSlug: game.slug, slug: 'weekly' };
  const query = `query ($gameSlug: String!, $slug: String!) { board(by: { slug: { game: $gameSlug, board: $slug } }) { id ${PERIODS} } }`;
  const { board } = await client.data(query, current);
  expect(board).toMatchObject({
    name: 'Week 4',
    phase: 'LIVE',
    previousBoard: { name: 'Week 3', previousBoard: { name: 'Week 2' } },
    nextBoard: null,
  });
  const boards = async (): Promise<Data[]> =>
    (
      await client.data(
        `{ boards(filter: {gameId: "${game.id}"}, orderBy: {field: NAME}) { nodes { id ${PERIODS} } } }`,
      )
    ).boards.nodes.filter(({ name }: Data) => /Week|By hand/.test(name));
  expect(
    (await boards()).map(({ name, previousBoard, nextBoard }) => [
      name,
      previousBoard?.name,
      nextBoard?.name,
    ]),
  ).toEqual([
    ['By hand', undefined, undefined],
    ['Week 1', undefined, 'Week 2'],
    ['Week 2', 'Week 1', 'Week 3'],
    ['Week 3', 'Week 2', 'Week 4'],
    ['Week 4', 'Week 3', undefined],
  ]);
  const [, , second, third] = await boards();
  await change(studio.admin, 'Board', third!.id, { isPublished: false });
  const visit = async (): Promise<Data> =>
    (
      await app.anyone.data(
        `query ($gameSlug: String!, $slug: String!) { publicBoard(by: { slug: { game: $gameSlug, board: $slug } }) {
          ${PERIODS} secondsToEnd } }`,
        current,
      )
    ).publicBoard;
  expect(await visit()).toEqual({
    name: 'Week 4',
    phase: 'LIVE',
    secondsToEnd: 86_400,
    previousBoard: { name: 'Week 2', previousBoard: { name: 'Week 1' } },
    nextBoard: null,
  });
  const names = async (caller: Caller) => {
    const found = await caller.data(`{ board(by: { id: "${board.id}" }) { series { nodes { name } } } }`);
    return found.board.series.nodes.map(({ name }: Data) => name);
  };
  expect(await names(client)).toEqual(['Week 4', 'Week 3', 'Week 2', 'Week 1']);
  const sibling = await startSession(app, (await makeGame(studio)).id);
  expect(await names(sibling.client)).toEqual(['Week 4', 'Week 2', 'Week 1']);
  await change(studio.admin, 'Board', second!.id, { deleted: true });
  expect((await visit()).previousBoard).toMatchObject({ name: 'Week 1', previousBoard: null });
  expect((await client.data(query, current)).board.previousBoard).toEqual({
    name: 'Week 3',
    previousBoard: { name: 'Week 1' },
  });
  const made = await client.data(`{ board(by: { id: "${board.id}" }) { createdFromTemplate { config } } }`);
  expect(made.board).toEqual({ createdFromTemplate: null });
});
