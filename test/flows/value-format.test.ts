import { parse } from 'csv-parse/sync';
import { uuidOf } from '../../src/base/ids.js';
import { RUN_TEMPLATES } from '../../src/boards/templates/run.js';
import { startApp, type TestApp } from '../support/app.js';
import { EVENTS, SCORES, takeNonces } from '../support/batches.js';
import { type Caller, type Data, send } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { begin, dataOf, until } from '../support/live.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { post, submit } from '../support/play.js';
import { openPage, places } from '../support/public-page.js';
import { TestSocket } from '../support/socket.js';

const TIME = { kind: 'TIME' };
const MILLIS = { kind: 'TIME', timeUnit: 'MILLISECONDS' };

let app: TestApp;
let studio: Studio;
let admin: Caller;
let game: Data;
let ann: Player;
let bob: Player;
beforeAll(async () => {
  app = await startApp({ publicUiUrl: 'https://boards.example' });
  studio = await makeStudio(app);
  admin = studio.admin;
  game = await makeGame(studio, { antiCheatEnabled: false });
  [ann, bob] = await Promise.all([startSession(app, game.id), startSession(app, game.id)]);
});
afterAll(() => app.close());

const boardOf = (input: Data) => makeBoard(studio, game.id, { keepStrategy: 'BEST', ...input });
const read = async (path: string): Promise<Data> => {
  const { status, body } = await admin.get(path);
  expect(status).toBe(200);
  return body;
};
const patch = (path: string, body: Data) =>
  send(app.url + path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...admin.headers },
    body: JSON.stringify(body),
  });
const texts = async (path: string): Promise<(string | null)[]> =>
  (await read(path)).data.map((row: Data) => row.value_display);

test('boards and templates have a format, which null clears and ratio boards refuse', async () => {
  const board = await boardOf({ format: TIME, unit: 's' });
  const stored = { kind: 'time', decimals: null, time_unit: 'seconds' };
  expect((await read(`/v1/boards/${board.id}`)).format).toEqual(stored);
  const rest = {
    account_id: studio.accountId,
    game_id: game.id,
    name: 'Rest',
    format: { kind: 'compact', decimals: 1 },
  };
  const made = await admin.post('/v1/boards', rest);
  expect([made.status, made.body.format]).toEqual([201, { kind: 'compact', decimals: 1, time_unit: null }]);
  const patched = await patch(`/v1/boards/${made.body.id}`, {
    format: { kind: 'time', time_unit: 'milliseconds' },
  });
  expect(patched.body.format).toEqual({ ...stored, time_unit: 'milliseconds' });
  expect((await patch(`/v1/boards/${made.body.id}`, { format: null })).body.format).toBeNull();
  expect((await read(`/v1/boards/${(await boardOf({})).id}`)).format).toBeNull();

  for (const format of [
    { kind: 'time', decimals: 7 },
    { kind: 'number', time_unit: 'seconds' },
    { kind: 'hex' },
    {},
  ]) {
    expect((await patch(`/v1/boards/${board.id}`, { format })).body.code).toBe('VALIDATION_FAILED');
    expect((await admin.post('/v1/boards', { ...rest, format })).status).toBe(422);
  }
  const [kills, deaths] = await Promise.all([
    boardOf({ keepStrategy: 'ALL', boardType: 'COUNTER' }),
    boardOf({ keepStrategy: 'ALL', boardType: 'COUNTER' }),
  ]);
  const ratio = {
    keepStrategy: undefined,
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: kills.id, denominatorBoardId: deaths.id },
  };
  const { id } = await boardOf(ratio);
  expect(await changeFault(admin, 'Board', id, { format: TIME })).toBe('VALIDATION_FAILED');
  await change(admin, 'Board', id, { format: null });
  const input = { accountId: studio.accountId, gameId: game.id, name: 'Ratio', ...ratio, format: TIME };
  expect(
    await admin.code('mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board { id } } }', {
      input,
    }),
  ).toBe('VALIDATION_FAILED');

  const template = await makeTemplate(studio, game.id, {
    format: MILLIS,
    nextRunAt: new Date(app.clock.now()).toISOString(),
  });
  await app.app.jobs.run(RUN_TEMPLATES);
  const [copy] = (await read(`/v1/boards?game_id=${game.id}&sort=created_at:desc`)).data.filter(
    (one: Data) => one.created_from_template_id === template.id,
  );
  expect(copy.format).toEqual({ ...stored, time_unit: 'milliseconds' });
  const shown = await app.anyone.data(
    'query ($id: ID!) { publicBoard(by: { id: $id }) { format { kind decimals timeUnit } } }',
    { id: copy.id },
  );
  expect(shown.publicBoard.format).toEqual({ kind: 'TIME', decimals: null, timeUnit: 'MILLISECONDS' });
  expect((await patch(`/v1/board-templates/${template.id}`, { format: null })).body.format).toBeNull();
});

test('every answer has the text of a value where the game sent none, and nothing stores it', async () => {
  const board = await boardOf({
    format: TIME,
    sortDirection: 'ASC',
    views: [{ name: 'weekly', period: 'WEEK' }],
  });
  const key = { 'idempotency-key': 'format-1' };
  const body = { board_id: board.id, value: 72.34 };
  const first = await post(ann, body, key);
  expect([first.status, first.body.value, first.body.value_display]).toEqual([201, 72.34, '1:12.340']);
  const again = await post(ann, body, key);
  expect([again.headers.get('service-replayed'), again.body.value_display]).toEqual(['true', '1:12.340']);
  const named = await submit(bob, board.id, 80, { playerName: 'Bob', valueDisplay: 'eighty' });
  expect([named.score.valueDisplay, named.scoreEvent.valueDisplay]).toEqual(['eighty', 'eighty']);
  const own = (await submit(ann, board.id, 71)).scoreEvent;
  expect(own.valueDisplay).toBeNull();

  const [nonce] = await takeNonces(ann, 1);
  const batch = await ann.client.post(SCORES, {
    items: [{ ...body, value: 59.9996, player_name: 'Ann', nonce }],
  });
  expect(batch.body.results[0].score.value_display).toBe('1:00.000');
  const events = await admin.post(EVENTS, {
    items: [{ board_id: board.id, identity_id: ann.session.identityId, value: 3600 }],
  });
  expect(events.body.results[0]).toMatchObject({ status: 201, event: { event_payload: { value: 3600 } } });
  expect(events.body.results[0].event.event_payload).not.toHaveProperty('value_display');

  const scores = `/v1/scores?board_id=${board.id}`;
  for (let n = 0; n < 3; n += 1) expect(await texts(scores)).toEqual(['1:00.000', 'eighty']);
  const [{ id }] = (await read(scores)).data;
  expect((await read(`/v1/scores/${id}`)).value_display).toBe('1:00.000');
  expect(await texts(`${scores}&around_score_id=${id}`)).toEqual(['1:00.000', 'eighty']);
  expect(await texts(`${scores}&around_score_value=65.5`)).toEqual(['1:00.000', '1:05.500', 'eighty']);
  expect(await texts(`${scores}&sort=created_at:asc`)).toEqual(['1:00.000', 'eighty']);
  expect(await texts(`${scores}&identity_id=${ann.session.identityId}`)).toEqual(['1:00.000']);
  expect(await texts(`${scores}&view=weekly`)).toEqual(['1:00.000', 'eighty']);
  const me = `identity_id=${ann.session.identityId}`;
  expect((await read(`/v1/boards/${board.id}/standing?${me}&view=weekly`)).value_display).toBe('1:00.000');
  const [period] = (await read(`/v1/boards/${board.id}/views/weekly/periods`)).data;
  expect(period.podium.map((place: Data) => place.value_display)).toEqual(['1:00.000', 'eighty']);

  const data = await admin.data(
    `query ($id: ID!, $me: ID!) { board(by: { id: $id }) {
      ranking { entries { nodes { valueDisplay score { valueDisplay } } } entry(identityId: $me) { valueDisplay score { valueDisplay } }
        findEntries(name: "An") { valueDisplay } }
      entriesOf(identityId: $me) { valueDisplay score { valueDisplay } }
      scores { nodes { valueDisplay scoreEvent { valueDisplay } } }
    } }`,
    { id: board.id, me: ann.session.identityId },
  );
  const found = [...JSON.stringify(data).matchAll(/"valueDisplay":("[^"]*"|null)/g)].map(([, one]) => one);
  expect(found.filter((one) => one === '"1:00.000"')).toHaveLength(8);
  expect(found.filter((one) => one === '"eighty"')).toHaveLength(4);
  const { identity } = await admin.data(
    'query ($me: ID!) { identity(id: $me) { scores(first: 50) { nodes { board { id } valueDisplay } } } }',
    { me: ann.session.identityId },
  );
  const listed = identity.scores.nodes.filter((score: Data) => score.board.id === board.id);
  expect(listed.map(({ valueDisplay }: Data) => valueDisplay)).toEqual(['1:00.000']);
  // Of an event, what the game sent.
  expect(found.filter((one) => one === 'null')).toHaveLength(1);

  const preview = await admin.data(
    `query ($input: PreviewBoardChangeInput!) { previewBoardChange(input: $input) {
      podium { before { valueDisplay } after { valueDisplay } } } }`,
    { input: { id: board.id, sortDirection: 'DESC' } },
  );
  expect(preview.previewBoardChange.podium[0]).toEqual({
    before: { valueDisplay: '1:00.000' },
    after: { valueDisplay: '1:00:00.000' },
  });

  const { rows } = await app.database.pool.query(
    `select (select count(*)::int from entries where board_id = $1 and value_display is not null) as entries,
      (select count(*)::int from score_events where board_id = $1 and value_display is not null) as events,
      (select count(*)::int from idempotency_keys where answer::text like '%1:12.340%') as answers`,
    [uuidOf(board.id)],
  );
  expect(rows[0]).toEqual({ entries: 2, events: 1, answers: 0 });
});

test('a half reads the same in the ranking, on the page, in exports, and in a closing before and after its end', async () => {
  const prizes = { lines: [{ name: 'all', title: 'A medal' }] };
  const board = await boardOf({
    ...{ format: MILLIS, sortDirection: 'ASC', isPublished: true },
    closingRules: [{ settleMinutes: 1, prizes }],
  });
  await submit(ann, board.id, 72_340.5, { playerName: 'Ann' });
  const shown = '1:12.341';
  expect(await texts(`/v1/scores?board_id=${board.id}`)).toEqual([shown]);
  expect(places(await openPage(`${app.url}/b/${board.shortCode}`))).toEqual([`1 Ann ${shown} A medal`]);
  const exported = async (what: string) => {
    const { body } = await admin.get(`/v1/boards/${board.id}/export?what=${what}`);
    const rows: Data[] = parse(body, { columns: true, comment: '#' });
    return rows.map(({ shown_value }) => shown_value);
  };
  for (const what of ['standings', 'events']) expect(await exported(what)).toEqual([shown]);
  const [line] = (await read(`/v1/boards/${board.id}/closing-preview`)).lines;
  expect(line.winners).toMatchObject([{ value: 72_340.5, value_display: shown }]);
  await admin.post(`/v1/boards/${board.id}/close`, {});
  app.clock.advance(2 * 60_000);
  for (let n = 0; n < 2; n += 1) await app.app.jobs.run('close-rankings');
  const [{ id }] = (await read(`/v1/boards/${board.id}/closings`)).data;
  expect((await read(`/v1/closings/${id}`)).places).toMatchObject([
    { value: 72_340.5, value_display: shown },
  ]);
  expect(await exported('closings')).toEqual([shown]);
});

test('a change of the format shows at once, in pages that are cached and in live messages, and moves nobody', async () => {
  const board = await boardOf({ sortDirection: 'ASC' });
  await submit(ann, board.id, 72.34, { playerName: 'Ann' });
  await submit(bob, board.id, 90, { playerName: 'Bob' });
  const visitor = await TestSocket.connect(app.url);
  begin(
    visitor,
    'subscription ($id: ID!) { boardChanged(boardId: $id, first: 2) { version entries { nodes { rank valueDisplay } } } }',
    { id: board.id },
  );
  const client = await TestSocket.connect(app.url, bob.client.headers);
  begin(
    client,
    'subscription ($id: ID!) { rankChanged(boardId: $id, identityIds: ["me"]) { version entry { rank ' +
      'valueDisplay } previousRank nextAbove { valueDisplay } gapToNext } }',
    { id: board.id },
  );
  expect(dataOf(await visitor.next()).entries.nodes[0].valueDisplay).toBeNull();
  expect(dataOf(await client.next())).toMatchObject({
    entry: { rank: 2, valueDisplay: null },
    gapToNext: 90 - 72.34,
  });
  const scores = `/v1/client/scores?board_id=${board.id}`;
  const shown = async () =>
    (await ann.client.get(scores)).body.data.map((row: Data) => `${row.rank} ${row.value_display}`);
  for (let n = 0; n < 3; n += 1) expect(await shown()).toEqual(['1 null', '2 null']);
  const seq = async () =>
    (
      await app.database.pool.query('select seq, generation from board_rankings where board_id = $1', [
        uuidOf(board.id),
      ])
    ).rows[0];
  const before = await seq();

  for (const [format, one, two] of [
    [TIME, '1:12.340', '1:30.000'],
    [{ kind: 'TIME', decimals: 0 }, '1:12', '1:30'],
    [{ kind: 'NUMBER', decimals: 1 }, '72.3', '90.0'],
  ] as const) {
    await change(admin, 'Board', board.id, { format });
    for (let n = 0; n < 3; n += 1) expect(await shown()).toEqual([`1 ${one}`, `2 ${two}`]);
    expect(places(await openPage(`${app.url}/b/${board.shortCode}`))).toEqual([
      `1 Ann ${one}`,
      `2 Bob ${two}`,
    ]);
    await until(visitor, ({ entries }) => entries.nodes[0].valueDisplay === one);
    const told = await until(client, ({ entry }) => entry.valueDisplay === two);
    expect(told).toMatchObject({ entry: { rank: 2 }, nextAbove: { valueDisplay: one } });
  }
  await change(admin, 'Board', board.id, { unit: 'laps' });
  await until(client, ({ entry }) => entry.valueDisplay === '90.0 laps');
  await change(admin, 'Board', board.id, { format: null });
  expect(await shown()).toEqual(['1 null', '2 null']);
  await until(client, ({ entry }) => entry.valueDisplay === null);
  expect(await seq()).toEqual(before);
  await visitor.close();
  await client.close();
});

test('public pages show values and gaps by the format, and short ones with their exact number', async () => {
  const times = await boardOf({
    format: MILLIS,
    sortDirection: 'ASC',
    unit: 'ms',
    publicFields: ['GAP'],
    name: 'Times',
  });
  await submit(ann, times.id, 72_340, { playerName: 'Ann' });
  await submit(bob, times.id, 73_590, { playerName: 'Bob' });
  const page = await openPage(`${app.url}/b/${times.shortCode}`);
  expect(places(page)).toEqual(['1 Ann 1:12.340', '2 Bob 1:13.590 +0:01.250']);
  expect(page.html).toContain('1. Ann (1:12.340)');
  const player = await openPage(`${app.url}/b/${times.shortCode}/p/${bob.session.identityId}`);
  expect(player.html).toMatch(/Ann<\/bdi> <small>0:01\.250 /);
  const coins = await boardOf({ format: { kind: 'COMPACT' }, unit: 'coins', name: 'Coins' });
  await submit(ann, coins.id, 1_234_567, { playerName: 'Ann' });
  const rich = await openPage(`${app.url}/b/${coins.shortCode}?overlay`);
  expect(rich.html).toContain('<bdi title="1,234,567">1.23 M</bdi> <bdi class="unit">coins</bdi>');
  const plain = await boardOf({ name: 'Plain' });
  await submit(ann, plain.id, 1.234568e15, { playerName: 'Ann' });
  await submit(bob, plain.id, 5.551115e-17, { playerName: 'Bob' });
  const old = await openPage(`${app.url}/b/${plain.shortCode}`);
  expect(places(old)).toEqual(['1 Ann 1,234,568,000,000,000', '2 Bob 0']);
  expect(old.html).not.toContain('data-format');
});

test('exports have the text as a further column, which imports pass over', async () => {
  const from = await boardOf({ format: TIME, sortDirection: 'ASC' });
  await submit(ann, from.id, 72.34, { playerName: 'Ann' });
  await submit(bob, from.id, 80, { playerName: 'Bob', valueDisplay: 'eighty' });
  const rows = async (id: string, what: string): Promise<Data[]> =>
    parse((await read(`/v1/boards/${id}/export?what=${what}` as string)) as unknown as string, {
      columns: true,
      comment: '# trailer',
    });
  const brief = ({ value, value_display, shown_value }: Data) => [value, value_display, shown_value];
  for (const what of ['standings', 'events']) {
    expect((await rows(from.id, what)).map(brief)).toEqual([
      ['72.34', '', '1:12.340'],
      ['80', 'eighty', 'eighty'],
    ]);
    const to = await boardOf({ format: { kind: 'COMPACT' }, sortDirection: 'ASC' });
    const imports = new ImportClient(() => admin);
    const file = (await admin.get(`/v1/boards/${from.id}/export?what=${what}`)).body as unknown as string;
    await imports.bringIn(to.id, [file]);
    expect((await rows(to.id, what)).map(brief)).toEqual([
      ['72.34', '', '72.34'],
      ['80', 'eighty', 'eighty'],
    ]);
  }
  const plain = await boardOf({});
  await submit(ann, plain.id, 5, { playerName: 'Ann' });
  expect((await rows(plain.id, 'standings')).map(brief)).toEqual([['5', '', '']]);
});

test('imports read times and shares, and refuse what is rounded', async () => {
  const imports = new ImportClient(() => admin);
  const values = async (format: Data, texts: string[]) => {
    const board = await boardOf({ format, keepStrategy: 'ALL' });
    await imports.bringIn(board.id, [
      `external_key,value\n${texts.map((text, n) => `p${n},${text}`).join('\n')}\n`,
    ]);
    return (await read(`/v1/scores?board_id=${board.id}&sort=player_name:asc`)).data.map(
      (row: Data) => row.value,
    );
  };
  expect(await values(TIME, ['1:12.340', '1:02:03', '72.34', '-0:05'])).toEqual([72.34, 3723, 72.34, -5]);
  expect(await values(MILLIS, ['1:12.340', '72340'])).toEqual([72_340, 72_340]);
  expect(await values({ kind: 'PERCENT' }, ['45.2 %', '0.452', '"1,234.5 %"'])).toEqual([
    0.452, 0.452, 12.345,
  ]);
  for (const [format, text] of [
    [{ kind: 'COMPACT' }, '1.23 M'],
    [{ kind: 'NUMBER' }, '1:12.340'],
    [TIME, '45.2 %'],
    [TIME, '1:72'],
    [null, '1:12.340'],
  ] as const) {
    const id = await imports.begin((await boardOf({ format })).id);
    const { status, body } = await imports.send(id, 0, `external_key,value\np,${text}\n`);
    expect([status, body.code, body.details[0].loc, body.details[0].type]).toEqual([
      ...[422, 'VALIDATION_FAILED', ['body', 'content', 2], 'line'],
    ]);
  }
});
