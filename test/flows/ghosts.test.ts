import { createHash } from 'node:crypto';
import { checkedGame } from '../support/checked-game.js';
import { MINUTE } from '../support/clock.js';
import { type Caller, type Data, send } from '../support/http.js';
import { change, makeStudio, type Player, startSession } from '../support/make.js';
import { post, takeNonce } from '../support/play.js';

const { on, session, board } = checkedGame();

/** Plays a run, with its recording or without. */
async function run(player: Player, boardId: string, value: number, file?: string, ticketed = false) {
  on.app.clock.advance(MINUTE);
  let nonce = await takeNonce(player.client);
  if (ticketed) {
    const { body } = await player.client.post('/v1/client/tickets', {
      board_id: boardId,
      game_version: '1.0',
    });
    nonce = body.tickets[0].ticket;
  }
  const hash = file === undefined ? {} : { recording_hash: createHash('sha256').update(file).digest('hex') };
  const { body } = await post(
    player,
    { board_id: boardId, value, ...hash },
    { 'service-client-nonce': nonce },
  );
  if (file === undefined) return;
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

const GHOSTS = `query ($id: ID!, $pick: [GhostPick!]!, $of: ID, $version: String, $view: String) {
  board(by: { id: $id }) { ranking(view: $view) { ghosts(pick: $pick, identityId: $of, gameVersion: $version) {
    entry { rank value playerName } recording { url bytes gameVersion seed } } } } }`;

const ghosts = async (caller: Caller, id: string, pick: string[], more: Data = {}): Promise<Data[]> =>
  (await caller.data(GHOSTS, { id, pick, ...more })).board.ranking.ghosts;
const values = async (...of: Parameters<typeof ghosts>) =>
  (await ghosts(...of)).map(({ entry }) => entry.value);
const contents = async (of: Data[]) =>
  Promise.all(of.map(async ({ recording }) => (await fetch(on.app.url + recording.url)).text()));

test('the best, the next above, friends and the player, each with the bytes of its run', async () => {
  const { id } = await board({
    keepStrategy: 'BEST',
    recordings: { keepBest: true },
    views: [{ name: 'daily', period: 'DAY' }],
  });
  const [ann, bob, cyd, dan, eve] = [
    await session(),
    await session(),
    await session(),
    await session(),
    await session(),
  ];
  await run(ann, id, 100);
  await run(bob, id, 90, 'bob');
  await run(cyd, id, 80, 'cyd');
  await run(dan, id, 70);
  await run(eve, id, 60, 'eve');
  const mine = (pick: string[], player = eve, more: Data = {}) => values(player.client, id, pick, more);
  expect(await mine(['FIRST'])).toEqual([90]);
  // Dan is nearer, and has none.
  expect(await mine(['ABOVE'])).toEqual([80]);
  expect(await mine(['PLAYER'])).toEqual([60]);
  expect(await mine(['PLAYER'], dan)).toEqual([]);
  expect(await mine(['ABOVE'], bob)).toEqual([]);
  expect(await mine(['ABOVE'], await session())).toEqual([60]);
  expect(await mine(['ABOVE'], eve, { of: bob.session.identityId })).toEqual([]);
  expect(await mine(['PLAYER', 'ABOVE', 'FIRST', 'ABOVE'])).toEqual([60, 80, 90]);
  await on.studio.admin.post(`/v1/identities/${eve.session.identityId}/friends`, {
    ids: [bob.session.identityId, dan.session.identityId],
  });
  expect(await mine(['FRIENDS'])).toEqual([90, 60]);
  expect(await mine(['FIRST'], eve, { view: 'daily' })).toEqual([90]);
  expect(await contents(await ghosts(eve.client, id, ['FIRST', 'ABOVE', 'PLAYER']))).toEqual([
    'bob',
    'cyd',
    'eve',
  ]);
  const rest = await eve.client.get(`/v1/client/boards/${id}/ghosts?pick=above`);
  expect([rest.status, rest.body.ghosts.map(({ entry }: Data) => entry.value)]).toEqual([200, [80]]);
  expect(await values(on.studio.admin, id, ['FIRST'])).toEqual([90]);
  expect(await on.studio.admin.code(GHOSTS, { id, pick: ['ABOVE'] })).toBe('VALIDATION_FAILED');
  // A better run without a recording takes the ghost away: it is not the run that is ranked.
  await run(bob, id, 95);
  expect(await mine(['FIRST'])).toEqual([80]);
  // Bans hide, undo shows.
  await change(on.studio.admin, 'Identity', cyd.session.identityId, { deleted: true });
  expect(await mine(['FIRST'])).toEqual([60]);
  await change(on.studio.admin, 'Identity', cyd.session.identityId, { deleted: false });
  expect(await mine(['FIRST'])).toEqual([80]);
});

test('versions and seeds: other versions are left out, and where each run has its own seed there are none', async () => {
  const tickets = { mode: 'ASKED', seed: 'PERIOD' };
  const { id } = await board({ recordings: {}, tickets });
  const [ann, bob] = [await session(), await session()];
  await run(ann, id, 10, 'ann');
  await run(bob, id, 5, 'bob', true);
  expect(await values(ann.client, id, ['FIRST'])).toEqual([10]);
  const [ghost] = await ghosts(ann.client, id, ['FIRST'], { version: '1.0' });
  expect(ghost).toMatchObject({
    entry: { value: 5 },
    recording: { gameVersion: '1.0', seed: expect.any(Number) },
  });
  expect(await values(ann.client, id, ['FIRST'], { version: '1.1' })).toEqual([]);
  await change(on.studio.admin, 'Board', id, { tickets: { ...tickets, seed: 'RUN' } });
  expect(await values(ann.client, id, ['FIRST'])).toEqual([]);
});

test('recordings are read by those that the board names, and never by other games', async () => {
  const { id, shortCode } = await board({ recordings: { readers: 'STAFF' } });
  const player = await session();
  await run(player, id, 10, 'file');
  const other = await makeStudio(on.app);
  const PUBLIC = `query ($code: String!) { publicBoard(by: { shortCode: $code }) { ranking {
    ghosts(pick: [FIRST]) { recording { url } } } } }`;
  const visitors = async (caller: Caller = on.app.anyone) =>
    (await caller.data(PUBLIC, { code: shortCode })).publicBoard.ranking.ghosts.length;
  const seen = async () => [
    (await ghosts(on.studio.admin, id, ['FIRST'])).length,
    (await ghosts(player.client, id, ['FIRST'])).length,
    await visitors(),
    await visitors(other.admin),
    await visitors(player.client),
  ];
  expect(await seen()).toEqual([1, 0, 0, 0, 0]);
  await change(on.studio.admin, 'Board', id, { recordings: { readers: 'PLAYERS' } });
  expect(await seen()).toEqual([1, 1, 0, 0, 1]);
  await change(on.studio.admin, 'Board', id, { recordings: { readers: 'PUBLIC' } });
  expect(await seen()).toEqual([1, 1, 1, 1, 1]);
  await change(on.studio.admin, 'Board', id, { isPublished: false });
  expect(await on.app.anyone.code(PUBLIC, { code: shortCode })).toBe('NOT_FOUND');
  const { data } = await other.admin.graphql(GHOSTS, { id, pick: ['FIRST'] });
  expect(data?.board?.ranking ?? null).toBeNull();
  const foreign = await startSession(on.app, (await board({})).gameId);
  expect(await ghosts(foreign.client, id, ['FIRST'])).toHaveLength(1);
  // Test runs have ghosts of their own.
  const tester = await session(on.game.id, { testMode: true });
  expect(await values(tester.client, id, ['FIRST'])).toEqual([]);
});
