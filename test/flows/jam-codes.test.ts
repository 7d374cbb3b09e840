import { uuid7 } from '../../src/base/ids.js';
import { hashToken } from '../../src/registration/codes/code.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import type { Answer, Data } from '../support/http.js';
import { register, verifiedToken } from '../support/mail.js';
import { change, makeStudio, unique } from '../support/make.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const root = () => app.superadmin;
const make = (body: Data = {}) =>
  root().got(root().post('/v1/jam-codes', { code: `Jam${unique()}`, description: 'A jam', ...body }));
const address = () => `guest${unique()}@example.com`;

test('a jam code is made, read, listed and changed', async () => {
  const features = { boards: 10, badge: { name: 'jam' } };
  const expires = new Date(app.clock.now() + DAY).toISOString();
  const made = await make({ code: 'summerJam30', features, max_uses: 3, expires_at: expires });
  expect(made).toEqual({
    id: expect.stringMatching(/^jam_/),
    code: 'SUMMERJAM30',
    description: 'A jam',
    active: true,
    expires_at: expires,
    max_uses: 3,
    current_uses: 0,
    remaining_uses: 3,
    last_redeemed_at: null,
    features,
    created_at: expect.any(String),
    updated_at: made.created_at,
  });
  const path = `/v1/jam-codes/${made.id}`;
  expect((await root().get(path)).body).toEqual(made);
  expect((await root().get('/v1/jam-codes?sort=code:asc')).body.data).toContainEqual(made);
  const taken = await root().post('/v1/jam-codes', { code: 'SummerJam30', description: '' });
  expect([taken.status, taken.body.code, taken.body.error]).toEqual([
    409,
    'CONFLICT',
    'Another jam code already uses this code.',
  ]);
  const changes = { active: false, description: 'Over', max_uses: null, expires_at: null, features: {} };
  const changed = await root().got(root().patch(path, changes));
  expect(changed).toMatchObject({ ...changes, remaining_uses: null, code: 'SUMMERJAM30' });
  expect((await root().patch(path, {})).body).toEqual(changed);
});

test.each([
  [{ code: 'ab' }, 'code'],
  [{ code: 'x'.repeat(51) }, 'code'],
  [{ code: 'no-hyphens' }, 'code'],
  [{ code: 'ÄÖÜ' }, 'code'],
  [{ max_uses: 0 }, 'max_uses'],
  [{ max_uses: 1.5 }, 'max_uses'],
  [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  [{ features: [] }, 'features'],
  [{ features: { pad: 'x'.repeat(8_192) } }, 'features'],
  [{ description: 'x'.repeat(2_001) }, 'description'],
  [{ description: null }, 'description'],
])('%j is refused', async (body, name) => {
  const answer = await root().post('/v1/jam-codes', { code: 'WRONG1', description: 'A jam', ...body });
  expect(answer).toMatchObject({ status: 422, body: { details: [{ loc: ['body', name] }] } });
});

test('empty members, missing records and other callers are refused', async () => {
  const { id } = await make();
  for (const name of ['active', 'description', 'features']) {
    expect((await root().patch(`/v1/jam-codes/${id}`, { [name]: null })).status).toBe(422);
  }
  expect((await root().get('/v1/jam-codes/jam_00000000-0000-4000-8000-000000000000')).status).toBe(404);
  const { admin } = await makeStudio(app);
  expect(await admin.code('{ jamCodes { nodes { id } } }')).toBe('SUPERADMIN_REQUIRED');
  expect(await admin.code(`{ node(id: "${id}") { id } }`)).toBe('SUPERADMIN_REQUIRED');
});

test('a use is counted and keeps the features as they were', async () => {
  const jam = await make({ features: { tier: 'gold' }, max_uses: 2 });
  const { account_id: first } = await register(app, address(), { jam_code: ` ${jam.code.toLowerCase()} ` });
  await root().patch(`/v1/jam-codes/${jam.id}`, { features: { tier: 'silver' } });
  app.clock.advance(1);
  const { account_id: second } = await register(app, address(), { jam_code: jam.code });
  expect((await root().get(`/v1/jam-codes/${jam.id}`)).body).toMatchObject({
    current_uses: 2,
    remaining_uses: 0,
    last_redeemed_at: new Date(app.clock.now()).toISOString(),
  });
  const { jamCode } = await app.superadmin.data(
    `query ($id: ID!) {
      jamCode(id: $id) { redemptions(first: 10) {
        nodes { id jamCodeId accountId features redeemedAt account { id } jamCode { code } }
        pageInfo { hasNextPage }
      } }
    }`,
    { id: jam.id },
  );
  const { nodes } = jamCode.redemptions;
  expect(nodes).toMatchObject([
    { jamCodeId: jam.id, accountId: second, features: { tier: 'silver' }, account: { id: second } },
    { jamCodeId: jam.id, accountId: first, features: { tier: 'gold' }, jamCode: { code: jam.code } },
  ]);
  const { node } = await app.superadmin.data(
    'query ($id: ID!) { node(id: $id) { id ... on JamCodeRedemption { accountId } } }',
    { id: nodes[0].id },
  );
  expect(node).toEqual({ id: nodes[0].id, accountId: second });
  const { jamCode: paged } = await app.superadmin.data(
    `query ($id: ID!) { jamCode(id: $id) { redemptions(first: 1) { nodes { accountId } pageInfo { hasNextPage endCursor } } } }`,
    { id: jam.id },
  );
  const { jamCode: next } = await app.superadmin.data(
    'query ($id: ID!, $after: String) { jamCode(id: $id) { redemptions(first: 1, after: $after) { nodes { ' +
      'accountId } pageInfo { hasNextPage } } } }',
    { id: jam.id, after: paged.redemptions.pageInfo.endCursor },
  );
  expect([...paged.redemptions.nodes, ...next.redemptions.nodes].map(({ accountId }) => accountId)).toEqual([
    second,
    first,
  ]);
  // Records below a deleted account are not shown; the use counts all the same.
  await change(app.superadmin, 'Account', second, { deleted: true });
  const { jamCode: left, node: gone } = await app.superadmin.data(
    'query ($id: ID!, $use: ID!) { jamCode(id: $id) { currentUses redemptions { nodes { accountId } } } node(id: $use) { id } }',
    { id: jam.id, use: nodes[0].id },
  );
  expect(left).toEqual({ currentUses: 2, redemptions: { nodes: [{ accountId: first }] } });
  expect(gone).toBeNull();
});

test('an inactive, expired, exhausted or unknown code writes nothing and leaves the token usable', async () => {
  const idle = await make();
  await root().patch(`/v1/jam-codes/${idle.id}`, { active: false });
  const over = await make({ expires_at: new Date(app.clock.now() + 1).toISOString() });
  const used = await make({ max_uses: 1 });
  const lowered = await make({ max_uses: 5 });
  await register(app, address(), { jam_code: used.code });
  for (let n = 0; n < 2; n += 1) await register(app, address(), { jam_code: lowered.code });
  expect((await root().patch(`/v1/jam-codes/${lowered.id}`, { max_uses: 1 })).body).toMatchObject({
    current_uses: 2,
    remaining_uses: 0,
  });
  app.clock.advance(1);
  const verification_token = await verifiedToken(app, address());
  const count = async () => (await app.database.knex('accounts').count('id as n').first())?.n;
  const before = await count();
  for (const code of [idle.code, over.code, used.code, lowered.code, 'NOSUCHCODE', "' or 1=1 --"]) {
    const answer = await app.anyone.post('/register/complete', {
      verification_token,
      account_name: 'Not yet',
      jam_code: code,
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_CODE']);
  }
  expect(await count()).toBe(before);
  const done = await app.anyone.post('/register/complete', {
    verification_token,
    account_name: 'Now',
    jam_code: ' ',
  });
  expect(done.status).toBe(201);
});

test('of 200 registrations at once with a code for 50, 50 succeed', async () => {
  const guests = 200;
  const jam = await make({ max_uses: 50 });
  const now = new Date(app.clock.now());
  // Addresses that were verified: how that is done is registration.test.ts' affair.
  const rows = Array.from({ length: guests }, (_, n) => ({
    id: uuid7(),
    email: `jam${n}@example.com`,
    type: 'registration',
    code_hash: Buffer.alloc(32),
    attempts: 0,
    status: 'used',
    withheld: false,
    expires_at: now,
    used_at: now,
    token_hash: hashToken(SETTINGS.keySecret, `token ${n}`),
    token_expires_at: new Date(now.getTime() + DAY),
    created_at: now,
    updated_at: now,
  }));
  await app.database.knex.batchInsert('verification_codes', rows, 200);
  const begun = performance.now();
  let busy = 0;
  // As a client does: a 503 is tried again.
  const complete = async (n: number): Promise<Answer<Data>> => {
    const body = { verification_token: `token ${n}`, account_name: `Guest ${n}`, jam_code: jam.code };
    const answer = await app.anyone.post('/register/complete', body);
    if (answer.status !== 503) return answer;
    busy += 1;
    return complete(n);
  };
  const answers = await Promise.all(rows.map((_, n) => complete(n)));
  const ms = Math.round(performance.now() - begun);
  process.stderr.write(
    `jam codes: ${guests} completions at once for 50 uses in ${ms} ms, ${busy} asked again\n`,
  );
  const codes = answers.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim());
  expect(codes.filter((code) => code === '201')).toHaveLength(50);
  expect(codes.filter((code) => code === '400 INVALID_CODE')).toHaveLength(150);
  expect((await root().get(`/v1/jam-codes/${jam.id}`)).body).toMatchObject({
    current_uses: 50,
    remaining_uses: 0,
  });
  const { knex } = app.database;
  const made = await knex('accounts').where('name', 'like', 'Guest %').select('id');
  const users = await knex('users').where('email', 'like', 'jam%@example.com').select('id');
  const keys = await knex('api_keys')
    .whereIn(
      'user_id',
      users.map(({ id }) => id),
    )
    .select('id');
  const uses = await knex('jam_code_redemptions').where('jam_code_id', jam.id.slice(4)).select('account_id');
  expect([made.length, users.length, keys.length, uses.length]).toEqual([50, 50, 50, 50]);
  expect(uses.map(({ account_id }) => account_id).toSorted()).toEqual(made.map(({ id }) => id).toSorted());
});
