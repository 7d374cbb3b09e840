import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { sign, verify } from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.js';
import { isId } from '../../base/ids.js';

export interface TokenSettings {
  /** Signs tokens (HS256); the same on all nodes. */
  jwtSecret: string;
  accessTokenSeconds: number;
  refreshTokenSeconds: number;
}

/** Claims of a token, ids prefixed. */
export interface TokenClaims {
  deviceId: string;
  gameId: string;
  accountId: string;
  identityId: string;
  sessionId: string;
  testMode: boolean;
  version: number;
}

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  /** Lifetime of the access token in seconds. */
  expiresIn: number;
}

type TokenType = 'access' | 'refresh';

/** The session of an access token, and its expiry. */
export interface Verified extends TokenClaims {
  /** Epoch milliseconds. */
  expiresAt: number;
}

const ALGORITHM = 'HS256';
const LONGEST_TOKEN = 2_048;
const CACHED_TOKENS = 10_000;

/**
 * Signs and verifies the tokens of sessions. The validity of the session is decided elsewhere (authenticate.ts).
 */
export class Tokens {
  /**
   * Created once: for a secret given as text the library checks each time whether it is a public key, which costs as
   * much as thirty verifications.
   */
  readonly #key: KeyObject;
  /** Cache of verified access tokens. */
  readonly #verified = new LRUCache<string, Verified>({ max: CACHED_TOKENS });

  constructor(
    private readonly settings: TokenSettings,
    private readonly clock: Clock,
  ) {
    this.#key = createSecretKey(settings.jwtSecret, 'utf8');
  }

  /** @param now start of both lifetimes, epoch milliseconds */
  issue(claims: TokenClaims, now: number): TokenPair {
    const { accessTokenSeconds, refreshTokenSeconds } = this.settings;
    return {
      accessToken: this.#sign(claims, 'access', now, accessTokenSeconds),
      refreshToken: this.#sign(claims, 'refresh', now, refreshTokenSeconds),
      expiresIn: accessTokenSeconds,
    };
  }

  /** @returns undefined unless it is an access token of this service that has not expired */
  access(token: string): Verified | undefined {
    const known = this.#verified.get(token);
    if (known) return known.expiresAt > this.clock() ? known : undefined;
    const verified = this.#verify(token, 'access');
    if (verified) this.#verified.set(token, verified);
    return verified;
  }

  /** @returns undefined unless it is a refresh token of this service that has not expired */
  refresh(token: string): TokenClaims | undefined {
    return this.#verify(token, 'refresh');
  }

  #sign(claims: TokenClaims, type: TokenType, now: number, seconds: number): string {
    const issued = Math.floor(now / 1_000);
    const payload = {
      typ: type,
      game: claims.gameId,
      account: claims.accountId,
      identity: claims.identityId,
      test_mode: claims.testMode,
      sid: claims.sessionId,
      ver: claims.version,
      sub: claims.deviceId,
      iat: issued,
      exp: issued + seconds,
      jti: randomUUID(),
    };
    return sign(payload, this.#key, { algorithm: ALGORITHM });
  }

  #verify(token: string, type: TokenType): Verified | undefined {
    if (token.length > LONGEST_TOKEN) return undefined;
    try {
      const clockTimestamp = Math.floor(this.clock() / 1_000);
      const payload = verify(token, this.#key, { algorithms: [ALGORITHM], clockTimestamp });
      return typeof payload === 'object' && payload.typ === type ? tokenClaims(payload) : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Claims are checked: another service that shares the secret may sign any content. */
function tokenClaims(payload: Record<string, unknown>): Verified | undefined {
  const { sub, game, account, identity, test_mode: testMode, sid, ver, exp } = payload;
  const whole =
    isId('device', sub) &&
    isId('game', game) &&
    isId('account', account) &&
    isId('identity', identity) &&
    isId('deviceSession', sid) &&
    typeof testMode === 'boolean' &&
    Number.isSafeInteger(ver) &&
    typeof exp === 'number';
  if (!whole) return undefined;
  return {
    deviceId: sub,
    gameId: game,
    accountId: account,
    identityId: identity,
    sessionId: sid,
    testMode,
    version: ver as number,
    expiresAt: exp * 1_000,
  };
}
