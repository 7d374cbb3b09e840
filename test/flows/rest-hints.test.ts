import { readFileSync } from 'node:fs';
import { routeGroups } from '../../src/rest/routes/routes.js';
import { startApp, type TestApp } from '../support/app.js';
import { makeAlert, makePlayer } from '../support/flags.js';
import { makeGround } from '../support/hostile/ground.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, makeTemplate, type Studio, startSession } from '../support/make.js';
import { makeLogin } from '../support/own-tokens.js';
import { operations } from '../support/rest-operations.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('an error of a misspelt member names it and the required one', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const { client } = await startSession(app, game.id);
  const player = app.anyone.with({ ...client.headers, 'service-client-nonce': 'x' });
  const messages = async (body: Data) => {
    const answer = await player.post('/v1/client/scores', body);
    expect(answer.status).toBe(422);
    return answer.body.details.map(({ loc, msg, type }: Data) => [loc[1], msg, type]);
  };
  expect(await messages({ board_id: board.id, score: 1, name: 'Ann' })).toEqual([
    ['player_name', 'is required. Unknown field "name". Did you mean "player_name"?', 'missing'],
    ['value', 'is required. Unknown field "score". Did you mean "value"?', 'missing'],
  ]);
  expect(await messages({ board_id: board.id, player_name: 'Ann', other: 1 })).toEqual([
    ['value', 'is required', 'missing'],
  ]);
  // Unknown members beside what is required stay ignored.
  const whole = { board_id: board.id, player_name: 'Ann', value: 1, score: 2, name: 'x' };
  expect((await player.post('/v1/client/scores', whole)).body.code).toBe('NONCE_INVALID');
  const token = { token: 'x', account_name: 'Blue' };
  expect((await app.anyone.post('/register/complete', token)).body.details).toEqual([
    {
      loc: ['body', 'verification_token'],
      msg: 'is required. Unknown field "token". Did you mean "verification_token"?',
      type: 'missing',
    },
  ]);
});

const ID = 'brd_01890000-0000-7000-8000-000000000001';

/** Administrators' writes of the table of routes, with the names of their bodies' members. */
function administratorsWrites(): { method: string; path: string; lenient: boolean; members: string[] }[] {
  return routeGroups.flatMap(({ routes }) =>
    routes
      .filter(({ who, method }) => (who === 'admin' || who === 'superadmin') && method !== 'GET')
      .flatMap(({ method, path, extraMembers }) => {
        const found = operations.find((one) => one.method === method && one.path === path)!;
        const ref: string | undefined = found.spec.requestBody?.content['application/json']?.schema.$ref;
        const members = ref ? Object.keys(componentOf(ref).properties ?? {}) : [];
        // A list of a POST reads.
        const reads = 'pagination' in (componentOf(found.spec.responses['200'] ?? {}).properties ?? {});
        return reads || path.endsWith('/among') || members.length === 0
          ? []
          : [{ method, path, lenient: extraMembers === 'ignored', members }];
      }),
  );
}

function componentOf(ref: string | Data): Data {
  return typeof ref === 'string' ? document.components.schemas[ref.split('/').at(-1)!] : ref;
}
const document: Data = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));

test('every write of administrators refuses a misspelt member, and score events do not', async () => {
  const root = app.superadmin;
  const writes = administratorsWrites();
  expect(writes.length).toBeGreaterThan(20);
  const wrong: unknown[] = [];
  for (const { method, path, lenient, members } of writes) {
    for (const name of members) {
      const misspelt = name.length > 4 ? `${name}x` : name.toUpperCase();
      const { body } = await root.text(
        method,
        path.replace(/{\w+}/g, ID),
        JSON.stringify({ [misspelt]: null }),
      );
      const msg = body.details?.find(
        ({ loc, type }: Data) => loc.at(-1) === misspelt && type === 'unknown',
      )?.msg;
      const wanted = lenient ? undefined : expect.stringContaining('Did you mean "');
      try {
        expect([body.code, msg]).toEqual(['VALIDATION_FAILED', wanted]);
      } catch {
        wrong.push([method, path, misspelt, body]);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('a record that was read can be sent back unchanged', async () => {
  const { ids, callers } = await makeGround(app);
  const studio = { admin: callers.apiKey, accountId: ids.account_id! } as Studio;
  const { id: template_id } = await makeTemplate(studio, ids.game_id!);
  const root = app.superadmin;
  const views = [{ name: 'weekly', period: 'week', by: ['country'] }];
  await root.got(root.patch(`/v1/boards/${ids.board_id}`, { views }));
  const endpoint = {
    account_id: ids.account_id,
    name: 'Chat',
    url: 'https://hooks.example',
    events: ['board.closed'],
  };
  const { id: endpoint_id } = await root.got(root.post('/v1/webhook-endpoints', endpoint));
  const issuer = { account_id: ids.account_id, kind: 'own' };
  const { id: provider_id } = await root.got(root.post('/v1/identity-providers', issuer));
  const alert_id = await makeAlert(app, ids.account_id!, { id: ids.board_id, gameId: ids.game_id });
  const player_provider_id = await makeLogin(studio, ids.game_id!);
  const [source_id, target_id] = await Promise.all(
    ['one', 'two'].map((key) => makePlayer(studio.admin, ids.game_id!, key)),
  );
  const { merge } = await root.got(root.post('/v1/player-merges', { source_id, target_id }));
  const known: Record<string, string> = {
    ...ids,
    merge_id: merge.id,
    player_provider_id,
    template_id,
    endpoint_id,
    provider_id,
    alert_id,
  };
  const paths = routeGroups.flatMap(({ routes }) =>
    routes.flatMap(({ method, who, path }) => (method === 'PATCH' && who !== 'client' ? [path] : [])),
  );
  expect(paths.length).toBeGreaterThan(10);
  const wins = await makeBoard(studio, ids.game_id!, { boardType: 'COUNTER' });
  const tries = await makeBoard(studio, ids.game_id!, { boardType: 'COUNTER' });
  const ratioConfig = { numeratorBoardId: wins.id, denominatorBoardId: tries.id };
  const ratio = await makeBoard(studio, ids.game_id!, { boardType: 'RATIO', ratioConfig });
  paths.push(`/v1/boards/${wins.id}`, `/v1/boards/${ratio.id}`);
  const wrong: unknown[] = [];
  for (const path of paths) {
    const named = path.replace(/{(\w+)}/g, (_whole, name: string) => known[name]!);
    const read = await root.got(root.get(named));
    // Friends are read as a list of players.
    if (path.endsWith('/friends')) continue;
    const { status, body } = await root.patch(named, read);
    if (status !== 200) wrong.push([path, read, status, body]);
    else expect({ ...body, updated_at: null }).toEqual({ ...read, updated_at: null });
  }
  expect(wrong).toEqual([]);
});

test('members of the record’s own answers, present ones, and far ones stay ignored; nested and typed ones do not', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const admin = studio.admin;
  const base = { account_id: studio.accountId, game_id: game.id, name: 'Laps' };
  const refused = async (body: Data) => {
    const answer = await admin.post('/v1/boards', { ...base, ...body });
    expect(answer.status).toBe(422);
    return answer.body.details.map(({ loc, msg }: Data) => [loc.slice(1).join('.'), msg]);
  };
  expect(await refused({ sort: 'asc', keep: 'best' })).toEqual([
    ['sort', 'is not a known field. Did you mean "sort_direction"?'],
    ['keep', 'is not a known field. Did you mean "keep_strategy"?'],
  ]);
  expect(await refused({ views: [{ name: 'weekly', perriod: 'week' }] })).toEqual([
    ['views.0.perriod', 'is not a known field. Did you mean "period"?'],
  ]);
  // However many there are, a bounded number is named, and looked at.
  const many = Array.from({ length: 500 }, () => ({ name: 'weekly', perriod: 'week' }));
  expect((await refused({ views: many })).length).toBeLessThanOrEqual(50);
  expect(await refused({ tags: Array.from({ length: 500 }, (_, i) => i) })).toHaveLength(50);
  const taken = { ...base, sort: 'x', sort_direction: 'asc', url_short: 'x', created_at: 'x', colour: 'red' };
  expect((await admin.post('/v1/boards', taken)).body).toMatchObject({ sort_direction: 'asc' });
});

test('the time of a game server is refused rather than ignored, in a batch the item alone', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const { session } = await startSession(app, game.id);
  const admin = studio.admin;
  const event = { board_id: board.id, identity_id: session.identityId, value: 1 };
  const late = { ...event, occurred_at: '2020-01-01T00:00:00Z' };
  const { status, body } = await admin.post('/v1/score-events', late);
  expect([status, body.details[0].loc, body.details[0].msg]).toEqual([
    422,
    ['body', 'occurred_at'],
    expect.stringContaining('Use an import'),
  ]);
  const many = await admin.post('/v1/score-events/batch', { items: [late, { ...event, occurred_at: null }] });
  expect(many.body.results.map((result: Data) => result.status)).toEqual([422, 201]);
});
