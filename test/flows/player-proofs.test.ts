import { createHmac, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { JWTPayload } from 'jose';
import { uuidOf } from '../../src/base/ids.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { CLIENT, openIssuer } from '../fixtures/issuer.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { type KeyServer, openKeyServer } from '../support/key-server.js';
import {
  change,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeUser,
  type Player,
  type Studio,
  unique,
} from '../support/make.js';
import { makeLogin, ownToken } from '../support/own-tokens.js';
import { post, submit, takeNonce } from '../support/play.js';

// Players prove who they are by tokens of an issuer, or of the studio's own login.

const LOCAL = { oidcAllowHttp: true, oidcAllowNetworks: ['127.0.0.0/8', '::1'] };
const AUDIENCE = 'com.example.race';

let app: TestApp;
let keys: KeyServer;
let studio: Studio;
let game: Data;
let provider: Data;
beforeAll(async () => {
  [app, keys] = await Promise.all([startApp(LOCAL), openKeyServer()]);
  studio = await makeStudio(app);
  game = await makeGame(studio);
  provider = (await makeProvider({ slug: 'own' })).body;
});
afterAll(async () => {
  await app.close();
  await keys.close();
});

/** A provider of a game of its own; `at` is where proofs by it go. */
async function elsewhere(input: Data = {}) {
  const { id } = await makeGame(studio);
  const { status, body } = await makeProvider({ game_id: id, ...input });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: body.id as string, at: { provider: body.slug as string, game_id: id as string }, body };
}

const makeProvider = (input: Data, caller: Caller = studio.admin) =>
  caller.post('/v1/player-providers', {
    ...{ account_id: studio.accountId, game_id: game.id, kind: 'oidc', slug: `p${unique()}`.slice(0, 40) },
    ...{ issuer: keys.url, audiences: [AUDIENCE] },
    ...input,
  });
const seconds = () => Math.floor(app.clock.now() / 1_000);
const claims = (sub: string, more: JWTPayload = {}): JWTPayload => ({
  ...{ iss: keys.url, aud: AUDIENCE, sub, iat: seconds(), exp: seconds() + 600, jti: randomUUID() },
  ...more,
});
const token = (sub: string, more: JWTPayload = {}, header = {}) => keys.sign(claims(sub, more), header);
const start = (given: Data | null, more: Data = {}) => {
  const { game_id = game.id, ...proof } = given ?? {};
  return app.anyone.post('/v1/client/sessions', {
    ...{ game_id, client_fingerprint: `device ${unique()}`, ...more },
    ...(given && { proof: { provider: 'own', ...proof } }),
  });
};
const client = (session: Data): Caller =>
  app.anyone.with({ authorization: `Bearer ${session.access_token}` });
const playing = (session: Data): Player => ({
  client: client(session),
  session: { identityId: session.identity_id, id: session.id } as Player['session'],
});
const add = async (session: Data, proof: Data) =>
  client(session)
    .with({ 'service-client-nonce': await takeNonce(client(session)) })
    .post('/v1/client/proofs', { provider: 'own', ...proof });
const codeOf = async (given: string, more: Data = {}) => {
  const { status, body } = await start({ token: given, ...more });
  return status === 201 ? 'ok' : body.code;
};
const refusalOf = async (id: string = provider.id) =>
  (await studio.admin.get(`/v1/player-providers/${id}`)).body.last_refusal as string | null;

test('the account of a proof is one player, on whatever device', async () => {
  const board = await makeBoard(studio, game.id);
  const phone = (await start({ token: await token('ann') })).body;
  expect(phone).toMatchObject({ kind: 'platform', status: 'active', test_mode: false });
  await submit(playing(phone), board.id, 70);
  const laptop = (await start({ token: await token('ann') })).body;
  expect([laptop.identity_id, laptop.id === phone.id]).toEqual([phone.identity_id, false]);
  expect((await start({ token: await token('ben') })).body.identity_id).not.toBe(phone.identity_id);
  const { score } = await submit(playing(laptop), board.id, 90);
  expect([score.identityId, score.rank]).toEqual([phone.identity_id, 1]);
  // Tokens of the session go on as the player's.
  const { body: next } = await app.anyone.post('/v1/client/sessions/refresh', {
    refresh_token: laptop.refresh_token,
  });
  const { body: me } = await client(next).get('/v1/client/me');
  expect(me).toMatchObject({ identity_id: phone.identity_id, device_id: laptop.id, game_id: game.id });
  expect(me.proofs).toEqual([
    expect.objectContaining({ provider: 'own', kind: 'oidc', subject: '…n', proven_at: expect.any(String) }),
  ]);
  expect(me.devices.map(({ device_id }: Data) => device_id).toSorted()).toEqual(
    [phone.id, laptop.id].toSorted(),
  );
  const { identity } = await studio.admin.data(
    'query ($id: ID!) { identity(id: $id) { kind externalKey proofs { provider subject kind } } }',
    { id: phone.identity_id },
  );
  expect(identity).toEqual({
    ...{ kind: 'PLATFORM', externalKey: 'own:ann' },
    proofs: [{ provider: 'own', subject: '…n', kind: 'OIDC' }],
  });
});

test('without a proof the device is who it was', async () => {
  const client_fingerprint = `shared ${unique()}`;
  const guest = (await start(null, { client_fingerprint })).body;
  const proven = (await start({ token: await token('cleo') }, { client_fingerprint, platform: 'ios' })).body;
  expect([proven.id, proven.platform]).toEqual([guest.id, 'ios']);
  expect(proven.identity_id).not.toBe(guest.identity_id);
  const again = (await start(null, { client_fingerprint })).body;
  expect([again.id, again.identity_id, again.kind]).toEqual([guest.id, guest.identity_id, 'device']);
});

test('a token is refused unless it is this issuer’s, for this game, now, and new', async () => {
  const forge = async (header: object, payload: object, secret: string) => {
    const text = [header, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const none = [{ alg: 'none' }, claims('eve')].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const other = await openKeyServer();
  const spki = await keys.publicKey();
  const whole = await token('eve');
  const refused: Record<string, string> = {
    expired: await token('eve', { exp: seconds() - 120 }),
    'not yet valid': await token('eve', { nbf: seconds() + 120 }),
    'issued later': await token('eve', { iat: seconds() + 120 }),
    'for years': await token('eve', { exp: seconds() + 8 * 86_400 }),
    'without an end': await token('eve', { exp: undefined }),
    'foreign audience': await token('eve', { aud: 'com.example.other' }),
    'no audience': await token('eve', { aud: undefined }),
    'another party of ours': await token('eve', { aud: [AUDIENCE, 'other'], azp: 'other' }),
    'several audiences without a party': await token('eve', { aud: [AUDIENCE, 'other'] }),
    'another issuer': await token('eve', { iss: 'https://issuer.example.com' }),
    'the issuer with a slash': await token('eve', { iss: `${keys.url}/` }),
    'key of another issuer': await other.sign(claims('eve'), { kid: 'key 1' }),
    'unknown key': await token('eve', {}, { kid: 'none' }),
    'alg none': `${none.join('.')}.`,
    'HS256 with the public key': await forge({ alg: 'HS256', typ: 'JWT' }, claims('eve'), spki),
    'no subject': await token('eve', { sub: undefined }),
    'an empty subject': await token(''),
    'a subject of controls': await token('a\u0000b'),
    'a logout token': await token('eve', {
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    }),
    'a changed payload': whole.replace(
      /\.[^.]+\./,
      `.${Buffer.from(JSON.stringify(claims('ann'))).toString('base64url')}.`,
    ),
    'no token': 'nothing',
    'two dots': '..',
  };
  for (const [name, text] of Object.entries(refused)) {
    expect([name, await codeOf(text)]).toEqual([name, 'PROOF_REFUSED']);
  }
  await other.close();
  expect(await codeOf(await token('eve', { aud: ['other', AUDIENCE], azp: AUDIENCE }))).toBe('ok');
  expect(await codeOf(whole)).toBe('ok');
  expect(await codeOf(whole)).toBe('PROOF_REFUSED');
  // Another signature of the same claims is the same token.
  const jti = randomUUID();
  expect(await codeOf(await token('eve', { jti }))).toBe('ok');
  expect(await codeOf(await token('eve', { jti }))).toBe('PROOF_REFUSED');
  // The job that forgets nonces keeps it while it could be sent again.
  app.clock.advance(9 * MINUTE);
  await app.app.jobs.run('forget-nonce-uses');
  expect(await codeOf(whole)).toBe('PROOF_REFUSED');
  app.clock.advance(2 * HOUR);
  await app.app.jobs.run('forget-nonce-uses');
  expect(await codeOf(whole)).toBe('PROOF_REFUSED');
});

test('players are told nothing of why; administrators are, and the token is nowhere', async () => {
  const wrong = await token('eve', { aud: 'com.example.other' });
  app.clock.advance(MINUTE);
  const { status, body } = await start({ token: wrong });
  expect([status, body.code, /audience|aud|issuer/.test(body.error ?? body.message ?? '')]).toEqual([
    401,
    'PROOF_REFUSED',
    false,
  ]);
  expect(await refusalOf()).toMatch(/"aud".*com\.example\.other/);
  // One note in ten seconds.
  await start({ token: 'nothing' });
  expect(await refusalOf()).toMatch(/com\.example\.other/);
  app.clock.advance(11_000);
  await start({ token: 'nothing' });
  expect(await refusalOf()).not.toMatch(/com\.example\.other/);
  expect(await codeOf(await token('x'), { provider: 'nobody' })).toBe('PROOF_REFUSED');
});

test('of fifty starts with one token at once one wins, and fifty tokens of one account are one player', async () => {
  const one = await token('crowd');
  const answers = await Promise.all(Array.from({ length: 50 }, () => start({ token: one })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
    new Set(['PROOF_REFUSED']),
  );
  const tokens = await Promise.all(Array.from({ length: 50 }, () => token('many')));
  const started = await Promise.all(tokens.map((text) => start({ token: text })));
  expect(started.map(({ status }) => status)).toEqual(started.map(() => 201));
  expect(new Set(started.map(({ body }) => body.identity_id)).size).toBe(1);
});

test('keys are cached, and read again for a new one, once a minute', async () => {
  const issuer = await openKeyServer();
  const { at } = await elsewhere({ issuer: issuer.url });
  const send = async (header = {}) => codeOf(await issuer.sign(claims('r', { iss: issuer.url }), header), at);
  const { now } = Date;
  try {
    for (let i = 0; i < 3; i += 1) expect(await send()).toBe('ok');
    expect(issuer.reads).toBe(1);
    await issuer.rotate('RS256');
    expect(await send()).toBe('PROOF_REFUSED');
    Date.now = () => now() + 61_000;
    expect(await send()).toBe('ok');
    expect(issuer.reads).toBe(2);
    for (let i = 0; i < 3; i += 1) expect(await send({ kid: `unknown ${i}` })).toBe('PROOF_REFUSED');
    expect(issuer.reads).toBe(2);
  } finally {
    Date.now = now;
    await issuer.close();
  }
});

test('a provider that fails is unavailable for new proofs, and for nothing else', async () => {
  const guest = (await start(null)).body;
  const [{ at: silentOne }, { at: wrong }, { at: lying }] = await Promise.all([
    elsewhere(),
    elsewhere(),
    elsewhere(),
  ]);
  const text = await token('late');
  let waiting = 0;
  keys.answer = (request) => {
    waiting += 1;
    request.on('error', () => undefined);
  };
  const silent = codeOf(text, silentOne);
  while (waiting === 0) await new Promise(setImmediate);
  // Meanwhile: sessions without a proof, and those that are there.
  expect((await start(null)).status).toBe(201);
  expect((await client(guest).get('/v1/client/me')).status).toBe(200);
  expect(await silent).toBe('PROVIDER_UNAVAILABLE');
  keys.answer = (_, response) => void response.end('<html>');
  expect(await codeOf(text, wrong)).toBe('PROVIDER_UNAVAILABLE');
  keys.answer = (_, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{}');
    setTimeout(() => response.destroy(), 10);
  };
  expect(await codeOf(text, lying)).toBe('PROVIDER_UNAVAILABLE');
  keys.answer = (_, response) => void response.end('x'.repeat(300_000));
  await new Promise((later) => setTimeout(later, 1_100));
  expect(await codeOf(text, lying)).toBe('PROVIDER_UNAVAILABLE');
  keys.answer = (_, response) =>
    void response.end(JSON.stringify({ issuer: 'https://other.example.com', jwks_uri: keys.url }));
  await new Promise((later) => setTimeout(later, 1_100));
  expect(await codeOf(text, lying)).toBe('PROVIDER_UNAVAILABLE');
  keys.answer = undefined;
  await new Promise((later) => setTimeout(later, 1_100));
  // The token was not used up.
  expect(await codeOf(text, silentOne)).toBe('ok');
});

test('silent providers of one account hold up no other’s', async () => {
  const waiting = new Set<ServerResponse>();
  keys.answer = (request, response) => {
    if (!request.url!.startsWith('/silent')) {
      const isMetadata = request.url!.endsWith('/openid-configuration');
      return void response.end(
        JSON.stringify(isMetadata ? { issuer: keys.url, jwks_uri: `${keys.url}/k` } : { keys: [] }),
      );
    }
    waiting.add(response);
    response.on('close', () => waiting.delete(response));
  };
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, i) => elsewhere({ issuer: `${keys.url}/silent/${i}` })),
  );
  const text = await token('one');
  const asked = made.map(({ at }) => codeOf(text, at));
  while (waiting.size < 10) await new Promise(setImmediate);
  const other = await makeStudio(app);
  const { id } = await makeGame(other);
  await other.admin.post('/v1/player-providers', {
    ...{
      account_id: other.accountId,
      game_id: id,
      kind: 'oidc',
      slug: 'own',
      issuer: keys.url,
      audiences: ['a'],
    },
  });
  // Its provider is asked at once: the set has no key, so the proof is refused.
  expect(await codeOf(text, { game_id: id })).toBe('PROOF_REFUSED');
  expect(waiting.size).toBe(10);
  for (const response of waiting) response.destroy();
  keys.answer = undefined;
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['PROVIDER_UNAVAILABLE']));
});

test('private networks are not reached', async () => {
  const strict = await startApp({ oidcAllowHttp: true });
  const theirs = await makeStudio(strict);
  const { id } = await makeGame(theirs);
  const made = await theirs.admin.post('/v1/player-providers', {
    ...{
      account_id: theirs.accountId,
      game_id: id,
      kind: 'oidc',
      slug: 'inner',
      issuer: keys.url,
      audiences: ['a'],
    },
  });
  expect(made.status).toBe(201);
  const { reads } = keys;
  const { body } = await strict.anyone.post('/v1/client/sessions', {
    ...{ game_id: id, client_fingerprint: 'd', proof: { provider: 'inner', token: await token('x') } },
  });
  expect([body.code, keys.reads]).toEqual(['PROVIDER_UNAVAILABLE', reads]);
  await strict.close();
});

test('a real issuer: its ID tokens prove players', async () => {
  const returnUrl = 'https://game.example.com/signed-in';
  const [real, issuer] = await Promise.all([startApp(LOCAL), openIssuer(returnUrl)]);
  // The library's clock is the machine's.
  real.clock.advance(Date.now() - real.clock.now());
  const theirs = await makeStudio(real);
  const { id } = await makeGame(theirs);
  await theirs.admin.post('/v1/player-providers', {
    ...{ account_id: theirs.accountId, game_id: id, kind: 'oidc', slug: 'real' },
    ...{ issuer: issuer.url, audiences: [CLIENT.id] },
  });
  issuer.people.set('dora', { email: 'dora@example.com' });
  issuer.next = 'dora';
  const signIn = async () => {
    const query = new URLSearchParams({
      ...{ client_id: CLIENT.id, redirect_uri: returnUrl, response_type: 'code', scope: 'openid' },
      ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    });
    const code = new URLSearchParams(await issuer.visit(`${issuer.url}/auth?${query}`)).get('code')!;
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, redirect_uri: returnUrl },
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    });
    const basic = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64');
    const headers = { authorization: `Basic ${basic}` };
    const answer = await fetch(`${issuer.url}/token`, { method: 'POST', body, headers });
    return ((await answer.json()) as { id_token: string }).id_token;
  };
  const begin = (given: string) =>
    real.anyone.post('/v1/client/sessions', {
      ...{ game_id: id, client_fingerprint: `device ${unique()}`, proof: { provider: 'real', token: given } },
    });
  try {
    const [one, two] = [await signIn(), await signIn()];
    const first = await begin(one);
    expect([first.status, first.body.kind]).toEqual([201, 'platform']);
    expect((await begin(two)).body.identity_id).toBe(first.body.identity_id);
    expect((await begin(one)).body.code).toBe('PROOF_REFUSED');
  } finally {
    await issuer.close();
    await real.close();
  }
});

describe('tokens of the studio’s own login', () => {
  const signed = (input: Data) =>
    elsewhere({ kind: 'signed', issuer: undefined, audiences: ['race'], ...input });
  const own = (sub: string, more: JWTPayload = {}) => claims(sub, { iss: undefined, aud: 'race', ...more });

  test('with a public key of each kind', async () => {
    const login = await openKeyServer();
    for (const alg of ['RS256', 'ES256', 'EdDSA']) {
      await login.rotate(alg);
      const { at } = await signed({ public_key: await login.publicKey() });
      const text = await login.sign(own('ann'));
      expect([alg, await codeOf(text, at)]).toEqual([alg, 'ok']);
      expect(await codeOf(text, at)).toBe('PROOF_REFUSED');
      expect(await codeOf(await login.sign(own('ann', { aud: 'other' })), at)).toBe('PROOF_REFUSED');
      const jose = await import('jose');
      const forged = await new jose.SignJWT(own('ann'))
        .setProtectedHeader({ alg: 'HS256' })
        .sign(Buffer.from(await login.publicKey()));
      expect(await codeOf(forged, at)).toBe('PROOF_REFUSED');
    }
    await login.close();
  });

  test('with a shared secret, which nobody gets to see', async () => {
    const jose = await import('jose');
    const secret = 'a-secret-of-the-login-and-the-service';
    const { body, at } = await signed({ issuer: 'https://login.example.com', secret });
    expect(JSON.stringify(body)).not.toContain('a-secret');
    const sign = (key: string, payload: JWTPayload, alg = 'HS256') =>
      new jose.SignJWT(payload).setProtectedHeader({ alg }).sign(Buffer.from(key));
    const payload = own('ann', { iss: 'https://login.example.com' });
    expect(await codeOf(await sign(secret, payload), at)).toBe('ok');
    const refused = [
      await sign('another-secret-of-the-login-also-long-enough', { ...payload, jti: 'b' }),
      await sign(`${secret}${secret}`, { ...payload, jti: 'c' }, 'HS512'),
      await sign(secret, { ...payload, jti: 'd', iss: 'https://other.example.com' }),
    ];
    for (const text of refused) expect(await codeOf(text, at)).toBe('PROOF_REFUSED');
    const { rows } = await app.database.pool.query(
      'select sealed_secret from player_providers where id = $1',
      [uuidOf(body.id)],
    );
    expect(rows[0].sealed_secret.includes('a-secret')).toBe(false);
  });
});

describe('a guest who signs in', () => {
  test('keeps its player and its runs', async () => {
    const board = await makeBoard(studio, game.id);
    const guest = (await start(null)).body;
    await submit(playing(guest), board.id, 50);
    const { status, body } = await add(guest, { token: await token('fay') });
    expect([status, body.session, body.identity.id, body.identity.kind]).toEqual([
      200,
      null,
      guest.identity_id,
      'device',
    ]);
    expect(body.identity.proofs).toEqual([expect.objectContaining({ provider: 'own' })]);
    // On another device the proof finds that player.
    const other = (await start({ token: await token('fay') })).body;
    expect(other.identity_id).toBe(guest.identity_id);
    const { score } = await submit(playing(other), board.id, 60);
    expect([score.identityId, score.value]).toEqual([guest.identity_id, 60]);
  });

  test('becomes the player who has the proof, and the guest stays', async () => {
    const board = await makeBoard(studio, game.id);
    const proven = (await start({ token: await token('gus') })).body;
    const guest = (await start(null)).body;
    await submit(playing(guest), board.id, 50);
    const other = await makeBoard(studio, game.id);
    await submit(playing(proven), board.id, 80);
    const ask = { token: await token('gus'), on_conflict: 'refuse', board_ids: [board.id, other.id] };
    const refused = await add(guest, ask);
    expect([refused.status, refused.body.code]).toEqual([409, 'PLAYER_CONFLICT']);
    expect(refused.body.details.map(({ loc, standings }: Data) => [loc, standings])).toEqual([
      [['body', 'board_ids', 0], { current: { rank: 2, value: 50 }, proven: { rank: 1, value: 80 } }],
      [['body', 'board_ids', 1], { current: null, proven: null }],
    ]);
    const foreign = await makeBoard(studio, (await makeGame(studio)).id);
    expect((await add(guest, { ...ask, board_ids: [foreign.id] })).body.code).toBe('NOT_FOUND');
    const many = Array.from({ length: 6 }, () => `brd_${randomUUID()}`);
    expect((await add(guest, { ...ask, board_ids: many })).body.code).toBe('VALIDATION_FAILED');
    expect((await client(guest).get('/v1/client/me')).body.identity_id).toBe(guest.identity_id);
    const { body } = await add(guest, { token: await token('gus') });
    expect(body.identity.id).toBe(proven.identity_id);
    expect(body.session).toMatchObject({ id: guest.id, identity_id: proven.identity_id });
    expect((await client(guest).get('/v1/client/me')).body.code).toBe('INVALID_TOKEN');
    expect((await client(body.session).get('/v1/client/me')).body.identity_id).toBe(proven.identity_id);
    const { score } = await submit(playing(body.session), board.id, 70);
    expect(score.identityId).toBe(proven.identity_id);
    const back = (await start(null, { client_fingerprint: guest.client_fingerprint })).body;
    expect(back.identity_id).toBe(guest.identity_id);
    const { data } = (await client(back).get(`/v1/client/scores?board_id=${board.id}`)).body;
    expect(data.map(({ value }: Data) => value)).toEqual([80, 70, 50]);
  });

  test('a refused conflict leaves the proof for another answer, and what is decided is not asked again', async () => {
    const board = await makeBoard(studio, game.id);
    await start({ token: await token('hal') });
    const guest = (await start(null)).body;
    await submit(playing(guest), board.id, 50);
    const text = await token('hal');
    const more = { client_fingerprint: guest.client_fingerprint };
    const asked = await start({ token: text, on_conflict: 'refuse' }, more);
    expect([asked.status, asked.body.code]).toEqual([409, 'PLAYER_CONFLICT']);
    expect((await start({ token: text }, more)).status).toBe(201);
    expect((await start({ token: await token('hal'), on_conflict: 'refuse' }, more)).status).toBe(201);
    // A guest without runs has nothing to lose.
    expect((await start({ token: await token('hal'), on_conflict: 'refuse' })).status).toBe(201);
  });

  test('a second account of one provider is another player', async () => {
    const first = (await start({ token: await token('ida') })).body;
    const { body } = await add(first, { token: await token('jim') });
    expect(body.session.identity_id).not.toBe(first.identity_id);
    expect((await start({ token: await token('ida') })).body.identity_id).toBe(first.identity_id);
    expect((await start({ token: await token('jim') })).body.identity_id).toBe(body.session.identity_id);
  });

  test('a second account of one provider is another player, also of one that others are merged into', async () => {
    const source = (await start({ token: await token('lea') })).body;
    const target = (await start(null)).body;
    const merged = await studio.admin.post('/v1/player-merges', {
      ...{ source_id: source.identity_id, target_id: target.identity_id },
    });
    expect(merged.status).toBeLessThan(300);
    const { body } = await add(target, { token: await token('mia') });
    expect(body.session.identity_id).not.toBe(target.identity_id);
    expect((await start({ token: await token('lea') })).body.identity_id).toBe(target.identity_id);
  });

  test('who was deleted while the provider was asked gets no proof', async () => {
    const issuer = await openKeyServer();
    const { at } = await elsewhere({ issuer: issuer.url });
    const guest = (await start(null, { game_id: at.game_id })).body;
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    issuer.answer = (_, response) => {
      asked();
      void gate.then(() => {
        issuer.answer = undefined;
        response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }));
      });
    };
    const adding = add(guest, { ...at, token: await issuer.sign(claims('zed', { iss: issuer.url })) });
    await isAsked;
    await change(studio.admin, 'Identity', guest.identity_id, { deleted: true });
    release();
    expect((await adding).body.code).toBe('INVALID_TOKEN');
    expect(await app.database.knex('player_proofs').where('identity_id', uuidOf(guest.identity_id))).toEqual(
      [],
    );
    await issuer.close();
  });

  test('takes a nonce, once', async () => {
    const guest = (await start(null)).body;
    const nonce = await takeNonce(client(guest));
    const send = async (text: string, headers: Record<string, string> = { 'service-client-nonce': nonce }) =>
      client(guest).with(headers).post('/v1/client/proofs', { provider: 'own', token: text });
    expect((await send(await token('kim'), {})).body.code).toBe('NONCE_REQUIRED');
    expect((await send(await token('kim'))).status).toBe(200);
    expect((await send(await token('kim'))).body.code).toBe('NONCE_USED');
  });
});

describe('boards and prizes for players who have proven who they are', () => {
  test('a board takes runs of game clients only with a proof, as soon as there is one; of game servers, any', async () => {
    const board = await makeBoard(studio, game.id);
    const guest = (await start(null)).body;
    const proven = (await start({ token: await token('nia') })).body;
    await submit(playing(guest), board.id, 10);
    await submit(playing(proven), board.id, 20);
    await change(studio.admin, 'Board', board.id, { proof: 'REQUIRED' });
    expect((await studio.admin.get(`/v1/boards/${board.id}`)).body.proof).toBe('required');
    const refused = await post(playing(guest), { board_id: board.id, value: 30 });
    expect([refused.status, refused.body.code]).toEqual([403, 'PROOF_REQUIRED']);
    expect((await submit(playing(proven), board.id, 30)).score.rank).toBe(1);
    const { body: served } = await studio.admin.post('/v1/score-events', {
      ...{ board_id: board.id, identity_id: guest.identity_id, value: 15 },
    });
    expect(served.disposition ?? served.status).not.toBe('rejected');
    await add(guest, { token: await token('oli') });
    expect((await submit(playing(guest), board.id, 40)).score.rank).toBe(1);
    await change(studio.admin, 'Board', board.id, { proof: 'OFF' });
    await submit(playing((await start(null)).body), board.id, 50);
    const { rows } = await app.database.pool.query(
      `select checksum from migration_checksums where name = 'oldest-known'`,
    );
    expect(rows).toEqual([{ checksum: expect.stringMatching(/^(122|12[3-9]|1[3-9])/) }]);
  });

  test('a line for them ranks them alone, by whom was proven when the ranking ended', async () => {
    const own = await makeGame(studio, { antiCheatEnabled: false });
    await makeLogin(studio, own.id);
    const lines = [
      { name: 'gold', title: 'Gold', firstRank: 1, provenOnly: true },
      { name: 'half', title: 'Half', percent: 50, provenOnly: true, minimumRuns: 1 },
      { name: 'all', title: 'All' },
    ];
    const board = await makeBoard(studio, own.id, { closingRules: [{ prizes: { lines } }] });
    const session = async (sub?: string) => {
      const proof = sub && { provider: 'login', token: ownToken(sub, app.clock.now()) };
      const more = { game_id: own.id, client_fingerprint: `device ${unique()}`, ...(proof && { proof }) };
      return (await app.anyone.post('/v1/client/sessions', more)).body as Data;
    };
    const [ann, ben, late] = [await session('ann'), await session('ben'), await session()];
    for (const [who, value] of [
      [ann, 10],
      [ben, 20],
      [late, 30],
    ] as const)
      await submit(playing(who), board.id, value);
    for (let i = 0; i < 5; i += 1) await submit(playing(await session()), board.id, 100 + i);
    const shown = (await studio.admin.get(`/v1/boards/${board.id}/closing-preview`)).body;
    expect(shown.lines.map((of: Data) => [of.line, of.reward_count, of.left_out])).toEqual([
      ['gold', 1, 6],
      ['half', 1, 6],
      ['all', 8, 0],
    ]);
    await studio.admin.post(`/v1/boards/${board.id}/close`, {});
    app.clock.advance(1_000);
    await add(late, { provider: 'login', token: ownToken('late', app.clock.now()) });
    app.clock.advance(DAY);
    await app.app.jobs.run('close-rankings');
    const rewards = await app.database
      .knex('rewards')
      .where('board_id', uuidOf(board.id))
      .whereNot('line', 'all');
    const won = (line: string) =>
      rewards.filter((one) => one.line === line).map(({ identity_id }) => identity_id);
    expect([won('gold'), won('half')]).toEqual([[uuidOf(ben.identity_id)], [uuidOf(ben.identity_id)]]);
    expect(await verifyBoard(app.database, board.id)).toEqual([]);
    const { body: stored } = await studio.admin.get(`/v1/boards/${board.id}`);
    expect(stored.closing_rules[0].prizes.lines.map((line: Data) => line.proven_only)).toEqual([
      true,
      true,
      null,
    ]);
  });
});

test('an imported player becomes its owner’s with the first proof', async () => {
  const board = await makeBoard(studio, game.id);
  const lines = ['external_key,identity_kind,player_name,value', 'own:old,platform,Old Hand,100'];
  await new ImportClient(() => studio.admin).bringIn(board.id, [lines.join('\n')]);
  const session = (await start({ token: await token('old') })).body;
  expect(session).toMatchObject({ kind: 'platform', display_name: 'Old Hand' });
  const { data } = (await client(session).get(`/v1/client/scores?board_id=${board.id}`)).body;
  expect(data.map(({ identity_id, value }: Data) => [identity_id, value])).toEqual([
    [session.identity_id, 100],
  ]);
});

test('a new provider of an old name does not get the old one’s players', async () => {
  const { id, at } = await elsewhere({ slug: 'again' });
  const ann = (await start({ ...at, token: await token('ann') })).body;
  const moved = await studio.admin.patch(`/v1/player-providers/${id}`, {
    issuer: 'https://other.example.com',
  });
  expect(moved.body.code).toBe('INVALID_TRANSITION');
  await change(studio.admin, 'PlayerProvider', id, { deleted: true });
  expect(await codeOf(await token('ann'), at)).toBe('PROOF_REFUSED');
  const next = (await makeProvider({ game_id: at.game_id, slug: 'again' })).body;
  const other = (await start({ ...at, token: await token('ann') })).body;
  expect(other.identity_id).not.toBe(ann.identity_id);
  expect((await start({ ...at, token: await token('ann') })).body.identity_id).toBe(other.identity_id);
  expect((await studio.admin.patch(`/v1/player-providers/${id}`, { deleted: false })).body.code).toBe(
    'CONFLICT',
  );
  expect(await refusalOf(next.id)).toBeNull();
});

test('bans: a device, and a new one of a player who has a banned one', async () => {
  const first = (await start({ token: await token('liz') })).body;
  const second = (await start({ token: await token('liz') })).body;
  await change(studio.admin, 'Device', first.id, { status: 'BANNED' });
  const more = { client_fingerprint: first.client_fingerprint };
  expect((await start({ token: await token('liz') }, more)).body.code).toBe('DEVICE_BLOCKED');
  expect(await codeOf(await token('liz'))).toBe('DEVICE_BLOCKED');
  const guest = (await start(null)).body;
  expect((await add(guest, { token: await token('liz') })).body.code).toBe('DEVICE_BLOCKED');
  // A device that has played for it decides for itself.
  expect(
    (await start({ token: await token('liz') }, { client_fingerprint: second.client_fingerprint })).status,
  ).toBe(201);
  await change(studio.admin, 'Device', first.id, { status: 'ACTIVE' });
  expect(await codeOf(await token('liz'))).toBe('ok');
});

test('a review that bans the devices of a proven player bans those it proved itself on', async () => {
  const client_fingerprint = `couch ${unique()}`;
  await start(null, { client_fingerprint });
  const proven = (await start({ token: await token('rex') }, { client_fingerprint })).body;
  const { status } = await studio.admin.post('/v1/identity-reviews', {
    ...{ identity_id: proven.identity_id, decision: 'confirmed_cheat', ban_devices: true },
  });
  expect(status).toBeLessThan(300);
  expect((await studio.admin.get(`/v1/devices/${proven.id}`)).body.status).toBe('banned');
});

test('a deleted player’s proof finds a new one, an erased one’s, too, and nothing of it is left', async () => {
  const gone = (await start({ token: await token('mia') })).body;
  await change(studio.admin, 'Identity', gone.identity_id, { deleted: true });
  const next = (await start({ token: await token('mia') })).body;
  expect(next.identity_id).not.toBe(gone.identity_id);
  const exported = await studio.admin.get(`/v1/identities/${next.identity_id}/export`);
  expect(String(exported.body)).toContain('"subject":"mia"');
  await studio.admin.post(`/v1/identities/${next.identity_id}/erase`, { scores: 'remove' });
  await app.app.jobs.run('erase-players').catch(() => undefined);
  const { rows } = await app.database.pool.query(
    `select (select count(*) from player_proofs where identity_id = $1)
       + (select count(*) from proven_devices where identity_id = $1) as n`,
    [uuidOf(next.identity_id)],
  );
  expect(Number(rows[0].n)).toBe(0);
  expect((await start({ token: await token('mia') })).body.identity_id).not.toBe(next.identity_id);
});

test('the tier of a provider is that of players who have none', async () => {
  const { at } = await elsewhere({ trust_tier: 'a' });
  const tierOf = async ({ identity_id }: Data) =>
    (await studio.admin.get(`/v1/identities/${identity_id}`)).body.trust_tier;
  const session = (await start({ ...at, token: await token('ann') })).body;
  expect(await tierOf(session)).toBe('a');
  const guest = (await start(null, { game_id: at.game_id })).body;
  await change(studio.admin, 'Identity', guest.identity_id, { trustTier: 'C' });
  await add(guest, { provider: at.provider, token: await token('bob') });
  expect(await tierOf(guest)).toBe('c');
  const other = (await start(null, { game_id: at.game_id })).body;
  await add(other, { provider: at.provider, token: await token('cleo') });
  expect(await tierOf(other)).toBe('a');
});

test('what providers are made of is checked', async () => {
  const pem = await keys.publicKey();
  const jose = await import('jose');
  const small = '-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK\n-----END PUBLIC KEY-----';
  const pair = await jose.generateKeyPair('ES256', { extractable: true });
  const bare = { issuer: undefined, audiences: undefined };
  const faults: Data[] = [
    { issuer: undefined },
    { audiences: [] },
    { audiences: ['a', 'a'] },
    { issuer: 'ftp://x.example.com' },
    { issuer: 'https://x.example.com/?a=1' },
    { public_key: pem },
    { secret: 's'.repeat(40) },
    { steam_identity: 'x' },
    { kind: 'signed', issuer: undefined },
    { kind: 'signed', secret: 'short' },
    { kind: 'signed', secret: 's'.repeat(40), public_key: pem },
    { kind: 'signed', public_key: small },
    { kind: 'signed', public_key: await jose.exportPKCS8(pair.privateKey) },
    { kind: 'steam', ...bare, client_id: '480', secret: 'key' },
    { kind: 'steam', ...bare, client_id: '480', steam_identity: 'race' },
    { kind: 'game_center', ...bare },
    { kind: 'discord', ...bare, client_id: '1' },
    { kind: 'nothing' },
  ];
  for (const input of faults) {
    const { status, body } = await makeProvider(input);
    expect([input, status]).toEqual([input, 422]);
    expect(body.code).toBe('VALIDATION_FAILED');
  }
  expect((await makeProvider({ slug: 'own' })).body.code).toBe('CONFLICT');
  const strict = await startApp();
  const theirs = await makeStudio(strict);
  const http = await theirs.admin.post('/v1/player-providers', {
    ...{ account_id: theirs.accountId, game_id: (await makeGame(theirs)).id, kind: 'oidc', slug: 'plain' },
    ...{ issuer: 'http://issuer.example.com', audiences: ['a'] },
  });
  expect(http.status).toBe(422);
  await strict.close();
});

test('ten providers a game; a key with the scope players writes them, one with configure does not', async () => {
  const { id } = await makeGame(studio);
  const user = await makeUser(app.superadmin, studio.accountId, { role: 'DEVELOPER' });
  const keyed = async (scopes: string[]) =>
    app.anyone.with({
      'service-api-key': (await makeKey(app.superadmin, studio.accountId, user.id, { scopes })).key,
    });
  expect((await makeProvider({ game_id: id }, await keyed(['CONFIGURE', 'SUBMIT']))).body.code).toBe(
    'FORBIDDEN',
  );
  const server = await keyed(['PLAYERS']);
  const made: Data[] = [];
  for (let i = 0; i < 10; i += 1) {
    const { status, body } = await makeProvider({ game_id: id }, server);
    expect(status).toBe(201);
    made.push(body);
  }
  expect((await makeProvider({ game_id: id })).body.code).toBe('BAD_REQUEST');
  const { body } = await studio.admin.get(`/v1/player-providers?game_id=${id}`);
  expect(body.data).toHaveLength(10);
  await change(studio.admin, 'PlayerProvider', made[0]!.id, { deleted: true });
  expect((await makeProvider({ game_id: id })).status).toBe(201);
  expect(
    (await studio.admin.patch(`/v1/player-providers/${made[0]!.id}`, { deleted: false })).body.code,
  ).toBe('BAD_REQUEST');
  app.clock.advance(DAY);
});

describe('an administrator removes a proof', () => {
  const remove = (player: string, slug: string, caller: Caller = studio.admin) =>
    caller.post(`/v1/identities/${player}/proofs/remove`, { provider: slug });

  test('of another person: that account is a new player, and what it had opened ends', async () => {
    const guest = (await start(null)).body;
    expect((await add(guest, { token: await token('other person') })).body.identity.id).toBe(
      guest.identity_id,
    );
    const theirs = (await start({ token: await token('other person') })).body;
    expect(theirs.identity_id).toBe(guest.identity_id);
    const user = await makeUser(app.superadmin, studio.accountId);
    const { key } = await makeKey(app.superadmin, studio.accountId, user.id, { scopes: ['READ', 'PLAYERS'] });
    const reader = app.anyone.with({ 'service-api-key': key });
    expect((await remove(guest.identity_id, 'own', reader)).body.code).toBe('FORBIDDEN');
    const { body } = await remove(guest.identity_id, 'own');
    expect(body).toEqual({ identity_id: guest.identity_id, count: 1 });
    expect((await client(theirs).get('/v1/client/me')).body.code).toBe('INVALID_TOKEN');
    // The player's own device goes on, without a proof.
    expect((await client(guest).get('/v1/client/me')).body.proofs).toEqual([]);
    const { proven_at } = await app.database
      .knex('identities')
      .where('id', uuidOf(guest.identity_id))
      .first();
    expect(proven_at).toBeNull();
    const next = (await start({ token: await token('other person') })).body;
    expect(next.identity_id).not.toBe(guest.identity_id);
    expect((await remove(guest.identity_id, 'own')).body.count).toBeNull();
    const { auditEntries } = await studio.admin.data(
      'query ($id: ID!) { auditEntries(filter: { subjectId: $id }, first: 5) { nodes { action before after } } }',
      { id: guest.identity_id },
    );
    expect(auditEntries.nodes).toContainEqual({
      ...{ action: 'PLAYER_PROOF_REMOVED', before: { provider: 'own' }, after: { sessionsEnded: 1 } },
    });
  });

  test('but not the account that is the player', async () => {
    const player = (await start({ token: await token('the account') })).body;
    expect((await remove(player.identity_id, 'own')).body.code).toBe('INVALID_TRANSITION');
    expect((await client(player).get('/v1/client/me')).body.proofs).toHaveLength(1);
  });
});

test('a session that a game server has started takes no account', async () => {
  const { body: player } = await studio.admin.post('/v1/identities', {
    ...{ game_id: game.id, kind: 'custom', external_key: `served ${unique()}` },
  });
  const { body: session } = await studio.admin.post(`/v1/identities/${player.id}/sessions`, {});
  const refused = await add(session, { token: await token('borrower') });
  expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_TRANSITION']);
  expect((await client(session).get('/v1/client/me')).body.proofs).toEqual([]);
});
