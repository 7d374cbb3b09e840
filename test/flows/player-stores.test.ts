import { randomBytes, randomUUID, sign } from 'node:crypto';
import { OutboundError } from '../../src/base/outbound/guarded-fetch.js';
import { startApp, type TestApp } from '../support/app.js';
import { makeCertificate } from '../support/certificates.js';
import { MINUTE } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { makeGame, makeStudio, type Studio, unique } from '../support/make.js';

// Players prove who they are by Steam, Game Center, Play Games and Discord: servers of the test answer as their documents say.

interface Asked {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: URLSearchParams;
}

const ABC = `T:_${'abc0'.repeat(8)}`;
let app: TestApp;
let studio: Studio;
/** What the stores answer, by host; absent: they do not. */
const stores = new Map<string, (asked: Asked) => { status?: number; body: unknown }>();
const asked: Asked[] = [];
let chain: ReturnType<typeof makeChain>;

beforeAll(async () => {
  chain = makeChain();
  app = await startApp(
    {},
    {
      playerProviders: {
        roots: [chain.root.pem],
        fetch: async (address, { method = 'GET', headers = {}, body } = {}) => {
          const url = new URL(address);
          const request = { url, method, headers, body: new URLSearchParams(String(body ?? '')) };
          asked.push(request);
          const answer = stores.get(url.host);
          if (!answer) throw new OutboundError('unreachable', `${url.host} could not be reached.`);
          const { status = 200, body: sent } = answer(request);
          return new Response(
            Buffer.isBuffer(sent) ? sent : typeof sent === 'string' ? sent : JSON.stringify(sent),
            { status },
          );
        },
      },
    },
  );
  studio = await makeStudio(app);
});
afterAll(() => app.close());
beforeEach(() => {
  stores.clear();
  asked.length = 0;
});

async function provider(input: Data) {
  const { id } = await makeGame(studio);
  const { status, body } = await studio.admin.post('/v1/player-providers', {
    ...{ account_id: studio.accountId, game_id: id, slug: 'store', ...input },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  const start = (token: string) =>
    app.anyone.post('/v1/client/sessions', {
      ...{ game_id: id, client_fingerprint: `device ${unique()}`, proof: { provider: 'store', token } },
    });
  const codeOf = async (token: string) => {
    const answer = await start(token);
    return answer.status === 201 ? 'ok' : (answer.body.code as string);
  };
  const reasonOf = async () =>
    (await studio.admin.get(`/v1/player-providers/${body.id}`)).body.last_refusal as string;
  const keyOf = async (token: string) => {
    const { identity_id } = (await start(token)).body;
    return (await studio.admin.get(`/v1/identities/${identity_id}`)).body.external_key as string;
  };
  return { start, codeOf, reasonOf, keyOf };
}

describe('Steam', () => {
  const HOST = 'partner.steam-api.com';
  const ME = '76561197960287930';
  const LENDER = '76561197960287931';
  const ticket = () => randomBytes(120).toString('hex');
  const settings = { kind: 'steam', client_id: '480', secret: 'PUBLISHERKEY', steam_identity: 'race' };
  /** Tickets as Steam knows them: for which app and service, and whose copy. */
  const tickets = new Map<string, { app: string; identity: string; owner: string }>();
  const issue = (more: Data = {}) => {
    const text = ticket();
    tickets.set(text, { app: '480', identity: 'race', owner: ME, ...more });
    return text;
  };
  const steam = ({ url: { searchParams: query, pathname } }: Asked) => {
    if (pathname !== '/ISteamUserAuth/AuthenticateUserTicket/v1/') return { status: 404, body: 'Not Found' };
    if (query.get('key') !== 'PUBLISHERKEY') return { status: 403, body: '<html>Forbidden</html>' };
    const known = tickets.get(query.get('ticket')!);
    const invalid = (errorcode: number, errordesc: string) => ({
      body: { response: { error: { errorcode, errordesc } } },
    });
    if (!known) return invalid(101, 'Invalid ticket');
    if (known.app !== query.get('appid')) return invalid(102, 'Ticket for other app');
    if (known.identity !== query.get('identity')) return invalid(101, 'Invalid ticket');
    const params = {
      result: 'OK',
      steamid: ME,
      ownersteamid: known.owner,
      vacbanned: false,
      publisherbanned: false,
    };
    return { body: { response: { params } } };
  };

  test('a ticket proves the account that plays, once, for this app and service', async () => {
    stores.set(HOST, steam);
    const { codeOf, reasonOf, keyOf } = await provider(settings);
    const one = issue();
    expect(await keyOf(one)).toBe(`store:${ME}`);
    expect(await codeOf(one)).toBe('PROOF_REFUSED');
    expect(await codeOf(one.toUpperCase())).toBe('PROOF_REFUSED');
    app.clock.advance(MINUTE);
    expect(await codeOf(issue({ app: '570' }))).toBe('PROOF_REFUSED');
    expect(await reasonOf()).toMatch(/Ticket for other app/);
    for (const text of [issue({ identity: 'other' }), ticket(), 'nothex', 'abc']) {
      expect(await codeOf(text)).toBe('PROOF_REFUSED');
    }
    // The one who plays is proven, never the lender.
    const lent = issue({ owner: LENDER });
    expect(await keyOf(lent)).toBe(`store:${ME}`);
    // What is no ticket is not sent.
    expect(asked.every(({ url }) => /^[0-9a-f]+$/.test(url.searchParams.get('ticket')!))).toBe(true);
  });

  test('borrowed copies are refused where the game wants that', async () => {
    stores.set(HOST, steam);
    const { codeOf } = await provider({ ...settings, allow_borrowed: false });
    expect(await codeOf(issue({ owner: LENDER }))).toBe('PROOF_REFUSED');
    expect(await codeOf(issue())).toBe('ok');
  });

  test('a wrong key, silence and nonsense are faults of the provider, and use up no ticket', async () => {
    const { codeOf, reasonOf } = await provider(settings);
    const wrong = await provider({ ...settings, secret: 'OTHER' });
    stores.set(HOST, steam);
    const text = issue();
    expect(await wrong.codeOf(text)).toBe('PROVIDER_UNAVAILABLE');
    expect(await wrong.reasonOf()).toMatch(/refuses the Web API key/);
    stores.delete(HOST);
    expect(await codeOf(text)).toBe('PROVIDER_UNAVAILABLE');
    expect(await reasonOf()).toMatch(/could not be reached/);
    for (const answer of [
      { status: 500, body: '' },
      { status: 429, body: {} },
      { body: '<html>' },
      { body: {} },
      { body: { response: { params: { result: 'Maybe' } } } },
      { body: { response: { params: { result: 'OK', steamid: 7 } } } },
      { body: 'null' },
    ]) {
      stores.set(HOST, () => answer);
      expect([answer, await codeOf(text)]).toEqual([answer, 'PROVIDER_UNAVAILABLE']);
    }
    stores.set(HOST, steam);
    expect(await codeOf(text)).toBe('ok');
  });
});

describe.each([
  {
    kind: 'discord',
    tokenHost: 'discord.com',
    playerHost: 'discord.com',
    playerPath: '/api/users/@me',
    player: { id: '80351110224678912', username: 'Nelly' },
    subject: '80351110224678912',
  },
  {
    kind: 'play_games',
    tokenHost: 'oauth2.googleapis.com',
    playerHost: 'games.googleapis.com',
    playerPath: '/games/v1/players/me',
    player: { kind: 'games#player', playerId: 'a_1234567890', displayName: 'Nelly' },
    subject: 'a_1234567890',
  },
])('$kind', ({ kind, tokenHost, playerHost, playerPath, player, subject }) => {
  const settings = { kind, client_id: '1234', secret: 'client-secret' };
  const codes = new Set<string>();
  const issue = () => {
    const code = randomUUID();
    codes.add(code);
    return code;
  };
  const answers = ({ url, method, headers, body }: Asked) => {
    if (url.pathname.endsWith('/token')) {
      if (method !== 'POST' || body.get('grant_type') !== 'authorization_code')
        return { status: 400, body: { error: 'unsupported_grant_type' } };
      if (body.get('client_secret') !== 'client-secret')
        return { status: 401, body: { error: 'invalid_client' } };
      // Codes are good for once.
      if (!codes.delete(body.get('code')!))
        return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid code' } };
      return { body: { access_token: 'access', token_type: 'Bearer', expires_in: 3_600, scope: 'identify' } };
    }
    if (url.pathname !== playerPath || headers.authorization !== 'Bearer access')
      return { status: 401, body: {} };
    return { body: player };
  };
  const open = () => {
    stores.set(tokenHost, answers);
    stores.set(playerHost, answers);
  };

  test('a code proves the account that it was given to, once', async () => {
    open();
    const { keyOf, codeOf, reasonOf } = await provider(settings);
    const code = issue();
    expect(await keyOf(code)).toBe(`store:${subject}`);
    expect(await codeOf(code)).toBe('PROOF_REFUSED');
    expect(await codeOf('of another app')).toBe('PROOF_REFUSED');
    expect(await reasonOf()).toMatch(/refuses the code: "Invalid code"/);
    // An issuer that would take it again does not make it a second proof.
    codes.add(code);
    expect(await codeOf(code)).toBe('PROOF_REFUSED');
    const fifty = issue();
    const all = await Promise.all(Array.from({ length: 50 }, () => codeOf(fifty)));
    expect(all.filter((one) => one === 'ok')).toHaveLength(1);
    expect(asked.some(({ body }) => body.has('redirect_uri'))).toBe(false);
  });

  test('the redirect address goes along where there is one', async () => {
    open();
    const redirect_url = 'https://game.example.com/back';
    const { codeOf } = await provider({ ...settings, redirect_url });
    expect(await codeOf(issue())).toBe('ok');
    expect(asked.find(({ method }) => method === 'POST')!.body.get('redirect_uri')).toBe(redirect_url);
  });

  test('wrong settings, silence and nonsense are faults of the provider', async () => {
    open();
    const wrong = await provider({ ...settings, secret: 'wrong' });
    expect(await wrong.codeOf(issue())).toBe('PROVIDER_UNAVAILABLE');
    expect(await wrong.reasonOf()).toMatch(/invalid_client/);
    const { codeOf } = await provider(settings);
    for (const answer of [
      { status: 503, body: '' },
      { body: 'x' },
      { body: {} },
      { body: { access_token: 'a\nb' } },
    ]) {
      stores.set(tokenHost, () => answer);
      expect([answer, await codeOf(issue())]).toEqual([answer, 'PROVIDER_UNAVAILABLE']);
    }
    stores.clear();
    expect(await codeOf(issue())).toBe('PROVIDER_UNAVAILABLE');
    open();
    const player401 = (one: Asked) =>
      one.url.pathname.endsWith('/token') ? answers(one) : { status: 401, body: {} };
    stores.set(playerHost, player401);
    expect(await codeOf(issue())).toBe('PROOF_REFUSED');
    const nobody = (one: Asked) => (one.url.pathname.endsWith('/token') ? answers(one) : { body: { id: 7 } });
    stores.set(playerHost, nobody);
    expect(await codeOf(issue())).toBe('PROVIDER_UNAVAILABLE');
  });
});

/** Root, issuer and Apple's certificate, as those of Game Center are; and what is wrong with others. */
function makeChain() {
  const root = makeCertificate({ organization: 'Root', ca: true });
  const issuer = makeCertificate({ organization: 'Issuer', ca: true, by: root });
  const below = { by: issuer, issuerUrl: 'http://certificates.example.com/issuer.crt' };
  const apple = { organization: 'Apple Inc.', ...below };
  const leaf = makeCertificate(apple);
  return {
    ...{ root, issuer, leaf },
    stranger: makeCertificate({ ...below, organization: 'Other Inc.', keyOf: leaf }),
    old: makeCertificate({ ...apple, until: '210101000000Z', keyOf: leaf }),
    lone: makeCertificate({ organization: 'Apple Inc.', ca: true, keyOf: leaf }),
    // Signed by a certificate that may sign none.
    child: makeCertificate({
      ...apple,
      by: makeCertificate({ organization: 'Leaf', by: root }),
      keyOf: leaf,
    }),
  };
}

describe('Game Center', () => {
  const BUNDLE = 'com.example.race';
  const ADDRESS = 'https://static.gc.apple.com/public-key/gc-prod-10.cer';
  const certificates: Record<string, Buffer | undefined> = {};
  const serve = () => {
    stores.set('static.gc.apple.com', ({ url }) => {
      const body =
        certificates[url.pathname] ?? (url.pathname.endsWith('gc-prod-10.cer') ? chain.leaf.der : undefined);
      return body ? { body } : { status: 404, body: '' };
    });
    stores.set('certificates.example.com', () => ({ body: chain.issuer.der }));
  };
  const signed = (more: Data = {}, shown: Data = {}) => {
    const of: Data = {
      teamPlayerId: ABC,
      bundleId: BUNDLE,
      timestamp: app.clock.now(),
      salt: randomBytes(4).toString('base64'),
      ...more,
    };
    const moment = Buffer.alloc(8);
    moment.writeBigUInt64BE(BigInt(of.timestamp));
    const payload = Buffer.concat([
      Buffer.from(of.teamPlayerId),
      Buffer.from(of.bundleId),
      moment,
      Buffer.from(of.salt, 'base64'),
    ]);
    const signature = sign('sha256', payload, chain.leaf.key).toString('base64');
    return JSON.stringify({ publicKeyUrl: ADDRESS, signature, ...of, ...shown });
  };

  test('a signature proves the player of this app, now, once', async () => {
    serve();
    const { keyOf, codeOf, reasonOf } = await provider({ kind: 'game_center', audiences: [BUNDLE] });
    const one = signed();
    expect(await keyOf(one)).toBe(`store:${ABC}`);
    expect(await codeOf(one)).toBe('PROOF_REFUSED');
    expect(await codeOf(one.replace(/"salt":"[^"]+"/, '"salt":"AAAAAA=="'))).toBe('PROOF_REFUSED');
    const faults: [string, RegExp][] = [
      [signed({ bundleId: 'com.example.other' }), /another app/],
      [signed({ timestamp: app.clock.now() - 11 * MINUTE }), /10 minutes old/],
      [signed({ timestamp: app.clock.now() + 2 * MINUTE }), /of the future/],
      [signed({}, { teamPlayerId: `T:_${'e'.repeat(32)}` }), /not that of this player/],
      // The same bytes, signed for another app.
      [
        signed({ bundleId: `abc${BUNDLE}` }, { teamPlayerId: `${ABC}abc`, bundleId: BUNDLE }),
        /no player of a team/,
      ],
      [signed({}, { timestamp: app.clock.now() - 1 }), /not that of this player/],
      [signed({}, { signature: 'AAAA' }), /not that of this player/],
      [
        signed({}, { publicKeyUrl: 'http://static.gc.apple.com/public-key/gc-prod-10.cer' }),
        /address of Apple/,
      ],
      [signed({}, { publicKeyUrl: 'https://static.gc.apple.com.example.com/a.cer' }), /address of Apple/],
      [signed({}, { publicKeyUrl: 'https://apple.com@example.com/a.cer' }), /address of Apple/],
      [signed({}, { publicKeyUrl: 'https://example.com/.apple.com' }), /address of Apple/],
      [signed({}, { publicKeyUrl: 'https://static.gc.apple.com:8443/a.cer' }), /address of Apple/],
      [signed({}, { timestamp: 'now' }), /not JSON/],
      [signed({}, { salt: undefined }), /not JSON/],
      ['[]', /not JSON/],
      ['null', /not JSON/],
      ['nothing', /not JSON/],
    ];
    for (const [text, reason] of faults) {
      app.clock.advance(11_000);
      expect([text, await codeOf(text)]).toEqual([text, 'PROOF_REFUSED']);
      expect(await reasonOf()).toMatch(reason);
    }
    // The certificate was read once.
    expect(asked.filter(({ url }) => url.href === ADDRESS)).toHaveLength(1);
    expect(asked.map(({ url }) => url.protocol)).not.toContain('http:');
  });

  test('the chain of the certificate ends at a trusted root, is valid now, and is Apple’s', async () => {
    serve();
    const { codeOf, reasonOf } = await provider({ kind: 'game_center', audiences: [BUNDLE] });
    const faults: [string, Buffer | undefined, RegExp, string][] = [
      ['stranger', chain.stranger.der, /not Apple's/, 'PROOF_REFUSED'],
      ['old', chain.old.der, /not valid now/, 'PROOF_REFUSED'],
      ['lone', chain.lone.der, /does not end at a root/, 'PROOF_REFUSED'],
      ['child', chain.child.der, /does not end at a root/, 'PROOF_REFUSED'],
      ['text', Buffer.from('not a certificate'), /no certificate/, 'PROOF_REFUSED'],
      ['missing', undefined, /status 404/, 'PROVIDER_UNAVAILABLE'],
    ];
    for (const [name, body, reason, code] of faults) {
      certificates[`/${name}.cer`] = body;
      app.clock.advance(11_000);
      expect([
        name,
        await codeOf(signed({}, { publicKeyUrl: `https://static.gc.apple.com/${name}.cer` })),
      ]).toEqual([name, code]);
      expect(await reasonOf()).toMatch(reason);
    }
    // Another certificate in place of the issuer's.
    stores.set('certificates.example.com', () => ({ body: chain.lone.der }));
    certificates['/other.cer'] = chain.leaf.der;
    app.clock.advance(11_000);
    expect(await codeOf(signed({}, { publicKeyUrl: 'https://static.gc.apple.com/other.cer' }))).toBe(
      'PROOF_REFUSED',
    );
    expect(await reasonOf()).toMatch(/does not end at a root/);
    stores.delete('certificates.example.com');
    app.clock.advance(11_000);
    expect(await codeOf(signed({}, { publicKeyUrl: 'https://static.gc.apple.com/other.cer' }))).toBe(
      'PROVIDER_UNAVAILABLE',
    );
  });
});
