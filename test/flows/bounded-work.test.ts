import { once } from 'node:events';
import http from 'node:http';
import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { heapInUse } from '../support/hostile/memory.js';
import type { Answer, Data } from '../support/http.js';
import { waiting } from '../support/locks.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { PlanWatch } from '../support/plans.js';
import { submit } from '../support/play.js';
import { play } from '../support/public-studio.js';
import { TestSocket } from '../support/socket.js';
import { patience, patienceMs, until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let board: Data;
let player: Player;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio);
  board = await makeBoard(studio, game.id, { keepStrategy: 'ALL', isPublished: true });
  await play(studio, board, 'Ärmel', 1);
  player = await startSession(app, game.id);
});
afterAll(() => app.close());

const FIND =
  'query ($code: String!, $name: String!) { publicBoard(by: { shortCode: $code }) { ranking { ' +
  'findEntries(name: $name) { playerName } } } }';
const find = (name: string, who = app.anyone) =>
  who.post('/graphql', { query: FIND, variables: { code: board.shortCode, name } });
const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');
const preview = '(input: { id: $id, keepStrategy: BEST }) { moved }';

test.each([
  [
    'under two names',
    'findEntries',
    'query ($code: String!) { publicBoard(by: { shortCode: $code }) { ranking { a: findEntries(name: "a") ' +
      '{ rank } b: findEntries(name: "b") { rank } } } }',
  ],
  [
    'on two boards',
    'findEntries',
    'query ($code: String!) { a: publicBoard(by: { shortCode: $code }) { ...F } ... { b: publicBoard(by: ' +
      '{ shortCode: $code }) { ...F } } } fragment F on PublicBoard { ranking { findEntries(name: "a") { rank } } }',
  ],
  [
    'on the boards of a list',
    'findEntries',
    '{ publicGame(by: { slug: "x" }) { boards(first: 2) { nodes { ranking { findEntries(name: "a") { rank } } } } } }',
  ],
  [
    'under two names',
    'search',
    'query ($account: ID!) { a: search(accountId: $account, text: "a") { id } b: search(accountId: $account, text: "b") { id } }',
  ],
  [
    'thirty times',
    'previewBoardChange',
    `query ($id: ID!) { ${many(30, (i) => `p${i}: previewBoardChange${preview}`)} }`,
  ],
])('%s, %s is refused over HTTP and sockets', async (_how, field, query) => {
  const variables = { code: board.shortCode, id: board.id, account: studio.accountId };
  const { status, body } = await studio.admin.post('/graphql', { query, variables });
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const { payload } = await socket.run(query, variables);
  await socket.close();
  expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
  for (const [error] of [body.errors, payload]) {
    expect(error.message).toMatch(
      new RegExp(`${field} can be requested only once per query, not \\d+ times`),
    );
  }
});

test('the weight of an operation exceeds the number of its records', async () => {
  const found = await find('ä');
  expect(found.body.data.publicBoard.ranking.findEntries).toEqual([{ playerName: 'Ärmel' }]);
  expect(found.body.extensions.cost.requested).toBe(2 + 500 + 20);
  const query = `query ($id: ID!) { previewBoardChange${preview} }`;
  const previewed = await studio.admin.post('/graphql', { query, variables: { id: board.id } });
  expect(previewed.body).toMatchObject({
    data: { previewBoardChange: { moved: 0 } },
    extensions: { cost: { requested: 1_001 } },
  });
  const ids = Array.from({ length: 90 }, () => board.id);
  const nodes = await studio.admin.post('/graphql', {
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    variables: { ids },
  });
  expect(nodes.body.extensions.cost.requested).toBe(90);
});

test('an evaluation reads a bounded number of rows, whatever the number of players and runs', async () => {
  await app.database.knex.raw(`
    insert into identities select r.* from generate_series(1, 250) g,
      jsonb_populate_record((select i from identities i where display_name = 'Ärmel'), jsonb_build_object(
        'id', gen_random_uuid(), 'external_key', 'copy ' || g, 'display_name', (array['Ärmel ', 'ärmel '])[g % 2 + 1] || g)) r;
    insert into score_events select r.* from generate_series(1, 100) g,
      (select id, row_number() over () as n from identities where display_name like '_rmel %') i,
      jsonb_populate_record((select e from score_events e limit 1), jsonb_build_object(
        'id', gen_random_uuid(), 'identity_id', i.id, 'seq', 100000 + g * 1000 + i.n)) r;
    analyze identities, score_events;`);
  const watch = await PlanWatch.on(app.database);
  const { answer, work } = await watch.workOf(() => find('ärmel'));
  await watch.close();
  expect(answer.status).toBe(200);
  expect(work.scanned).toEqual([]);
  expect(work.read).toBeGreaterThan(1_000);
  expect(work.read).toBeLessThan(1_600);
});

/** Shortest wait after which a waiting request is refused (src/scores/schema). */
const SHORTEST_PATIENCE_MS = 1_000;

describe('under concurrency', () => {
  /**
   * Asks many times while a table is locked. Exactly `refused` are refused at once and all others are served, if it
   * happens before those that wait lose patience: on a slow machine it is done again.
   * @param meanwhile runs once while the others wait; returns what runs after the lock
   */
  async function crowd(
    table: string,
    [count, refused]: [count: number, refused: number],
    ask: () => Promise<Answer<Data>>,
    meanwhile: () => Promise<() => Promise<void>> = async () => async () => undefined,
  ) {
    const deadline = patience(`exactly ${refused} of ${count} to be refused at once`, 3 * patienceMs());
    let after: (() => Promise<void>) | undefined;
    for (let inTime = false; !inTime; deadline()) {
      const settled: Answer<Data>[] = [];
      const lock = await app.database.knex.transaction();
      await lock.raw(`lock table ${table} in access exclusive mode`);
      const began = performance.now();
      const isLate = () => performance.now() - began >= SHORTEST_PATIENCE_MS;
      const asking = Array.from({ length: count }, () => ask().then((answer) => settled.push(answer)));
      try {
        await until(() => settled.length >= refused || isLate());
        expectRefused(settled);
        if (!isLate()) after ??= await meanwhile();
        inTime = !isLate();
      } finally {
        await lock.rollback();
      }
      await Promise.all(asking);
      const patient = !isLate();
      await after?.();
      if (!inTime) continue;
      const served = settled.filter(({ status, body }) => status === 200 && !body.errors).length;
      // One after the other: on a slow machine the last of them have waited too long.
      if (patient) expect(served).toBe(count - refused);
      else expect(served).toBeGreaterThan(0);
      expect(settled).toHaveLength(count);
    }
  }

  const expectRefused = (answers: Answer<Data>[]) => {
    for (const { status, headers, body } of answers) {
      const { code, retryAfterSeconds } = body.errors?.[0].extensions ?? {};
      // A refused field below a board leaves the board's other fields.
      const hasData = Object.values(body.data ?? {}).some((value) => value !== null);
      if (hasData) expect([status, code, retryAfterSeconds]).toEqual([200, 'UNAVAILABLE', 1]);
      else expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      if (typeof body !== 'string') expect(code).toBe('UNAVAILABLE');
    }
  };

  test('one visitor searches players of an account at a time and forty wait; further ones are refused at once, on pages, too', async () => {
    await crowd(
      'entries',
      [50, 9],
      () => find('zz'),
      async () => {
        const page = await fetch(`${app.url}/b/${board.shortCode}?player=zz`);
        expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
        let answered = false;
        const client = find('zz', player.client).finally(() => {
          answered = true;
        });
        // Beside that of a visitor, the client's look waits for the table.
        await waiting(app, 2, () => answered);
        return async () => expect((await client).status).toBe(200);
      },
    );
  });

  test('pages with a search are served one of a board at a time, too', () =>
    crowd('entries', [50, 9], async () => {
      const page = await fetch(`${app.url}/b/${board.shortCode}?player=zz`);
      return { status: page.status, headers: page.headers, body: await page.text() };
    }));

  /** A preview of another account, which waits for the table beside the one of the crowd, and not behind it. */
  async function ofAnother(query: string, idOf: (its: Data) => string) {
    const other = await makeStudio(app);
    const its = await makeBoard(other, (await makeGame(other)).id);
    await play(other, its, 'Bea', 1);
    return async () => {
      let answered = false;
      const asked = other.admin.post('/graphql', { query, variables: { id: idOf(its) } }).finally(() => {
        answered = true;
      });
      await waiting(app, 2, () => answered);
      return async () => expect((await asked).body.errors).toBeUndefined();
    };
  }

  test('one change of an account at a time is previewed and twenty wait', async () => {
    const query = `query ($id: ID!) { previewBoardChange${preview} }`;
    const ask = () => studio.admin.post('/graphql', { query, variables: { id: board.id } });
    await crowd('board_rankings', [24, 3], ask, await ofAnother(query, ({ id }) => id));
  });

  test('the settings of one game of an account at a time are previewed and twenty wait', async () => {
    const query = 'query ($id: ID!) { previewFairPlay(input: { gameId: $id }) { submissions } }';
    const ask = () => studio.admin.post('/graphql', { query, variables: { id: board.gameId } });
    await crowd('board_rankings', [24, 3], ask, await ofAnother(query, ({ gameId }) => gameId));
  });
});

/** An export whose reader takes nothing. */
async function hold(path: string): Promise<http.IncomingMessage> {
  const request = http.get(`${app.url}${path}`, { headers: studio.admin.headers });
  const [response] = await once(request, 'response');
  return response;
}

test('unread exports hold up no other account and no personal data, and an account has four open', async () => {
  const large = await makeBoard(studio, board.gameId);
  await submit(player, large.id, 1, { playerName: 'P0' });
  const { knex } = app.database;
  // More than the buffers of the system take.
  await knex.raw(
    `insert into score_events
      select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'seq', n,
        'metadata', jsonb_build_object('pad', repeat('x', 1000))))).*
      from score_events e cross join generate_series(2, 12000) n where e.board_id = ?`,
    [uuidOf(large.id)],
  );
  await knex('board_rankings').where('board_id', uuidOf(large.id)).update({ seq: 12_000 });
  const path = `/v1/boards/${large.id}/export?what=events`;
  const before = await heapInUse();
  const unread = await Promise.all([1, 2, 3, 4].map(() => hold(path)));
  const waiting = async () =>
    Number(/^peer_bytes_waiting (\d+)/m.exec((await app.anyone.get('/metrics')).body)![1]);
  await until(async () => (await waiting()) > 0);
  const fifth = await studio.admin.get(path);
  expect([fifth.status, fifth.body.code]).toEqual([429, 'RATE_LIMITED']);
  expect(fifth.headers.get('retry-after')).toBeTruthy();
  const { identityId } = player.session;
  const personal = await studio.admin.get(`/v1/identities/${identityId}/export`);
  expect([personal.status, personal.body]).toEqual([200, expect.stringContaining('{"trailer":')]);
  const other = await makeStudio(app);
  const answer = await other.admin.get(`/v1/accounts/${other.accountId}/export?what=events`);
  expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('# trailer')]);
  // Of each a piece waits, and the next one is not read before it is taken.
  expect(await waiting()).toBeLessThan(4 * 2 ** 21);
  expect((await heapInUse()) - before).toBeLessThan(100 * 2 ** 20);
  // One that is read goes on to its end, however late.
  let text = '';
  for await (const chunk of unread[0]!) text += chunk;
  expect(text.match(/\n# trailer .* count=12000\n$/)).not.toBeNull();
  for (const one of unread) one.destroy();
  await until(async () => (await studio.admin.get(`/v1/boards/${board.id}/export`)).status === 200);
});
