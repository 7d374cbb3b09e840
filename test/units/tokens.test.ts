import { createHmac } from 'node:crypto';
import { idOf, uuid7 } from '../../src/base/ids.js';
import { type TokenClaims, Tokens } from '../../src/players/sessions/tokens.js';

const SECRET = 'a secret of thirty-two characters';
const LIVES = { accessTokenSeconds: 600, refreshTokenSeconds: 3_600 };
const START = Date.parse('2026-03-01T12:00:00.500Z');

let now: number;
const tokens = (jwtSecret = SECRET) => new Tokens({ jwtSecret, ...LIVES }, () => now);

const claims: TokenClaims = {
  deviceId: idOf('device', uuid7()),
  gameId: idOf('game', uuid7()),
  accountId: idOf('account', uuid7()),
  identityId: idOf('identity', uuid7()),
  sessionId: idOf('deviceSession', uuid7()),
  testMode: false,
  version: 3,
};

beforeEach(() => {
  now = START;
});

const base64url = (text: string | Buffer) => Buffer.from(text).toString('base64url');
const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

/** A token by the letter of RFC 7515. */
function signed(header: object, payload: unknown, { hash = 'sha256', secret = SECRET } = {}): string {
  const text = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`;
  return `${text}.${base64url(createHmac(hash, secret).update(text).digest())}`;
}

test('a token has the claims of the standard', () => {
  const { accessToken, refreshToken, expiresIn } = tokens().issue(claims, now);
  const expiresAt = Math.floor(START / 1_000) * 1_000 + 600_000;
  expect(expiresIn).toBe(600);
  expect(tokens().access(accessToken)).toEqual({ ...claims, expiresAt });
  expect(tokens().refresh(refreshToken)).toMatchObject(claims);
  expect(signed({ alg: 'HS256', typ: 'JWT' }, payloadOf(accessToken))).toBe(accessToken);
  expect(payloadOf(refreshToken).jti).not.toBe(payloadOf(accessToken).jti);
});

test('an access token is not accepted as a refresh token, nor the reverse', () => {
  const { accessToken, refreshToken } = tokens().issue(claims, now);
  expect(tokens().access(refreshToken)).toBeUndefined();
  expect(tokens().refresh(accessToken)).toBeUndefined();
});

test('a token ends with its second, cached or not', () => {
  const { accessToken } = tokens().issue(claims, now);
  const knowing = tokens();
  for (const [later, isGood] of [
    [0, true],
    [599_000, true],
    [600_000, false],
  ] as const) {
    now = START + later;
    expect([knowing.access(accessToken) !== undefined, tokens().access(accessToken) !== undefined]).toEqual([
      isGood,
      isGood,
    ]);
  }
});

describe('a token that is not ours', () => {
  const payload = () => payloadOf(tokens().issue(claims, START).accessToken);
  const header = { alg: 'HS256', typ: 'JWT' };
  test.each<[string, () => string]>([
    ['another secret', () => tokens('another secret of thirty-two char').issue(claims, START).accessToken],
    ['no signature', () => signed(header, payload()).replace(/[^.]+$/, '')],
    [
      'the algorithm “none”',
      () => `${base64url('{"alg":"none","typ":"JWT"}')}.${base64url(JSON.stringify(payload()))}.`,
    ],
    ['a longer hash', () => signed({ alg: 'HS512', typ: 'JWT' }, payload(), { hash: 'sha512' })],
    ['an algorithm that it does not have', () => signed({ alg: 'RS256', typ: 'JWT' }, payload())],
    ['another payload', () => signed(header, payload()).replace(/\.[^.]+\./, `.${base64url('{}')}.`)],
    ['a payload that is a text', () => signed(header, 'access')],
    ['a payload that is null', () => signed(header, null)],
    ['no end', () => signed(header, { ...payload(), exp: undefined })],
    ['an end that is a text', () => signed(header, { ...payload(), exp: '9999999999' })],
    ['a beginning that has not come', () => signed(header, { ...payload(), nbf: START / 1_000 + 60 })],
    ['an id of another kind', () => signed(header, { ...payload(), sub: claims.gameId })],
    ['a version that is no number', () => signed(header, { ...payload(), ver: '3' })],
    ['more than a token has', () => signed(header, { ...payload(), more: 'x'.repeat(2_048) })],
    ['nothing', () => ''],
    ['no token', () => 'not.a.token'],
    ['dots', () => '..'],
  ])('%s', (_name, make) => {
    expect(tokens().access(make())).toBeUndefined();
  });
});
