import { startApp, type TestApp } from '../support/app.js';
import { flag, reviewFault, reviewRuns } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startFault,
  startSession,
  unique,
} from '../support/make.js';
import { standings, submit, submitFault } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { boardText, expectSound } from '../support/standings.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let boards: Data[];
let ann: Player;
let bob: Player;

const KINDS = [
  { keepStrategy: 'BEST' },
  { keepStrategy: 'FIRST', sortDirection: 'ASC' },
  { keepStrategy: 'LAST' },
  { keepStrategy: 'ALL' },
  { boardType: 'COUNTER' },
];

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  studio = await makeStudio(app);
  game = await makeGame(studio);
  boards = [];
  for (const kind of KINDS) boards.push(await makeBoard(studio, game.id, kind));
  ann = await startSession(app, game.id);
  bob = await startSession(app, game.id);
  const test = await startSession(app, game.id, {
    clientFingerprint: ann.session.clientFingerprint,
    testMode: true,
  });
  for (const { id } of boards) {
    for (const value of [3, 7, 5]) {
      app.clock.advance(1_000);
      await submit(bob, id, value, { playerName: 'Bob' });
      await submit(ann, id, value, { playerName: `Ann ${value}` });
    }
    await submit(test, id, 9, { playerName: 'Ann' });
  }
});

const texts = () => Promise.all(boards.map(({ id }) => boardText(app.database, id)));
const sound = () => Promise.all(boards.map(({ id }) => expectSound(app.database, id)));
const of = (player: Player) => player.session.identityId as string;
const lines = (all: string[][], player: Player) =>
  all.flat().filter((line) => line.includes(of(player).slice(4)));

async function scoreIds(caller: Caller): Promise<string[]> {
  const { scores } = (
    await caller.data('query ($id: ID!) { identity(id: $id) { scores(first: 100) { nodes { id } } } }', {
      id: of(ann),
    })
  ).identity;
  return scores.nodes.map(({ id }: Data) => id);
}

test('a deleted player is off all boards when the answer comes, past ones too, and comes back as it was', async () => {
  await change(studio.admin, 'Board', boards[0]!.id, { isActive: false });
  await change(studio.admin, 'Board', boards[1]!.id, { deleted: true });
  const before = await texts();
  const ids = await scoreIds(studio.admin);
  expect(ids).toHaveLength(10);
  app.clock.advance(60_000);
  await change(studio.admin, 'Identity', of(ann), { deleted: true });

  const without = await texts();
  expect(lines(without, ann)).toEqual([]);
  expect(without.map((board) => board.length)).toEqual([1, 1, 1, 3, 1]);
  expect(await standings(ann.client, boards[0]!.id).catch(String)).toContain('INVALID_TOKEN');
  expect(await standings(bob.client, boards[0]!.id)).toEqual(['1 Bob 7']);
  for (const id of ids) {
    expect(await studio.admin.code('query ($id: ID!) { score(id: $id) { id } }', { id })).toBe('NOT_FOUND');
  }
  await sound();
  await change(studio.admin, 'Identity', of(ann), { deleted: true });
  expect(await texts()).toEqual(without);
  expect(await changeFault(studio.admin, 'Identity', of(ann), { displayName: 'Anna' })).toBe('NOT_FOUND');
  expect(await submitFault(ann, boards[2]!.id, 4, { nonce: 'any' })).toBe('INVALID_TOKEN');

  app.clock.advance(60_000);
  const restored = await studio.admin.data(
    'mutation ($id: ID!) { restore(input: { id: $id }) { node { id ... on Identity { displayName } } } }',
    {
      id: of(ann),
    },
  );
  // The name of the last run; test runs rename no player.
  expect(restored.restore.node).toEqual({ id: of(ann), displayName: 'Ann 5' });
  expect(await texts()).toEqual(before);
  expect(await scoreIds(studio.admin)).toEqual(ids);
  await change(studio.admin, 'Board', boards[1]!.id, { deleted: false });
  expect(await scoreIds(studio.admin)).toHaveLength(12);
  await sound();
  await submit(ann, boards[4]!.id, 5, { playerName: 'Ann' });
  expect((await standings(ann.client, boards[4]!.id))[0]).toBe('1 Ann 20');
  await sound();
});

test('every ruling names its requester and takes a number of its board', async () => {
  await change(studio.admin, 'Identity', of(ann), { deleted: true });
  await change(studio.admin, 'Identity', of(ann), { deleted: false });
  const rows: Data[] = await app.database
    .knex('rulings')
    .where('identity_id', of(ann).slice(4))
    .orderBy(['board_id', 'seq']);
  expect(rows.map(({ effect }) => effect)).toEqual(boards.flatMap(() => ['exclude', 'include']));
  expect(new Set(rows.map(({ ruled_by }) => ruled_by))).toEqual(new Set([studio.userId.slice(4)]));
  expect(rows.map(({ seq }) => seq)).toEqual(boards.flatMap(() => [8, 9]));
});

test('a deleted device takes its player along, and brings it back', async () => {
  const before = await texts();
  const device = ann.session.deviceId;
  await change(studio.admin, 'Device', device, { deleted: true });
  expect(lines(await texts(), ann)).toEqual([]);
  expect(await studio.admin.code('query ($id: ID!) { identity(id: $id) { id } }', { id: of(ann) })).toBe(
    'NOT_FOUND',
  );
  await sound();
  await change(studio.admin, 'Device', device, { deleted: false });
  expect(await texts()).toEqual(before);
  const { identity } = await studio.admin
    .data('query ($id: ID!) { device(id: $id) { identity { id } } }', {
      id: device,
    })
    .then((data) => data.device);
  expect(identity.id).toBe(of(ann));
  await sound();
});

test('a player that was deleted by itself does not come back with its device; a restored one needs no device', async () => {
  await change(studio.admin, 'Identity', of(ann), { deleted: true });
  await change(studio.admin, 'Device', ann.session.deviceId, { deleted: true });
  await change(studio.admin, 'Device', ann.session.deviceId, { deleted: false });
  expect(lines(await texts(), ann)).toEqual([]);
  await change(studio.admin, 'Identity', of(ann), { deleted: false });
  const before = await texts();
  await change(studio.admin, 'Device', ann.session.deviceId, { deleted: true });
  await change(studio.admin, 'Identity', of(ann), { deleted: false });
  expect(await texts()).toEqual(before);
  await change(studio.admin, 'Device', ann.session.deviceId, { deleted: false });
  expect(await texts()).toEqual(before);
  await sound();
});

test('a player that was replaced meanwhile cannot be restored', async () => {
  const fingerprint = ann.session.clientFingerprint;
  await change(studio.admin, 'Device', ann.session.deviceId, { deleted: true });
  const fresh = await startSession(app, game.id, { clientFingerprint: fingerprint });
  expect(of(fresh)).not.toBe(of(ann));
  expect(await changeFault(studio.admin, 'Device', ann.session.deviceId, { deleted: false })).toBe(
    'CONFLICT',
  );
  expect(await changeFault(studio.admin, 'Identity', of(ann), { deleted: false })).toBe('CONFLICT');
  expect(await app.database.knex('identities_due')).toEqual([]);
  expect(lines(await texts(), ann)).toEqual([]);
  await change(studio.admin, 'Device', fresh.session.deviceId, { deleted: true });
  await change(studio.admin, 'Device', ann.session.deviceId, { deleted: false });
  expect(lines(await texts(), ann)).not.toEqual([]);
  await sound();
});

test('a banned device that is deleted leaves no way back to its player', async () => {
  await change(studio.admin, 'Device', ann.session.deviceId, { status: 'BANNED' });
  const input = { gameId: game.id, clientFingerprint: ann.session.clientFingerprint };
  expect(await startFault(app, input)).toBe('DEVICE_BLOCKED');
  await change(studio.admin, 'Device', ann.session.deviceId, { deleted: true });
  expect(of(await startSession(app, game.id, input))).not.toBe(of(ann));
});

test('deletions are for administrators of the account', async () => {
  const stranger = (await makeStudio(app)).admin;
  for (const caller of [stranger, ann.client, app.anyone]) {
    const codes = [
      await changeFault(caller, 'Identity', of(ann), { deleted: true }),
      await changeFault(caller, 'Device', ann.session.deviceId, { deleted: true }),
    ];
    const expected = caller === stranger ? 'FORBIDDEN' : 'API_KEY_REQUIRED';
    expect(codes).toEqual([expected, expected]);
  }
  await change(studio.admin, 'Identity', of(ann), { deleted: true });
  expect(await changeFault(stranger, 'Identity', of(ann), { deleted: false })).toBe('FORBIDDEN');
  expect(lines(await texts(), ann)).toEqual([]);
});

test('a game server’s own player is deleted and restored like any other', async () => {
  const { identity } = (
    await studio.admin.data(
      'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { identity { id } } }',
      { input: { gameId: game.id, kind: 'CUSTOM', externalKey: `npc ${unique()}`, displayName: 'Zed' } },
    )
  ).createIdentity;
  const create =
    'mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { submission { kept } } }';
  const input = { boardId: boards[0]!.id, identityId: identity.id, value: 99 };
  await studio.admin.data(create, { input });
  expect((await standings(studio.admin, boards[0]!.id))[0]).toBe('1 Zed 99');
  await change(studio.admin, 'Identity', identity.id, { deleted: true });
  expect((await standings(studio.admin, boards[0]!.id))[0]).not.toContain('Zed');
  expect(await studio.admin.code(create, { input })).toBe('NOT_FOUND');
  await change(studio.admin, 'Identity', identity.id, { deleted: false });
  expect((await standings(studio.admin, boards[0]!.id))[0]).toBe('1 Zed 99');
});

test('events, flags and reviews of a deleted player are not found and in no list, and come back with it', async () => {
  const [{ id: boardId }] = boards as [Data];
  const { admin } = studio;
  const listed = async (list: string): Promise<Data[]> =>
    (await admin.get(`/v1/${list}?account_id=${studio.accountId}&limit=100`)).body.data;
  const events = (await listed('score-events')).filter((event) => event.identity_id === of(ann));
  const event = events.find((one) => one.board_id === boardId && !one.is_test)!;
  const { id: flagId } = await flag(admin, event.id);
  const other = (await listed('score-events')).find((one) => one.identity_id === of(bob))!;
  const { id: later } = await flag(admin, other.id);
  const { review } = await reviewRuns(admin, { identityId: of(ann), decision: 'DISMISSED' });
  const paths = [`score-events/${event.id}`, `score-flags/${flagId}`, `identity-reviews/${review.id}`];
  const read = async () => {
    const singles = await Promise.all(paths.map((path) => admin.get(`/v1/${path}`)));
    const nodes = await admin.data(
      `query ($ids: [ID!]!, $flag: ID!, $account: ID!) {
        nodes(ids: $ids) { id }
        scoreFlag(id: $flag) { id scoreEvent { id } }
        scoreFlags(accountId: $account, filter: {status: PENDING}) { totalCount { value } }
      }`,
      { ids: [event.id, flagId], flag: later, account: studio.accountId },
    );
    const lists = await Promise.all([
      listed('score-events'),
      admin.get(`/v1/score-events?board_id=${boardId}&limit=100`).then(({ body }) => body.data),
      listed('score-flags'),
      admin.get(`/v1/score-flags?board_id=${boardId}`).then(({ body }) => body.data),
      listed('identity-reviews'),
      ...['events', 'flags'].map(async (kind) => {
        const { body } = await admin.get(`/v1/boards/${boardId}/export?what=${kind}&format=ndjson`);
        return String(body)
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Data);
      }),
    ]);
    const mine = lists.map((rows) => rows.filter((row: Data) => row.identity_id === of(ann)).length);
    return { statuses: singles.map(({ status }) => status), nodes, mine };
  };
  const before = await read();
  expect(before.statuses).toEqual([200, 200, 200]);
  expect(before.mine.every((count) => count > 0)).toBe(true);
  const socket = await TestSocket.connect(app.url, admin.headers);

  await change(admin, 'Identity', of(ann), { deleted: true });
  const gone = await read();
  expect(gone.statuses).toEqual([404, 404, 404]);
  expect(gone.nodes.nodes).toEqual([null, null]);
  expect(gone.mine).toEqual(before.mine.map(() => 0));
  expect(await reviewFault(admin, flagId, { status: 'DISMISSED' })).toBe('NOT_FOUND');
  expect((await admin.post('/v1/score-flags', { score_event_id: event.id })).status).toBe(404);
  // A feed goes on after a flag that is not shown any more.
  const query = 'subscription ($after: String) { scoreFlagged(after: $after) { scoreFlagId } }';
  socket.send({ type: 'subscribe', id: 'feed', payload: { query, variables: { after: flagId } } });
  expect((await socket.nextMessage()).payload.data.scoreFlagged.scoreFlagId).toBe(later);
  await socket.close();

  await change(admin, 'Identity', of(ann), { deleted: false });
  expect(await read()).toEqual(before);
});
