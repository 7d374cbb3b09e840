import { startApp, type TestApp } from '../support/app.js';
import { OpenApiContract } from '../support/contract.js';
import { Recorder } from '../support/hooks/recorder.js';
import { type Data, send } from '../support/http.js';
import { isQuick } from '../support/lane.js';
import { makeGame, makeTemplate } from '../support/make.js';
import { type Actor, type Cast, makeCast } from '../support/roles/callers.js';
import { Asker, cellsOf, changesWhatIsThere } from '../support/roles/cells.js';
import { GRAPH_ROWS } from '../support/roles/graph-rows.js';
import { setBack } from '../support/roles/removals.js';
import { REST_ROWS } from '../support/roles/rest-rows.js';
import type { Row } from '../support/roles/rows.js';
import { TestSocket } from '../support/socket.js';
import { Wire } from '../support/wire.js';

/** Every place that calls a hook. Everywhere else no hook is called but rateLimit. */
const PLACES: Record<string, string[]> = {
  'POST /v1/games': ['preCreateGame', 'postCreateGame'],
  'Mutation.createGame': ['preCreateGame', 'postCreateGame'],
  'POST /v1/boards': ['preCreateBoard', 'postCreateBoard'],
  'Mutation.createBoard': ['preCreateBoard', 'postCreateBoard'],
  'POST /v1/board-templates': ['preCreateBoardTemplate'],
  'Mutation.createBoardTemplate': ['preCreateBoardTemplate'],
  'PATCH /v1/board-templates/{template_id}': ['preUpdateBoardTemplate'],
  'Mutation.updateBoardTemplate': ['preUpdateBoardTemplate'],
  'Mutation.deleteBoardTemplate': ['preUpdateBoardTemplate'],
  'Mutation.restore BoardTemplate': ['preUpdateBoardTemplate'],
  'POST /v1/client/scores': ['preCreateScore', 'postCreateScore'],
  'Mutation.submitScore': ['preCreateScore', 'postCreateScore'],
  'POST /v1/client/scores/batch': ['preCreateScore', 'postCreateScore'],
  'Mutation.submitScores': ['preCreateScore', 'postCreateScore'],
};

const placeOf = ({ door, type }: Row) =>
  [door, door === 'Mutation.restore' && type].filter(Boolean).join(' ');

const ALL = [...REST_ROWS, ...GRAPH_ROWS];
const DOORS = [...new Set(ALL.map(({ door }) => door))];
/** In the quick lane the places, and a few of all other doors. */
const ROWS = ALL.filter((row) => !isQuick || placeOf(row) in PLACES || DOORS.indexOf(row.door) % 24 === 0);

/** Answered without looking who asks. */
const ABOUT_THE_SERVICE =
  /^GET (\/v1|\/v1\/health|\/health\/\w+|\/openapi\.json|\/schema\.graphql|\/metrics)$/;

const recorder = new Recorder();
let app: TestApp;
let cast: Cast;
let asking: Asker;
let wire: Wire;

beforeAll(async () => {
  app = await startApp({}, { hooks: recorder.hooks });
  cast = await makeCast(app);
  const { body } = await send(`${app.url}/openapi.json`);
  wire = new Wire(app.url);
  asking = new Asker(app, wire, new OpenApiContract(body), cast);
});
afterAll(async () => {
  wire.close();
  await app.close();
});

/** True if the row's request needs another one before it, about which the hooks are asked as about any: administrators need no nonce. */
const preparing = ({ nonce, refresh }: Row, { caller }: Actor) =>
  Boolean((nonce && 'authorization' in caller.headers) || refresh);

/** The row's request by a caller that may make it, if there is one. @returns the hooks that were called, and how often rateLimit was */
async function called(row: Row): Promise<{ hooks: string[]; admissions: number } | undefined> {
  const cell = cellsOf(row, cast, false).find(({ expected }) => expected === 'ok');
  if (!cell) return undefined;
  recorder.calls = [];
  const { outcome } = await asking.ask(row, cell);
  const calls = recorder.calls.splice(0);
  if (changesWhatIsThere(row)) await setBack(app, cast, cell.target);
  expect([row.door, row.label, outcome]).toEqual([row.door, row.label, 'ok']);
  const names = calls.map(({ hook }) => hook);
  // A nonce, or a session to refresh, was got beforehand.
  const admissions =
    calls.filter(({ hook }) => hook === 'rateLimit').length - (preparing(row, cell.actor) ? 1 : 0);
  return { hooks: names.filter((name) => name !== 'rateLimit'), admissions };
}

test('each hook is called at its places and nowhere else', async () => {
  const found: Record<string, string[]> = {};
  const asked = new Set<string>();
  for (const row of ROWS) {
    const calls = await called(row);
    if (!calls) continue;
    if (calls.hooks.length > 0) found[placeOf(row)] = calls.hooks;
    expect([row.door, calls.admissions]).toEqual([row.door, ABOUT_THE_SERVICE.test(row.door) ? 0 : 1]);
    asked.add(row.door);
  }
  expect(found).toEqual(PLACES);
  const unasked = ROWS.map(({ door }) => door).filter((door) => !asked.has(door));
  // The matrix has no codes of mails; hooks-beyond-writes.test.ts has. Its imports have ended and cannot be cancelled; none
  // of its callers wrote its comment, won its reward or has a proof or a code; no prizes wait for a release, no reward is open, no run
  // has a recording, no board takes verdicts, and none has the state that it applies a configuration to.
  expect(
    unasked.filter(
      (door) =>
        !/(register.?(verify|complete)|(verify|complete)Registration|signIn|sign-in|endConsoleSession|signInWithPasskey|signInWithProvider|redeemProviderCode|startProvider(SignIn|Link)|(add|remove)ProviderLink|identity-providers|IdentityProvider|(add|update|remove)Passkey|resetPasskeys|applyConfiguration|configuration\/apply|deleteComment|cancelScoreImport|\/cancel|claimReward|rehearseBoard|\/rehearse|\/claim|releasePrizes|release-prizes|reissuePrizes|reissue-prizes|revokeReward|\/revoke|addPlayerProof|client\/proofs|giveVerdict|\/verdicts|reverifyRuns|\/reverify|applyPass|verification-passes\/\{pass_id\}\/apply|redeemLinkCode|link-codes\/redeem|client\/devices\/\{device_id\}\/unlink|\/recording)$/.test(
          door,
        ),
    ),
  ).toEqual([]);
});

test('the board hooks are called for a board that a template makes, by the service itself', async () => {
  const { aurora } = cast;
  const studio = { accountId: aurora.live.account_id!, userId: '', keyId: '', admin: aurora.owner };
  const game = await makeGame(studio);
  const due = {
    nextRunAt: new Date(app.clock.now()).toISOString(),
    views: [{ name: 'daily', period: 'DAY' }],
  };
  const { id } = await makeTemplate(studio, game.id, due);
  const requests: unknown[] = [];
  recorder.does({
    preCreateBoard: (input, caller, tools) => {
      requests.push(caller, tools.request, input.views?.length);
      return tools.refuse('FORBIDDEN', 'Not on Tuesdays');
    },
  });
  expect(await app.app.jobs.run('run-board-templates')).toBe(0);
  expect(recorder.take().map(({ hook, caller }) => [hook, caller])).toEqual([['preCreateBoard', 'service']]);
  expect(requests).toEqual([{ kind: 'service' }, undefined, 1]);
  const template = () =>
    studio.admin.data(
      `{ boardTemplate(id: "${id}") { lastError boardsMade } boards(filter: {gameId: "${game.id}"}) { nodes { name } } }`,
    );
  expect(await template()).toEqual({
    boardTemplate: { lastError: 'Not on Tuesdays', boardsMade: 0 },
    boards: { nodes: [] },
  });

  const made: unknown[] = [];
  recorder.does({
    preCreateBoard: () => () => made.push('undone'),
    postCreateBoard: (board, _caller, tools) => void made.push(board.createdFromTemplateId, tools.request),
  });
  app.clock.advance(60_000);
  expect(await app.app.jobs.run('run-board-templates')).toBe(1);
  expect(recorder.names()).toEqual(['preCreateBoard', 'postCreateBoard']);
  expect(made).toEqual([id, undefined]);
  expect((await template()).boardTemplate).toEqual({ lastError: null, boardsMade: 1 });
  recorder.does({});
});

test('hooks get the request without credentials, over REST, GraphQL and sockets', async () => {
  const seen: Data[] = [];
  recorder.does({ rateLimit: (_input, _caller, tools) => void seen.push(tools.request) });
  const admin = cast.aurora.owner.with({
    cookie: 'a=b',
    'x-plan': 'gold',
    'service-client-nonce': 'secret',
    'user-agent': 'Arcade/1',
  });
  const key = admin.headers['service-api-key']!;
  await admin.get('/v1/games?limit=2&tag=a&tag=b');
  await admin.post('/graphql?from=console', { query: '{ me { kind } }' });
  const socket = await TestSocket.connect(app.url, { ...admin.headers, 'x-plan': 'silver' });
  await socket.run('{ me { kind } }');
  await socket.close();
  recorder.does({});
  const facts = { id: expect.stringMatching(/./), ip: '127.0.0.1' };
  expect(seen.slice(0, 2)).toEqual([
    expect.objectContaining({
      ...facts,
      method: 'GET',
      path: '/v1/games',
      query: { limit: '2', tag: ['a', 'b'] },
      userAgent: 'Arcade/1',
      headers: expect.objectContaining({ 'x-plan': 'gold', 'user-agent': 'Arcade/1' }),
    }),
    expect.objectContaining({ ...facts, method: 'POST', path: '/graphql', query: { from: 'console' } }),
  ]);
  expect(seen.at(-1)).toMatchObject({
    method: 'GET',
    path: '/graphql',
    headers: { 'x-plan': 'silver', upgrade: 'websocket' },
  });
  for (const hidden of [key, 'secret', 'a=b']) expect(JSON.stringify(seen)).not.toContain(hidden);
});
