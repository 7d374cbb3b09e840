import { routes } from '../../src/rest/routes/routes.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeAccount } from '../support/make.js';
import { makeSubject } from '../support/roles/studio.js';
import type { Studio } from '../support/roles/studio-shape.js';

let app: TestApp;
let studio: Studio;
let root: Caller;
let other: string;
beforeAll(async () => {
  app = await startApp();
  studio = await makeSubject(app, 'aurora');
  root = app.superadmin;
  other = (await makeAccount(app)).id;
});
afterAll(() => app.close());

const singles = routes.filter(({ who, path, live }) => who === 'admin' && path.includes('{') && !live);
/** Routes whose body has members that must be there: a body that is wrong is refused before a record is read. */
const FRIENDS = { ids: ['ide_00000000-0000-4000-8000-000000000000'] };
const BODIES: Record<string, Data> = {
  '/v1/identities/{identity_id}/friends': FRIENDS,
  '/v1/identities/{identity_id}/friends/remove': FRIENDS,
  '/v1/identities/{identity_id}/proofs/remove': { provider: 'login' },
  '/v1/identities/{identity_id}/tags': { tags: { guild: null } },
  '/v1/imports/{import_id}/chunks': { number: 1, format: 'csv', content: 'external_key,value\nu1,1' },
  '/v1/rewards/{reward_id}/revoke': { reason: 'Shared by mistake' },
  '/v1/player-providers/{player_provider_id}/test': { token: 'none' },
  '/v1/score-events/{event_id}/verdicts': { verdict: 'verified', verifier: 'arcade' },
  '/v1/boards/{board_id}/undo-verdicts': { verifier: 'arcade' },
  '/v1/webhook-endpoints/{endpoint_id}/redeliver': { failed_since: '2026-01-01T00:00:00Z' },
};
const pathOf = (path: string) => path.replace(/{(\w+)}/g, (_whole, name: string) => studio.live[name]!);

test('a superadmin who names an account reaches no single record of another account', async () => {
  expect(singles.length).toBeGreaterThan(20);
  for (const { method, path } of singles) {
    const asked = (account: string) => {
      const player = /\/standings?$/.test(path) ? `&identity_id=${studio.live.ranked_id}` : '';
      const url = `${pathOf(path)}?account_id=${account}${player}`;
      if (method === 'GET') return root.get(url);
      return method === 'POST'
        ? root.post(url, BODIES[path] ?? {})
        : root.patch(url, BODIES[path] ?? { deleted: true });
    };
    expect([method, path, (await asked(other)).body.code]).toEqual([method, path, 'FORBIDDEN']);
    if (method === 'GET') expect([path, (await asked(studio.live.account_id!)).status]).toEqual([path, 200]);
  }
  const { account_id, game_id, board_id, identity_id } = studio.live;
  const board = { account_id, game_id, name: 'Elsewhere' };
  expect((await root.post(`/v1/boards?account_id=${other}`, board)).status).toBe(403);
  const event = { board_id, identity_id, value: 1 };
  expect((await root.post(`/v1/score-events?account_id=${other}`, event)).status).toBe(403);
  expect((await root.post(`/v1/score-events?account_id=${account_id}`, event)).status).toBe(201);
});

test('an empty query parameter counts as absent', async () => {
  const empty = 'account_id=&slug=&cursor=&limit=&sort=';
  expect((await root.get(`/v1/games?${empty}`)).body).toEqual((await root.get('/v1/games')).body);
  expect((await root.get(`/v1/games/${studio.live.game_id}?account_id=`)).status).toBe(200);
  const client = studio.player.client;
  const filters = 'game_id=&game_slug=&code=&slug=&is_active=&is_published=&starts_before=&ends_after=';
  expect((await client.get(`/v1/client/boards?${filters}`)).status).toBe(200);
  expect((await client.get('/v1/client/scores?board_id=')).body.details).toEqual([
    { loc: ['query', 'board_id'], msg: 'is required', type: 'missing' },
  ]);
});

test('the status deleted of an account is its deletion', async () => {
  const path = `/v1/accounts/${other}`;
  const both = await root.patch(path, { status: 'deleted', deleted: false });
  expect(both).toMatchObject({ status: 422, body: { details: [{ loc: ['body', 'deleted'] }] } });
  expect((await root.patch(path, { status: 'deleted' })).body).toMatchObject({ id: other, status: 'active' });
  expect((await root.get(path)).status).toBe(404);
  expect((await root.patch(path, { status: 'deleted' })).status).toBe(200);
  expect((await root.patch(path, { deleted: false })).status).toBe(200);
  expect((await root.get(path)).body).toMatchObject({ id: other, status: 'active' });
});
