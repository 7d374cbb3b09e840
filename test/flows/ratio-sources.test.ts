import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { post, submit, submitFault } from '../support/play.js';
import { within } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let admin: Caller;
let game: Data;
let kills: Data;
let deaths: Data;
let ann: Player;

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const rest = app.anyone;
  admin = rest.with(studio.admin.headers);
});
afterAll(() => app.close());

beforeEach(async () => {
  game = await makeGame(studio, { antiCheatEnabled: false });
  kills = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  deaths = await makeBoard(studio, game.id, { boardType: 'COUNTER', sortDirection: 'ASC' });
  ann = await startSession(app, game.id);
});

const score = (player: Player, board: Data, value: number, name: string, more: Data = {}) =>
  submit(player, board.id, value, { playerName: name, ...more });

const body = (config: Data = {}, more: Data = {}) => ({
  account_id: studio.accountId,
  game_id: game.id,
  name: 'K/D',
  board_type: 'ratio',
  ratio_config: { numerator_board_id: kills.id, denominator_board_id: deaths.id, ...config },
  ...more,
});
const create = (config: Data = {}, more: Data = {}) =>
  admin.got(admin.post('/v1/boards', body(config, more)));

const list = (id: string): Promise<Data> => admin.got(admin.get(`/v1/scores?board_id=${id}&limit=100`));
const lines = async (id: string) =>
  (await list(id)).data.map(
    (entry: Data) => `${entry.rank} ${entry.player_name} ${entry.value} ${entry.value_display}`,
  );

/** Resolves when the board shows this: it follows by itself. */
async function shows(id: string, wanted: string[]): Promise<void> {
  const watch = app.changes.watch(id);
  try {
    while (JSON.stringify(await lines(id)) !== JSON.stringify(wanted))
      await within(watch.next(), `${id} to show ${wanted}`);
  } finally {
    await watch.return?.();
  }
}

test('a ratio board outlives a deleted source, which cannot be named again', async () => {
  await score(ann, kills, 1, 'Ann');
  await score(ann, deaths, 2, 'Ann');
  const board = await create();
  await change(studio.admin, 'Board', deaths.id, { deleted: true });
  await score(ann, kills, 1, 'Ann');
  await shows(board.id, ['1 Ann 1 1.00']);
  await change(studio.admin, 'Board', board.id, { ratioConfig: { decimals: 0 } });
  expect(await lines(board.id)).toEqual(['1 Ann 1 1']);
  const { board: read } = await studio.admin.data(
    'query ($id: ID!) { board(by: { id: $id }) { ratioConfig { denominatorBoardId denominatorBoard { id } } } }',
    { id: board.id },
  );
  expect(read.ratioConfig).toEqual({ denominatorBoardId: deaths.id, denominatorBoard: null });
  expect((await admin.post('/v1/boards', body())).body).toMatchObject({ code: 'BAD_REQUEST' });
});

test('a deleted ratio board catches up when it is restored', async () => {
  const board = await create();
  await change(studio.admin, 'Board', board.id, { deleted: true });
  await score(ann, kills, 1, 'Ann');
  await score(ann, deaths, 2, 'Ann');
  await change(studio.admin, 'Board', board.id, { deleted: false });
  await shows(board.id, ['1 Ann 0.5 0.50']);
});

test('an invalid ratio is refused with a code, and nothing is written', async () => {
  const runs = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const other = await makeBoard(studio, (await makeGame(studio)).id, { boardType: 'COUNTER' });
  const fault = async (config: Data, more: Data = {}) => {
    const { status, body: answer } = await admin.post('/v1/boards', body(config, more));
    return `${status} ${answer.code} ${answer.details?.map((detail: Data) => detail.loc.join('.')).join() ?? ''}`.trim();
  };
  const nil = 'brd_00000000-0000-0000-0000-000000000000';
  expect(await fault({ denominator_board_id: kills.id })).toBe('400 BAD_REQUEST');
  expect(await fault({ denominator_board_id: nil })).toBe('400 BAD_REQUEST');
  expect(await fault({ denominator_board_id: other.id })).toBe('400 BOARD_NOT_IN_GAME');
  expect(await fault({ denominator_board_id: runs.id })).toBe('400 WRONG_BOARD_TYPE');
  const detail = (field: string) => `422 VALIDATION_FAILED body.ratio_config.${field}`;
  expect(await fault({ denominator_board_id: undefined })).toBe(detail('denominator_board_id'));
  expect(await fault({ denominator_board_id: 'brd_x' })).toBe(detail('denominator_board_id'));
  expect(await fault({ scale: 0 })).toBe(detail('scale'));
  expect(await fault({ scale: 'x' })).toBe(detail('scale'));
  expect(await fault({ decimals: 7 })).toBe(detail('decimals'));
  expect(await fault({ decimals: 1.5 })).toBe(detail('decimals'));
  expect(await fault({ zero_denominator_policy: 'NULL' })).toBe(detail('zero_denominator_policy'));
  expect(await fault({ display: 'bars' })).toBe(detail('display'));
  expect(await fault({}, { ratio_config: null })).toBe('422 VALIDATION_FAILED body.ratio_config');
  expect(await fault({}, { board_type: 'counter' })).toBe('422 VALIDATION_FAILED body.ratio_config');
  expect(await fault({}, { keep_strategy: 'best' })).toBe('422 VALIDATION_FAILED body.keep_strategy');
  const { body: answer } = await admin.post('/v1/boards', body({ zero_denominator_policy: 'none' }));
  expect(answer.details[0].msg).toBe('must be one of null, zero, infinity');
  expect((await admin.got(admin.get(`/v1/boards?game_id=${game.id}`))).data).toHaveLength(3);
  expect(await app.database.knex('ratio_configs').where('numerator_board_id', kills.id.slice(4))).toEqual([]);

  const board = await create();
  const patched = async (id: string, changes: Data) => {
    const { status, body: refusal } = await admin.patch(`/v1/boards/${id}`, changes);
    return `${status} ${refusal.code}`;
  };
  expect(await patched(board.id, { ratio_config: null })).toBe('422 VALIDATION_FAILED');
  expect(await patched(board.id, { ratio_config: { scale: null } })).toBe('422 VALIDATION_FAILED');
  expect(await patched(board.id, { ratio_config: { denominator_board_id: kills.id } })).toBe(
    '400 BAD_REQUEST',
  );
  expect(await patched(board.id, { ratio_config: { numerator_board_id: board.id } })).toBe(
    '400 WRONG_BOARD_TYPE',
  );
  expect(await patched(board.id, { keep_strategy: 'best' })).toBe('400 INVALID_TRANSITION');
  expect(await patched(kills.id, { ratio_config: { scale: 2 } })).toBe('400 WRONG_BOARD_TYPE');
  expect(await submitFault(ann, board.id, 1)).toBe('WRONG_BOARD_TYPE');
  expect((await post(ann, { board_id: board.id, value: 1 })).body.code).toBe('WRONG_BOARD_TYPE');
  expect((await admin.get(`/v1/boards/${board.id}`)).body).toEqual(board);
});
