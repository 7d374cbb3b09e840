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
  unique,
} from '../support/make.js';
import { submit } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let hidden: Data;
let open: Data;
let ann: Player;
let bob: Player;
const SECRET = 'a fingerprint that only its device knows';

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { platformAppId: 'private app id' });
  hidden = await makeBoard(studio, game.id, { name: 'Hidden', isPublished: false });
  open = await makeBoard(studio, game.id, { name: 'Open' });
  await change(studio.admin, 'Game', game.id, { defaultBoardId: hidden.id });
  ann = await startSession(app, game.id, { clientFingerprint: SECRET });
  bob = await startSession(app, game.id);
  await submit(ann, open.id, 5);
  await submit(await startSession(app, game.id, { clientFingerprint: SECRET, testMode: true }), open.id, 9);
  await submit(ann, hidden.id, 7);
});
afterAll(() => app.close());

const everything = (answer: unknown) => JSON.stringify(answer);

test('a fingerprint opens sessions, so no other client and no visitor ever sees it', async () => {
  const nodes = '{ nodes { playerName identity { id displayName externalKey trustTier } } }';
  const byClient = await bob.client.graphql(
    `query ($id: ID!) { board(by: { id: $id }) { ranking { entries ${nodes} } } }`,
    {
      id: open.id,
    },
  );
  expect(byClient.data.board.ranking.entries.nodes[0].identity).toEqual({
    id: ann.session.identityId,
    displayName: 'Ann',
    externalKey: null,
    trustTier: null,
  });
  const byVisitor = await app.anyone.graphql(
    `query ($code: String) { publicBoard(by: { shortCode: $code }) { ranking { totalCount entries ${nodes} } } }`,
    {
      code: open.shortCode,
    },
  );
  expect(byVisitor.data.publicBoard).toEqual({
    ranking: { totalCount: 1, entries: { nodes: [{ playerName: 'Ann', identity: null }] } },
  });
  const own = await ann.client.graphql(
    '{ me { identity { externalKey } device { identity { externalKey } } } }',
  );
  expect(everything([byClient, byVisitor, own])).not.toContain(SECRET);
  const byAdmin = await studio.admin.graphql(
    `query ($id: ID!) { board(by: { id: $id }) { ranking { entries ${nodes} } } }`,
    {
      id: open.id,
    },
  );
  expect(byAdmin.data.board.ranking.entries.nodes[0].identity.externalKey).toBe(SECRET);
});

test('no path leads visitors to fields that are hidden from them', async () => {
  const paths = [
    'ranking { board { name } }',
    'ranking { board { game { platformAppId defaultBoard { name } } } }',
    'ranking { entries { nodes { score { board { name } } } } }',
    'ranking { entries { nodes { ranking { board { name } } } } }',
    'ranking { entries { nodes { identity { game { platformAppId } } } } }',
    'ranking { entries { nodes { score { scoreEvent { id } deviceId scoreEventId city } } } }',
    'ranking { entries { nodes { value country platform } } distribution { max } }',
  ];
  for (const path of paths) {
    const read = await app.anyone.graphql(
      `query ($code: String) { publicBoard(by: { shortCode: $code }) { ${path} } }`,
      {
        code: open.shortCode,
      },
    );
    expect(everything(read)).not.toMatch(/Hidden|private app id|"name"|sev_|dev_|"value":9/);
    const socket = await TestSocket.connect(app.url);
    const watched = await socket.run(
      `subscription ($id: ID!) { boardChanged(boardId: $id) { board { name game { platformAppId } } ${path} } }`,
      { id: open.id },
    );
    expect(everything(watched.payload)).not.toMatch(/Hidden|private app id|"name"|sev_|dev_|"value":9/);
    await socket.close();
  }
});

test('callers of other accounts see published boards as visitors do', async () => {
  const stranger = await makeStudio(app);
  const player = await startSession(app, (await makeGame(stranger)).id);
  const query = `query ($code: String) {
    publicBoard(by: { shortCode: $code }) {
      ranking {
        isTest
        entries {
          nodes { playerName value country score { deviceId } identity { externalKey } }
          edges { node { score { scoreEventId } } }
        }
      }
    }
  }`;
  const [byVisitor, ...others] = await Promise.all(
    [app.anyone, stranger.admin, player.client].map((caller) => caller.data(query, { code: open.shortCode })),
  );
  const { ranking } = byVisitor.publicBoard;
  expect([ranking.isTest, ranking.entries.nodes]).toEqual([
    false,
    [{ playerName: 'Ann', value: 5, country: null, score: null, identity: null }],
  ]);
  for (const other of others) expect(other).toEqual(byVisitor);
  const byOwner = await studio.admin.data(query, { code: open.shortCode });
  expect(byOwner.publicBoard.ranking.entries.nodes).toMatchObject([
    { value: 5, identity: { externalKey: SECRET } },
  ]);
});

test.each([
  ['a key that is revoked', () => keyed()],
  ['a device that is banned', () => played()],
])('%s gets no more of a board it watches', async (_name, make) => {
  const { caller, end } = await make();
  const socket = await TestSocket.connect(app.url, caller.headers);
  socket.send({
    type: 'subscribe',
    id: 'watch',
    payload: {
      query: 'subscription ($id: ID!) { boardChanged(boardId: $id) { version } }',
      variables: { id: hidden.id },
    },
  });
  expect((await socket.next()).type).toBe('next');
  const code = await end();
  // Although no message comes that would have to be refused. Runs that are played before that, within a second, may still be sent.
  expect(everything(await socket.next())).toContain(code);
  expect(await socket.closed).toMatchObject({ code: 4401 });
});

interface Watcher {
  caller: Caller;
  /** Ends its rights; answers the code it must meet. */
  end(): Promise<string>;
}

async function keyed(): Promise<Watcher> {
  const { createApiKey } = await studio.admin.data(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } key } }',
    { input: { accountId: studio.accountId, userId: studio.userId, name: `watch ${unique()}` } },
  );
  const { key } = createApiKey;
  const { id } = createApiKey.apiKey;
  return {
    caller: app.anyone.with({ 'service-api-key': key }),
    end: async () => {
      await change(studio.admin, 'ApiKey', id, { status: 'REVOKED' });
      return 'INVALID_API_KEY';
    },
  };
}

async function played(): Promise<Watcher> {
  const player = await startSession(app, game.id);
  return {
    caller: player.client,
    end: async () => {
      await change(studio.admin, 'Device', player.session.deviceId, { status: 'BANNED' });
      return 'DEVICE_BLOCKED';
    },
  };
}

test('a foreign board or identity that a list names is refused, a missing one not found', async () => {
  const stranger = await makeStudio(app);
  for (const query of [`board_id=${open.id}`, `identity_id=${ann.session.identityId}`]) {
    expect((await stranger.admin.get(`/v1/score-events?${query}`)).status).toBe(403);
  }
  expect(
    (await studio.admin.get('/v1/score-events?board_id=brd_00000000-0000-7000-8000-000000000000')).status,
  ).toBe(404);
});
