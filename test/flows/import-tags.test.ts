import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import { rowsWith } from '../support/dump.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
const imports = new ImportClient(() => studio.admin);
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
beforeEach(async () => {
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

const DIMENSIONS = [
  { name: 'class', values: ['mage', 'rogue'], setBy: 'SERVER' },
  { name: 'mode' },
  { name: 'guild', source: 'PLAYER', values: ['Ravens', 'Foxes'] },
];
const VIEWS = ['class', 'platform', 'country', 'guild'].map((tag) => ({ name: tag, by: [tag] }));
const tagged = () =>
  makeBoard(studio, game.id, {
    ...{ keepStrategy: 'BEST', sortDirection: 'DESC', dimensions: DIMENSIONS, views: VIEWS },
  });

/** Each group of a view with its players, in the order of its name. */
async function groups(boardId: string, view: string): Promise<string[]> {
  const { rows } = await app.database.knex.raw<{ rows: { line: string }[] }>(
    `select r.group_key || ': ' || string_agg(e.player_name, ', ' order by e.rank_key, e.seq) as line
    from board_views v join rankings r on r.board_id = v.board_id and r.view_no = v.view_no
    join entries e on e.board_id = v.board_id and e.generation = r.generation
    where v.board_id = ? and v.name = ? group by r.group_key order by r.group_key`,
    [uuidOf(boardId), view],
  );
  return rows.map(({ line }) => line);
}

const CSV = `external_key,value,country,platform,tags,player_tags
a,3,de,PC: Steam,"{""class"":""mage""}","{""guild"":""Ravens""}"
b,5,DE,,"{""class"":""rogue"",""mode"":""hard""}",{}
c,4,,iOS,,
`;
const NDJSON = [
  { external_key: 'a', value: 3, country: 'de', platform: 'PC: Steam', tags: { class: 'mage' } },
  { external_key: 'a', player_tags: { guild: 'Ravens' } },
  { external_key: 'b', value: 5, country: 'DE', tags: '{"class":"rogue","mode":"hard"}', player_tags: {} },
  { external_key: 'c', value: 4, country: null, platform: 'iOS', tags: null },
]
  .map((line) => JSON.stringify(line))
  .join('\n');

test.each([
  ['csv', CSV],
  ['ndjson', NDJSON],
])('lines are ranked by their country, platform and tags: %s', async (format, content) => {
  const board = await tagged();
  const id = await imports.begin(board.id);
  expect((await imports.send(id, 0, content, { format })).body.bad).toEqual([]);
  await imports.finish(id);
  expect(await groups(board.id, 'class')).toEqual(['mage: a', 'rogue: b']);
  expect(await groups(board.id, 'platform')).toEqual(['PC Steam: a', 'iOS: c']);
  expect(await groups(board.id, 'country')).toEqual(['DE: b, a']);
  expect(await groups(board.id, 'guild')).toEqual(['Ravens: a']);
  await expectSound(app.database, board.id);
  const { body } = await studio.admin.get(`/v1/boards/${board.id}/export?what=events&format=ndjson`);
  const [a] = String(body)
    .split('\n')
    .map((line) => JSON.parse(line || '{}'))
    .filter((line) => line.external_key === 'a');
  expect(a).toMatchObject({ country: 'DE', platform: 'PC: Steam', tags: { class: 'mage' } });
  expect(a.player_tags).toEqual({ guild: 'Ravens' });
});

const line = (more: Data) => JSON.stringify({ external_key: 'a', value: 1, ...more });
const OBJECT = 'must be a JSON object of at most 16 tags with values of 1 to 64 characters';
test.each([
  ['a country of three letters', { country: 'GER' }, 'country must be a two-letter ISO country code'],
  ['a country by name', { country: 'Germany' }, 'country must be a two-letter ISO country code'],
  ['a country that is no text', { country: ['DE'] }, 'country must be a string'],
  ['an invisible platform', { platform: '\u200b' }, 'platform must have a visible character'],
  ['a long platform', { platform: 'p'.repeat(33) }, 'platform must not be longer than 32 characters'],
  ['a platform of two lines', { platform: 'a\nb' }, 'platform must not have control characters'],
  ['tags that are a list', { tags: ['mage'] }, `tags ${OBJECT}`],
  ['tags that are words', { tags: 'mage, rogue' }, `tags ${OBJECT}`],
  ['17 tags', { tags: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`t${n}`, 'x'])) }, OBJECT],
  ['a tag without a value', { tags: { class: null } }, `tags ${OBJECT}`],
  ['a number as a value', { tags: { class: 12345678901234567890n } }, `tags ${OBJECT}`],
  ['a value with a comma', { tags: { mode: 'a,b' } }, `tags ${OBJECT}`],
  ['half a character', { tags: { mode: 'a\ud800' } }, 'tags must not contain NUL or an unpaired surrogate'],
  ['a tag that is not declared', { tags: { guilt: 'x' } }, 'The board has no tag guilt. Its tags: class'],
  ['a tag that is built in', { tags: { platform: 'iOS' } }, 'The board has no tag platform'],
  [
    'a value that is not declared',
    { tags: { class: 'bard' } },
    'The tag class has no value bard. Valid values',
  ],
  ['a tag of players', { tags: { guild: 'Ravens' } }, 'The tag guild is a player tag'],
  ['a tag of runs for a player', { player_tags: { class: 'mage' } }, 'no tag class of players; their tags'],
  ['an unknown value of a player', { player_tags: { guild: 'Owls' } }, 'The tag guild has no value Owls on'],
  ['a nested value', { tags: { mode: [[[[]]]] } }, `tags ${OBJECT}`],
])('a line with %s is refused with the reason', async (_, more, reason) => {
  const board = await tagged();
  const id = await imports.begin(board.id);
  const text = JSON.stringify({ external_key: 'a', value: 1, ...more }, (_key, value) =>
    typeof value === 'bigint' ? 'BIG' : value,
  ).replace('"BIG"', '12345678901234567890');
  const content = `${line({})}\n${text}\n`;
  const { status, body } = await imports.send(id, 0, content, { format: 'ndjson' });
  expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
  expect(body.details).toEqual([
    { loc: ['body', 'content', 2], msg: expect.stringContaining(reason), type: 'line' },
  ]);
  const skipped = await imports.send(id, 0, content, { format: 'ndjson', skip_bad: true });
  expect(skipped.body).toMatchObject({ accepted: 1, bad: [{ line: 2 }] });
});

test('reasons for many bad lines stay short, however many values a tag has', async () => {
  const values = Array.from({ length: 500 }, (_, n) => `${n}`.padStart(64, 'v'));
  const board = await makeBoard(studio, game.id, { dimensions: [{ name: 'track', values }] });
  const id = await imports.begin(board.id);
  const content = `external_key,value,tags\n${'a,1,"{""track"":""x""}"\n'.repeat(400)}`;
  const { status, body } = await imports.send(id, 0, content, { skip_bad: true });
  expect([status, body.bad.length]).toEqual([200, 400]);
  expect(body.bad[0].reason).toMatch(/^The tag track has no value x\. Valid values: v.{200,}…$/);
  expect(body.bad[0].reason.length).toBeLessThan(310);
});

test('an import gives tags only to players that have none, and all their runs follow', async () => {
  const [board, other] = [await tagged(), await tagged()];
  const known: string[] = [];
  for (const key of ['x', 'y']) {
    const player = { game_id: game.id, kind: 'custom', external_key: key, display_name: key };
    const { id } = (await studio.admin.post('/v1/identities', player)).body;
    known.push(id);
    await studio.admin.post('/v1/score-events', { board_id: other.id, identity_id: id, value: 1 });
  }
  const set = await studio.admin.data(
    `mutation ($i: SetIdentityTagsInput!) { setIdentityTags(input: $i) { identity { id } } }`,
    { i: { identityId: known[0], tags: [{ name: 'guild', value: 'Ravens' }] } },
  );
  expect(set.setIdentityTags.identity.id).toBe(known[0]);
  const content = `external_key,value,player_tags
x,3,"{""guild"":""Foxes""}"
y,2,"{""guild"":""Foxes""}"
y,1,"{""guild"":""Ravens""}"
z,1,"{""guild"":""Foxes""}"
`;
  await imports.bringIn(board.id, [content]);
  // The runs of y from before follow in the background.
  await until(async () => (await groups(other.id, 'guild')).length === 2);
  expect(await groups(other.id, 'guild')).toEqual(['Foxes: y', 'Ravens: x']);
  expect(await groups(board.id, 'guild')).toEqual(['Foxes: y, z', 'Ravens: x']);
  for (const { id } of [board, other]) await expectSound(app.database, id);
});

test('a platform of an import is ranked by a view that is declared later', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await imports.bringIn(board.id, ['external_key,value,platform,country\na,1,PC: Steam,DE\nb,2,,\n']);
  const views = [{ name: 'platform', by: ['platform'] }];
  await studio.admin.patch(`/v1/boards/${board.id}`, { views });
  await until(async () => (await groups(board.id, 'platform')).length > 0);
  expect(await groups(board.id, 'platform')).toEqual(['PC Steam: a']);
  await expectSound(app.database, board.id);
});

test('scores in dropped periods are counted by the groups of their lines', async () => {
  const board = await makeBoard(studio, game.id, {
    dimensions: DIMENSIONS,
    views: [{ name: 'daily', period: 'DAY', by: ['country', 'guild'], keepPeriods: 1 }],
  });
  const lines = (key: string) =>
    `external_key,value,occurred_at,country,player_tags\n${key},1,2029-12-20T10:00:00Z,DE,"{""guild"":""Ravens""}"\n`;
  await imports.bringIn(board.id, [lines('a')]);
  app.clock.advance(2 * DAY);
  await until(async () => {
    const { rows } = await app.database.knex.raw(
      `select from rankings where board_id = ? and status = 'dropped'`,
      [uuidOf(board.id)],
    );
    return rows.length === 1;
  });
  expect(await imports.bringIn(board.id, [lines('b')])).toMatchObject({ written: 1, in_dropped_periods: 1 });
});

test('imported origins are in the export of personal data, and gone after an erasure', async () => {
  const board = await tagged();
  const MARK = 'Zanzibarplatform';
  const runs = `external_key,value,country,platform,tags,player_tags
ann,1,ZQ,${MARK},"{""mode"":""${MARK}""}","{""guild"":""Ravens""}"
`;
  await imports.bringIn(board.id, [runs]);
  // One that is still open holds the line itself.
  const open = await imports.begin(board.id);
  expect((await imports.send(open, 0, runs)).status).toBe(200);
  const { body: found } = await studio.admin.get(`/v1/identities?game_id=${game.id}`);
  const { id } = found.data[0];
  const exported = String((await studio.admin.get(`/v1/identities/${id}/export`)).body);
  const records = exported
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  const tags = { mode: MARK, platform: MARK };
  expect(records.find(({ record }) => record === 'score_event')).toMatchObject({
    country: 'ZQ',
    tags: { ...tags, guild: 'Ravens' },
  });
  expect(records.find(({ record }) => record === 'import_row')).toMatchObject({
    ...{ country: 'ZQ', tags, player_tags: { guild: 'Ravens' } },
  });
  expect(records.find(({ record }) => record === 'player_tag')).toMatchObject({ value: 'Ravens' });
  expect((await rowsWith(app.database, MARK)).length).toBeGreaterThan(2);
  expect((await studio.admin.post(`/v1/identities/${id}/erase`, { scores: 'keep' })).status).toBe(200);
  // A group that is empty keeps its name for an hour.
  const left = async () => (await rowsWith(app.database, MARK)).filter((row) => !row.startsWith('rankings:'));
  await until(async () => (await left()).length === 0);
  const { knex } = app.database;
  expect(await knex('player_tags').where('identity_id', uuidOf(id))).toEqual([]);
  expect(await knex('score_events').where('identity_id', uuidOf(id))).toMatchObject([{ country: null }]);
  await expectSound(app.database, board.id);
});
