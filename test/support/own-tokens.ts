import { createHmac, randomUUID } from 'node:crypto';
import type { Studio } from './make.js';

/** What a login of a studio signs its tokens with. */
export const LOGIN_SECRET = 'a-secret-of-the-login-of-a-studio-in-tests';
const AUDIENCE = 'login';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of a studio's own login. @param now epoch milliseconds */
export function ownToken(sub: string, now: number, secret = LOGIN_SECRET): string {
  const claims = { aud: AUDIENCE, sub, exp: Math.floor(now / 1_000) + 600, jti: randomUUID() };
  const text = `${part({ alg: 'HS256' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** A provider for {@link ownToken}. @returns its id */
export async function makeLogin(
  { accountId, admin }: Studio,
  gameId: string,
  slug = 'login',
): Promise<string> {
  const { status, body } = await admin.post('/v1/player-providers', {
    ...{ account_id: accountId, game_id: gameId, kind: 'signed', slug },
    ...{ audiences: [AUDIENCE], secret: LOGIN_SECRET },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id as string;
}
