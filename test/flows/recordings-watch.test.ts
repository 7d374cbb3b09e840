import { createHash } from 'node:crypto';
import { checkedGame } from '../support/checked-game.js';
import { MINUTE } from '../support/clock.js';
import { type Data, send } from '../support/http.js';
import { change, changeFault, makeGame, type Player } from '../support/make.js';
import { post, takeNonce } from '../support/play.js';

// A studio's page that shows recordings: linked where the reader may read them.

const { on, session, board } = checkedGame();
const WATCH = 'https://studio.example.com/watch?run={recording}#now';

async function record(player: Player, boardId: string, value: number, file: string): Promise<void> {
  const recording_hash = createHash('sha256').update(file).digest('hex');
  const { body } = await post(player, { board_id: boardId, value, recording_hash });
  const { status } = await send(
    `${on.app.url}/v1/client/score-events/${body.recording.score_event_id}/recording`,
    {
      method: 'PUT',
      headers: { ...player.client.headers, 'service-client-nonce': await takeNonce(player.client) },
      body: file,
    },
  );
  expect(status).toBe(200);
}

const LINKS = `query ($by: BoardKey!) { board(by: $by) { ranking { entries(first: 5) { nodes { value watchUrl } } } } }`;
const PUBLIC = LINKS.replace('board(by', 'publicBoard(by');
const linksOf = ({ board: inside, publicBoard }: Data) =>
  (inside ?? publicBoard).ranking.entries.nodes.map((entry: Data) => entry.watchUrl);

/** What the page that it links gets. */
async function fileBehind(link: string): Promise<string> {
  const { origin, pathname, searchParams, hash } = new URL(link);
  expect([origin, pathname, hash]).toEqual(['https://studio.example.com', '/watch', '#now']);
  const file = new URL(searchParams.get('run')!);
  expect(file.origin).toBe('https://play.example.com');
  return (await fetch(on.app.url + file.pathname + file.search)).text();
}

test('entries with a recording link the studio’s page, for those who may read the file', async () => {
  const settings = { keepTop: 2, watchUrl: WATCH };
  const made = await board({ recordings: { ...settings, readers: 'STAFF' } });
  const { id } = made;
  const [ann, bob, cyd] = [await session(), await session(), await session()];
  await record(ann, id, 30, 'run of Ann');
  await record(bob, id, 20, 'run of Bob');
  await post(cyd, { board_id: id, value: 10 });
  const by = { id };
  const code = { shortCode: made.shortCode };
  const stranger = await session((await makeGame(on.studio)).id);
  const seen = async () => [
    linksOf(await on.studio.admin.data(LINKS, { by })),
    linksOf(await ann.client.data(LINKS, { by })),
    linksOf(await stranger.client.data(PUBLIC, { by: code })),
    linksOf(await on.app.anyone.data(PUBLIC, { by: code })),
  ];
  const whoSees = async () =>
    (await seen()).map((links) => links.map((link: unknown) => link !== null).join());
  const [some, none] = ['true,true,false', 'false,false,false'];
  expect(await whoSees()).toEqual([some, none, none, none]);
  const page = (rest = '') =>
    fetch(`${on.app.url}/b/${made.shortCode}/p/${ann.session.identityId}${rest}`, { redirect: 'manual' });
  expect(await (await page()).text()).not.toContain('?watch');
  expect((await page('?watch')).status).toBe(404);
  await change(on.studio.admin, 'Board', id, { recordings: settings });
  expect(await whoSees()).toEqual([some, some, none, none]);
  await change(on.studio.admin, 'Board', id, { recordings: { ...settings, readers: 'PUBLIC' } });
  const [, , , links] = await seen();
  expect(await whoSees()).toEqual([some, some, some, some]);
  expect(await Promise.all(links.slice(0, 2).map(fileBehind))).toEqual(['run of Ann', 'run of Bob']);
  // The page links a redirect, which is good for as long as the page is open.
  expect(await (await page()).text()).toContain('<a class="button" href="?watch" rel="nofollow">Watch</a>');
  on.app.clock.advance(11 * MINUTE);
  expect(await fileBehind(links[0])).toContain('NOT_FOUND');
  const led = await page('?watch');
  expect([led.status, led.headers.get('cache-control')]).toEqual([302, 'no-store']);
  expect(await fileBehind(led.headers.get('location')!)).toBe('run of Ann');
  const withoutFile = `${on.app.url}/b/${made.shortCode}/p/${cyd.session.identityId}`;
  expect(await (await fetch(withoutFile)).text()).not.toContain('?watch');
  expect((await fetch(`${withoutFile}?watch`)).status).toBe(404);
  await change(on.studio.admin, 'Board', id, {
    recordings: { ...settings, readers: 'PUBLIC', watchUrl: null },
  });
  expect(await whoSees()).toEqual([none, none, none, none]);
});

test.each([
  'http://studio.example.com/{recording}',
  'javascript:alert({recording})',
  'https://studio.example.com/watch',
  'https://{recording}/watch',
  'https://{recording}.example.com/',
  'https://user@studio.example.com/{recording}',
  'studio.example.com/{recording}',
  `https://studio.example.com/${'x'.repeat(500)}{recording}`,
  '',
])('%s is no page that shows recordings', async (watchUrl) => {
  const { id } = await board();
  expect(await changeFault(on.studio.admin, 'Board', id, { recordings: { watchUrl } })).toBe(
    'VALIDATION_FAILED',
  );
  const { status, body } = await on.studio.admin.patch(`/v1/boards/${id}`, {
    recordings: { watch_url: watchUrl },
  });
  expect([status, body.details[0].loc.slice(-1)]).toEqual([422, ['watch_url']]);
});

test('a page of a board makes one look at its recordings', async () => {
  const { id } = await board({ recordings: { watchUrl: WATCH } });
  for (const value of [30, 20]) await record(await session(), id, value, `run ${value}`);
  const query = on.app.database.pool.query.bind(on.app.database.pool);
  const names: unknown[] = [];
  const listen = (statement: Data) => {
    names.push(statement.name);
    return query(statement);
  };
  Object.assign(on.app.database.pool, { query: listen });
  try {
    expect(linksOf(await on.studio.admin.data(LINKS, { by: { id } }))).toHaveLength(2);
  } finally {
    Object.assign(on.app.database.pool, { query });
  }
  expect(names.filter((name) => name === 'recordings_of_entries')).toHaveLength(1);
});
