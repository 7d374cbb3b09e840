import { startApp, type TestApp } from '../support/app.js';
import { DAY, MINUTE } from '../support/clock.js';
import { flag, makePlayer, play, review } from '../support/flags.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  makeUser,
  type Studio,
  startSession,
} from '../support/make.js';
import { standings } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const PREVIEW = `query ($input: PreviewBoardTemplateInput!) {
  previewBoardTemplate(input: $input) { name seriesNumber madeAt startsAt endsAt fault } }`;
const WEEK = 7 * DAY;

async function preview(input: Data, id?: string): Promise<Data[]> {
  return (await studio.admin.data(PREVIEW, { input: { id, ...input } })).previewBoardTemplate;
}

test('the next five boards of a template are those that it makes', async () => {
  const start = app.clock.now() + DAY;
  const at = (millis: number) => new Date(millis).toISOString();
  const input = {
    name: 'Weekly',
    nameTemplate: 'Week {week}, {series}',
    series: 'week',
    repeatInterval: '1 weeks',
    nextRunAt: at(start),
  };
  const shown = await preview(input);
  expect(
    shown.map(({ seriesNumber, startsAt, endsAt, madeAt, fault }) => [
      seriesNumber,
      madeAt,
      startsAt,
      endsAt,
      fault,
    ]),
  ).toEqual(
    [0, 1, 2, 3, 4].map((i) => [
      i + 1,
      at(start + i * WEEK),
      at(start + i * WEEK),
      at(start + (i + 1) * WEEK),
      null,
    ]),
  );
  const { createBoardTemplate } = await studio.admin.data(
    `mutation ($input: CreateBoardTemplateInput!) { createBoardTemplate(input: $input) { boardTemplate { id } } }`,
    { input: { accountId: studio.accountId, gameId: game.id, ...input } },
  );
  const { id } = createBoardTemplate.boardTemplate;
  expect(await preview({}, id)).toEqual(shown);
  app.clock.advance(DAY + MINUTE);
  await app.app.jobs.run('run-board-templates');
  const { boards } = await studio.admin.data(
    'query ($game: ID!) { boards(filter: {gameId: $game}) { nodes { name startsAt endsAt seriesNumber } } }',
    { game: game.id },
  );
  const { name, seriesNumber, startsAt, endsAt } = shown[0]!;
  expect(boards.nodes).toEqual([{ name, seriesNumber, startsAt, endsAt }]);
  expect((await preview({}, id)).slice(0, 4)).toEqual(shown.slice(1));
  // A window that has begun is made at once, those before it are skipped.
  const late = await preview({ nextRunAt: at(start - 10 * WEEK), series: null, nameTemplate: null }, id);
  expect(late[0]).toMatchObject({ name: 'Weekly', madeAt: at(app.clock.now()), startsAt: at(start) });
});

test('a preview names the boards that would not be made, and refuses invalid input as a template does', async () => {
  const now = app.clock.now();
  const input = { name: 'Daily', repeatInterval: '1 days', nextRunAt: new Date(now).toISOString() };
  const endsAt = new Date(now + 2.5 * DAY).toISOString();
  const shown = await preview({ ...input, endsAt });
  expect(shown.map(({ fault }) => fault === null)).toEqual([true, true, true, false, false]);
  expect(shown[3]).toMatchObject({ startsAt: null, endsAt: null, fault: expect.stringContaining('ends_at') });
  const refused: Data[] = [
    {},
    { name: 'Daily', repeatInterval: '1 days' },
    { ...input, repeatInterval: 'often' },
    { ...input, nameTemplate: '{series}' },
    { ...input, nameTemplate: '{never}' },
  ];
  for (const faulty of refused) {
    expect([faulty, await studio.admin.code(PREVIEW, { input: faulty })]).toEqual([
      faulty,
      'VALIDATION_FAILED',
    ]);
  }
  expect(await studio.admin.code(PREVIEW, { input: { id: game.id } })).toBe('VALIDATION_FAILED');
});

test('administrators list deleted records and restore them; game clients do not', async () => {
  const own = await makeGame(studio);
  const [kept, gone] = [await makeBoard(studio, own.id), await makeBoard(studio, own.id)];
  const { session, client } = await startSession(app, own.id);
  const left = await startSession(app, own.id);
  await change(studio.admin, 'Board', gone.id, { deleted: true });
  await change(studio.admin, 'Device', await deviceOf(left.session), { deleted: true });
  const lists = async (more: string) => {
    const { boards, devices } = await studio.admin.data(
      `query ($game: ID!) { boards(filter: {gameId:
        $game${more}}) { nodes { id } } devices(filter: {gameId: $game${more}}) { nodes { id } } }`,
      { game: own.id },
    );
    return [boards, devices].map(({ nodes }) => nodes.map(({ id }: Data) => id));
  };
  expect(await lists('')).toEqual([[kept.id], [await deviceOf(session)]]);
  expect(await lists(', isDeleted: false')).toEqual(await lists(''));
  expect(await lists(', isDeleted: true')).toEqual([[gone.id], [await deviceOf(left.session)]]);
  const { body } = await studio.admin.get(`/v1/boards?game_id=${own.id}&deleted=true`);
  expect(body.data.map(({ id }: Data) => id)).toEqual([gone.id]);
  expect(await client.code('{ boards(filter: {isDeleted: true}) { nodes { id } } }')).toBe(
    'API_KEY_REQUIRED',
  );
  const stranger = await makeStudio(app);
  expect(
    (await stranger.admin.data('{ boards(filter: {isDeleted: true}) { nodes { id } } }')).boards.nodes,
  ).toEqual([]);
  await change(studio.admin, 'Board', gone.id, { deleted: false });
  expect((await lists(', isDeleted: true'))[0]).toEqual([]);
  await change(studio.admin, 'Game', own.id, { deleted: true });
  const { games } = await studio.admin.data('{ games(filter: {isDeleted: true}) { nodes { id } } }');
  expect(games.nodes).toEqual([{ id: own.id }]);
});

test('deletions and restorations stand in the audit trail, each once', async () => {
  const own = await makeGame(studio);
  const board = await makeBoard(studio, own.id);
  const template = await makeTemplate(studio, own.id);
  const player = await makePlayer(studio.admin, own.id, 'gone');
  const device = await deviceOf((await startSession(app, own.id)).session);
  const user = await makeUser(app.superadmin, studio.accountId);
  const records: [string, string][] = [
    ['Board', board.id],
    ['BoardTemplate', template.id],
    ['Identity', player],
    ['Device', device],
    ['User', user.id],
    ['Game', own.id],
  ];
  const trail = async (subject: string) => {
    const { auditEntries } = await studio.admin.data(
      'query ($subject: ID) { auditEntries(filter: {subjectId: $subject}) { nodes { action gameId user { id } after } } }',
      { subject },
    );
    return auditEntries.nodes.filter(({ action }: Data) => /DELETED|RESTORED/.test(action));
  };
  for (const [kind, id] of records) {
    await change(studio.admin, kind, id, { deleted: true });
    await change(studio.admin, kind, id, { deleted: true });
    await change(studio.admin, kind, id, { deleted: false });
    const common = { gameId: kind === 'User' ? null : own.id, user: { id: studio.userId } };
    expect([kind, (await trail(id)).toSorted((a: Data, b: Data) => (a.action < b.action ? -1 : 1))]).toEqual([
      kind,
      [
        { ...common, action: 'RECORD_DELETED', after: { deleted: true } },
        { ...common, action: 'RECORD_RESTORED', after: { deleted: false } },
      ],
    ]);
  }
});

/** The device of a session. */
async function deviceOf({ identityId }: Data): Promise<string> {
  const row = await app.database.knex('devices').where('identity_id', identityId.slice(4)).first('id');
  return `dev_${row.id}`;
}

test('the preview of a decision shows its effect, and changes nothing', async () => {
  const own = await makeGame(studio, { antiCheatEnabled: false });
  const board = await makeBoard(studio, own.id, {
    keepStrategy: 'BEST',
    boardType: 'RUN_IDENTITY',
    tiePolicy: 'DENSE',
  });
  const players = [];
  for (const name of ['a', 'b', 'c', 'd']) players.push(await makePlayer(studio.admin, own.id, name));
  for (const [i, value] of [40, 30, 30, 10].entries()) await play(studio.admin, board.id, players[i]!, value);
  const event = await play(studio.admin, board.id, players[3]!, 50);
  const { id } = await flag(studio.admin, event);
  const query = `query ($id: ID!, $status: FlagStatus!) {
    previewScoreFlagReview(input: { id: $id, status: $status }) { before { ...Entry } after { ...Entry } othersMoved } }
    fragment Entry on LiveEntry { rank displayRank value playerName identity { id } }`;
  const shown = async (status: string) =>
    (await studio.admin.data(query, { id, status })).previewScoreFlagReview;
  const before = await standings(studio.admin, board.id);
  const of = { playerName: 'P', identity: { id: players[3]! } };
  const effect = {
    before: { rank: 1, displayRank: 1, value: 50, ...of },
    after: { rank: 4, displayRank: 3, value: 10, ...of },
    othersMoved: 3,
  };
  expect(await shown('CONFIRMED_CHEAT')).toEqual(effect);
  expect(await shown('DISMISSED')).toEqual({ before: effect.before, after: effect.before, othersMoved: 0 });
  expect(await standings(studio.admin, board.id)).toEqual(before);
  await review(studio.admin, id, { status: 'CONFIRMED_CHEAT' });
  expect((await standings(studio.admin, board.id)).at(-1)).toContain(' 10');
  expect(await shown('PENDING')).toEqual({ before: effect.after, after: effect.before, othersMoved: 3 });
  const stranger = await makeStudio(app);
  expect(await stranger.admin.code(query, { id, status: 'DISMISSED' })).toBe('FORBIDDEN');
});
