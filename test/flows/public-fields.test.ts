import path from 'node:path';
import { startApp, type TestApp } from '../support/app.js';
import { EventStream } from '../support/events.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';
import { openPage, places } from '../support/public-page.js';
import { play } from '../support/public-studio.js';

const GEOIP = path.resolve(__dirname, '../fixtures/place/GeoIP2-City-Test.mmdb');

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp({ geoipDatabase: GEOIP, trustedProxies: ['127.0.0.1'] });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

test('public rows show the facts that the board names, and no others', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST', unit: 'm' });
  const fields = async (publicFields: string[]) => {
    await change(studio.admin, 'Board', board.id, { publicFields });
    return openPage(`${app.url}/b/${board.shortCode}`);
  };
  await play(studio, board, 'Studio', 120);
  const { session, client } = await startSession(app, game.id, { platform: '<b>"ios' });
  await submit({ session, client: client.with({ 'x-forwarded-for': '81.2.69.142' }) }, board.id, 90.5, {
    playerName: 'Ann',
  });
  await play(studio, board, 'Own words', 80, { valueDisplay: '1:20' });

  const bare = await openPage(`${app.url}/b/${board.shortCode}`);
  expect(places(bare)).toEqual(['1 Studio 120 m', '2 Ann 90.5 m', '3 Own words 1:20']);
  expect(bare.html).not.toMatch(/GB|ios|data-fields|class="extra"/);
  const all = await fields(['PLATFORM', 'COUNTRY', 'DATE', 'GAP', 'GAP']);
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(
    app.clock.now(),
  );
  expect(places(all)).toEqual([
    `1 Studio 120 m ${day}`,
    `2 Ann 90.5 m ${day} · −29.5 · GB · &lt;b&gt;&quot;ios`,
    `3 Own words 1:20 ${day}`,
  ]);
  expect(all.html).toContain('data-fields="DATE GAP COUNTRY PLATFORM"');
  expect(all.html).toContain('<abbr title="United Kingdom">GB</abbr>');
  expect(places(await fields(['COUNTRY']))[1]).toBe('2 Ann 90.5 m GB');
  expect(places(await fields(['PLATFORM']))[1]).toBe('2 Ann 90.5 m &lt;b&gt;&quot;ios');
  // The distance is to the first place, also on later pages.
  expect(places(await openPage(`${app.url}/b/${board.shortCode}?from=2`))[0]).toContain('2 Ann');
  await fields(['GAP']);
  expect(places(await openPage(`${app.url}/b/${board.shortCode}?from=2`))[0]).toBe('2 Ann 90.5 m −29.5');

  // Answers to clients never carry the place, whatever the board shows.
  await fields(['COUNTRY', 'PLATFORM']);
  const own = await client.get(`/v1/client/scores?board_id=${board.id}`);
  expect(JSON.stringify(own.body)).not.toMatch(/"GB"|ios/);
  const ORIGINS = 'ranking { entries { nodes { country platform score { country city timeZone } } } }';
  const seen = await client.data(`{ board(by: { id: "${board.id}" }) { ${ORIGINS} } }`);
  const hidden = { country: null, city: null, timeZone: null };
  for (const { score } of seen.board.ranking.entries.nodes) expect(score).toEqual(hidden);
  const origins = async (caller: Caller) =>
    (
      await caller.data(
        `{ publicBoard(by: { id: "${board.id}" }) { ranking { entries { nodes { country platform } } } } }`,
      )
    ).publicBoard.ranking.entries.nodes;
  const origin = { country: 'GB', platform: '<b>"ios' };
  expect(await origins(app.anyone)).toContainEqual(origin);
  await fields(['COUNTRY']);
  expect(await origins(client)).toContainEqual({ ...origin, platform: null });
  await fields([]);
  for (const shown of await origins(app.anyone)) expect(shown).toEqual({ country: null, platform: null });
  expect(await origins(studio.admin)).toContainEqual(origin);
});

test('visitors read the metadata of scores where the board names it: in lists, views, searches and live', async () => {
  const board = await makeBoard(studio, game.id, {
    keepStrategy: 'BEST',
    views: [{ name: 'daily', period: 'DAY' }],
  });
  const player = await startSession(app, game.id);
  await submit(player, board.id, 5, { playerName: 'Ann', metadata: { seed: 7 } });
  const rows = 'nodes { playerName metadata }';
  const query = `query ($id: ID!) { publicBoard(by: { id: $id }) {
    ranking { entries { ${rows} } around: entries(around: { value: 1 }, first: 2) { ${rows} }
      of: entries(among: { identityIds: ["${player.session.identityId}"] }) { ${rows} }
      entry(identityId: "${player.session.identityId}") { metadata } findEntries(name: "an") { metadata } }
    view: ranking(view: "daily") { entries { nodes { metadata score { metadata } } } entry(identityId:
      "${player.session.identityId}") { metadata } } } }`;
  const stranger = await startSession(app, (await makeGame(studio)).id);
  const metadata = (data: unknown) =>
    [...JSON.stringify(data).matchAll(/"metadata":(null|\{[^}]*\})/g)].map(([, one]) => one);
  const live = async () => {
    const stream = await EventStream.open(`${app.url}/v1/boards/${board.id}/live`);
    const { data } = await stream.next();
    await stream.close();
    return data;
  };
  const seen = async () => {
    const answers = [
      ...(await Promise.all(
        [app.anyone, stranger.client].map((caller) => caller.data(query, { id: board.id })),
      )),
      await live(),
    ];
    return new Set(answers.flatMap(metadata));
  };
  expect(await seen()).toEqual(new Set(['null']));
  const own = await player.client.data(
    `{ board(by: { id: "${board.id}" }) { ranking { entries { ${rows} } } } }`,
  );
  expect(metadata(own)).toEqual(['{"seed":7}']);
  await change(studio.admin, 'Board', board.id, { publicFields: ['METADATA'] });
  expect(await seen()).toContain('{"seed":7}');
});

test('boards of a template show what the template names; unknown names are refused', async () => {
  const rest = studio.admin;
  const { body: template } = await rest.post('/v1/board-templates', {
    account_id: studio.accountId,
    game_id: game.id,
    name: 'Daily {date}',
    repeat_interval: '1 day',
    next_run_at: new Date(app.clock.now()).toISOString(),
    public_fields: ['gap', 'date'],
  });
  expect(template.public_fields).toEqual(['date', 'gap']);
  await app.app.jobs.run('run-board-templates');
  const { body: made } = await rest.get(`/v1/boards?game_id=${game.id}`);
  const board = made.data.find((record: Data) => record.created_from_template_id === template.id);
  expect(board.public_fields).toEqual(['date', 'gap']);
  const kept = await rest.patch(`/v1/boards/${board.id}`, { name: 'Renamed' });
  expect(kept.body.public_fields).toEqual(['date', 'gap']);
  for (const wrong of [['city'], ['DATE'], 'date', null, [null], {}])
    expect([wrong, (await rest.patch(`/v1/boards/${board.id}`, { public_fields: wrong })).status]).toEqual([
      wrong,
      422,
    ]);
  expect(await changeFault(studio.admin, 'BoardTemplate', template.id, { publicFields: ['CITY'] })).toBe(
    'VALIDATION_FAILED',
  );
});
