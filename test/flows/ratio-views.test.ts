import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Changes } from '../../src/db/changes.js';
import { Builds } from '../../src/rankings/upkeep/builds.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';
import type { RatioRules } from '../support/ratio.js';
import { expectExactRatioViews } from '../support/ratio-views.js';
import { expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';

// Views of ratio boards: the ratio of the two sources' entries in the rankings of the same key.

const DAY = 86_400_000;
const VIEWS = [
  // No test but that of dropped periods has one that is not kept: the service's own task would drop it at any moment.
  { name: 'daily', period: 'DAY', keepPeriods: 10 },
  { name: 'class', by: ['class'] },
];
const CLASSES = [{ name: 'class', values: ['mage', 'rogue'] }];
const PLAIN: RatioRules = {
  ...{ swapped: false, zero: 'null', minNumerator: 0, minDenominator: 0, scale: 1 },
  ...{ display: 'raw', decimals: 2 },
};

let app: TestApp;
let studio: Studio;
let admin: Caller;
let game: Data;
let kills: Data;
let deaths: Data;
let ann: Player;
let bob: Player;
let ratios: Ratios;
let builds: Builds;
let retirement: Retirement;
beforeAll(async () => {
  app = await startApp({ accessTokenSeconds: 30 * 86_400, refreshTokenSeconds: 60 * 86_400 });
  studio = await makeStudio(app);
  admin = studio.admin;
  const [db, now, log, nothing] = [app.database, app.clock.now, makeLog('fatal'), () => undefined];
  ratios = new Ratios(db, now, log, new Changes(), nothing);
  builds = new Builds(db, now, log, nothing);
  retirement = new Retirement(db, now, log, nothing);
});
afterAll(async () => {
  await Promise.all([ratios.close(), builds.close(), retirement.close()]);
  await app.close();
});
beforeEach(async () => {
  game = await makeGame(studio, { antiCheatEnabled: false });
  const source = { boardType: 'COUNTER', dimensions: CLASSES, views: VIEWS };
  [kills, deaths] = [await makeBoard(studio, game.id, source), await makeBoard(studio, game.id, source)];
  [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
});

const config = () => ({ numeratorBoardId: kills.id, denominatorBoardId: deaths.id });
const ratio = (input: Data = {}) =>
  makeBoard(studio, game.id, { boardType: 'RATIO', ratioConfig: config(), views: VIEWS, ...input });
const createFault = (input: Data) =>
  studio.admin.code('mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board { id } } }', {
    input: {
      ...{ accountId: studio.accountId, gameId: game.id, name: 'Ratio', boardType: 'RATIO' },
      ...{ ratioConfig: config(), ...input },
    },
  });
const updateFault = (board: Data, input: Data) => changeFault(studio.admin, 'Board', board.id, input);

async function play(player: Player, won: number, lost: number, playerName: string, kind: string) {
  await submit(player, kills.id, won, { playerName, tags: { class: kind } });
  await submit(player, deaths.id, lost, { playerName, tags: { class: kind } });
}

const follow = () =>
  until(async () => {
    const followed = await ratios.followAll();
    // The service's own task builds declared views, and boards after an import.
    const building =
      (await app.database.knex('board_views').where('status', 'building').first()) ??
      (await app.database.knex('board_rankings').whereNotNull('build').first());
    return followed === 0 && !building;
  });
const exact = (board: Data) =>
  expectExactRatioViews(app.database, board.id, kills.id, deaths.id, 'desc', PLAIN);
const viewsOf = async ({ id }: Data): Promise<string[]> =>
  (
    await studio.admin.data('query ($id: ID!) { board(by: { id: $id }) { views { name } } }', { id })
  ).board.views.map(({ name }: Data) => name);
const lines = async (board: Data, query: string): Promise<string[]> => {
  const { data } = await admin.got(admin.get(`/v1/scores?board_id=${board.id}&${query}`));
  return data.map((row: Data) => `${row.rank} ${row.player_name} ${row.value}`);
};

test('a view of a ratio board ranks the ratios in each period and group, and follows both sources', async () => {
  await play(ann, 6, 4, 'Ann', 'mage');
  await play(bob, 5, 2, 'Bob', 'rogue');
  const board = await ratio();
  expect(await lines(board, 'view=daily')).toEqual(['1 Bob 2.5', '2 Ann 1.5']);
  app.clock.advance(DAY);
  await play(ann, 9, 1, 'Ann', 'rogue');
  await follow();
  expect(await lines(board, 'view=daily')).toEqual(['1 Ann 9']);
  expect(await lines(board, 'view=daily&of=previous')).toEqual(['1 Bob 2.5', '2 Ann 1.5']);
  expect(await lines(board, 'view=class&where=class:rogue')).toEqual(['1 Ann 9', '2 Bob 2.5']);
  const ranked = (where: string) =>
    studio.admin.get(`/v1/scores?board_id=${board.id}&view=class&where=class:${where}`);
  const strange = await ranked('bard');
  expect([strange.status, strange.body.code]).toEqual([400, 'INVALID_VIEW']);
  expect(strange.body.error).toContain('Valid values: mage, rogue');
  // A value that one of the sources does not declare has no ratio.
  await change(studio.admin, 'Board', deaths.id, {
    dimensions: [{ name: 'class', values: ['rogue', 'bard'] }],
  });
  expect((await ranked('mage')).status).toBe(400);
  expect((await ranked('rogue')).status).toBe(200);
  await change(studio.admin, 'Board', deaths.id, { dimensions: [{ name: 'class' }] });
  expect((await ranked('mage')).status).toBe(200);
  expect((await ranked('bard')).status).toBe(400);
  const { standings } = await admin.got(
    admin.get(`/v1/boards/${board.id}/standings?identity_id=${ann.session.identityId}`),
  );
  expect(standings.map((row: Data) => [row.view, row.where, row.rank, row.total])).toEqual([
    ['daily', null, 1, 1],
    ['class', { class: 'rogue' }, 1, 2],
  ]);
  expect(await exact(board)).toBe(6);
  for (const { id } of [kills, deaths, board]) await expectSound(app.database, id);
});

test('a view that both sources do not have alike is refused, and so is another calendar of one of the boards', async () => {
  const other = await makeBoard(studio, game.id, { boardType: 'COUNTER', dimensions: CLASSES });
  const views = [VIEWS[0]];
  expect(await createFault({ views: [{ name: 'weekly', period: 'WEEK' }] })).toBe('INVALID_VIEW');
  expect(await createFault({ views: [{ name: 'daily', period: 'WEEK' }] })).toBe('INVALID_VIEW');
  expect(await createFault({ views, timeZone: 'Europe/Berlin' })).toBe('INVALID_VIEW');
  expect(await createFault({ views, ratioConfig: { ...config(), numeratorBoardId: other.id } })).toBe(
    'INVALID_VIEW',
  );
  const board = await ratio();
  expect(await updateFault(board, { ratioConfig: { denominatorBoardId: other.id } })).toBe('INVALID_VIEW');
  for (const { id } of [board, kills, deaths]) {
    expect(await changeFault(studio.admin, 'Board', id, { dayStart: '04:00' })).toBe('INVALID_VIEW');
  }
  expect(await viewsOf(board)).toEqual(['daily', 'class']);

  // The ratio board loses a view that a source drops, and gets it back when it declares it again.
  await change(studio.admin, 'Board', kills.id, { views: [VIEWS[1]] });
  expect(await viewsOf(board)).toEqual(['class']);
  expect(await updateFault(board, { views: VIEWS })).toBe('INVALID_VIEW');
  await change(studio.admin, 'Board', kills.id, { views: VIEWS });
  await change(studio.admin, 'Board', board.id, { views: VIEWS });
  expect(await viewsOf(board)).toEqual(['class', 'daily']);

  // A deleted ratio board keeps no source from changing.
  await change(studio.admin, 'Board', board.id, { deleted: true });
  await change(studio.admin, 'Board', kills.id, { dayStart: '04:00' });
  await change(studio.admin, 'Board', board.id, { deleted: false });
  expect(await viewsOf(board)).toEqual(['class']);
});

test('a source drops no view that a ratio board names; a drop is in the trail and shown at once', async () => {
  const [named, closing] = [
    await ratio({ defaultView: 'daily' }),
    await ratio({ closingRules: [{ view: 'daily', places: 3 }] }),
  ];
  const drop = () => changeFault(studio.admin, 'Board', kills.id, { views: [VIEWS[1]] });
  expect(await drop()).toBe('INVALID_VIEW');
  await change(studio.admin, 'Board', named.id, { defaultView: null });
  expect(await drop()).toBe('INVALID_VIEW');
  await change(studio.admin, 'Board', closing.id, { deleted: true });
  await viewsOf(named);
  await change(studio.admin, 'Board', kills.id, { views: [VIEWS[1]] });
  expect(await viewsOf(named)).toEqual(['class']);

  const { auditEntries } = await studio.admin.data(
    'query ($id: ID!) { auditEntries(filter: { subjectId: $id }) { nodes { before after } } }',
    { id: named.id },
  );
  const { before, after } = auditEntries.nodes.at(-1);
  expect([before.views.length, after.views.map(({ name }: Data) => name)]).toEqual([2, ['class']]);
  // Restored, it names no view that it doesn't have.
  await change(studio.admin, 'Board', closing.id, { deleted: false });
  await change(studio.admin, 'Board', closing.id, { endsAt: new Date(app.clock.now() + DAY).toISOString() });
  await change(studio.admin, 'Board', closing.id, { closingRules: [] });
});

test('other sources, rules and imports are in all rankings once they are built, also in those of views declared later', async () => {
  await play(ann, 6, 4, 'Ann', 'mage');
  await play(bob, 5, 2, 'Bob', 'rogue');
  const [early, late] = [await ratio(), await ratio({ views: [] })];
  const at = new Date(app.clock.now() - 9 * DAY).toISOString();
  const csv = `identity_kind,external_key,player_name,value,occurred_at\ncustom,c,Cid,8,${at}`;
  const imports = new ImportClient(() => studio.admin);
  await imports.bringIn(kills.id, [csv]);
  await imports.bringIn(deaths.id, [csv.replace(',8,', ',2,')]);
  await builds.work();
  await change(studio.admin, 'Board', late.id, { views: VIEWS });
  await follow();
  for (const board of [early, late]) {
    expect(await exact(board)).toBe(5);
    await expectSound(app.database, board.id);
  }
  await change(studio.admin, 'Board', early.id, {
    ratioConfig: { numeratorBoardId: deaths.id, denominatorBoardId: kills.id },
  });
  expect(await lines(early, 'view=class&where=class:mage')).toEqual(['1 Ann 0.6666666666666666']);
  await expectSound(app.database, early.id);
});

test('a period that a source keeps no longer is dropped on the ratio board first, with all of its scores', async () => {
  const board = await ratio({ views: [{ ...VIEWS[0], keepPeriods: 20 }] });
  await play(ann, 6, 4, 'Ann', 'mage');
  app.clock.advance(11 * DAY);
  const dropped = async ({ id }: Data) =>
    (await app.database.knex('rankings').where({ board_id: uuidOf(id), status: 'dropped' })).length;
  // The service's own task may have followed by now, so each step can be done already, but none too early.
  await until(async () => {
    await retirement.retire();
    const [ofRatio, ofKills, ofDeaths] = [await dropped(board), await dropped(kills), await dropped(deaths)];
    expect(ofKills + ofDeaths === 0 || ofRatio === 1).toBe(true);
    return ofKills + ofDeaths === 2;
  }, 50);
  const [ranking] = await app.database
    .knex('rankings')
    .where({ board_id: uuidOf(board.id) })
    .where('view_no', '>', 0);
  expect(ranking).toMatchObject({ status: 'dropped', total_at_drop: 1, podium: [{ rank: 1, value: 1.5 }] });
  for (const { id } of [kills, deaths, board]) await expectSound(app.database, id);
});
