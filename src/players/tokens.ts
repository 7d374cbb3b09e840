import { randomUUID, webcrypto } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../clock.js';
import { isId } from '../ids.js';

export interface TokenSettings {
  /** Signs tokens (HS256); the same on all nodes. */
  jwtSecret: string;
  accessTokenSeconds: number;
  refreshTokenSeconds: number;
}

/** What a token says, ids prefixed (decisions.md section 3). */
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
  /** Seconds the access token lives. */
  expiresIn: number;
}

type TokenType = 'access' | 'refresh';

/** What an access token says, and how long. */
export interface Verified extends TokenClaims {
  /** Epoch milliseconds. */
  expiresAt: number;
}

const ALGORITHM = 'HS256';
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const LONGEST = 2_048;
const REMEMBERED = 10_000;

/** Signs and verifies the tokens of sessions. Whether the session behind a token still stands is told elsewhere. */
export class Tokens {
  /** Imported once: that costs as much as a verification. */
  readonly #key: Promise<webcrypto.CryptoKey>;
  /** Verified access tokens, the least recently used first. */
  readonly #verified = new Map<string, Verified>();

  constructor(
    private readonly settings: TokenSettings,
    private readonly clock: Clock,
  ) {
    const secret = new TextEncoder().encode(settings.jwtSecret);
    this.#key = webcrypto.subtle.importKey('raw', secret, HMAC, false, ['sign', 'verify']);
  }

  /** @param now the moment both lives begin, epoch milliseconds */
  async issue(claims: TokenClaims, now: number): Promise<TokenPair> {
    const { accessTokenSeconds, refreshTokenSeconds } = this.settings;
    const [accessToken, refreshToken] = await Promise.all([
      this.#sign(claims, 'access', now, accessTokenSeconds),
      this.#sign(claims, 'refresh', now, refreshTokenSeconds),
    ]);
    return { accessToken, refreshToken, expiresIn: accessTokenSeconds };
  }

  /** @returns undefined for anything but an access token of ours that is in time */
  async access(token: string): Promise<Verified | undefined> {
    const known = this.#verified.get(token);
    if (known) {
      this.#verified.delete(token);
      if (known.expiresAt <= this.clock()) return undefined;
      this.#verified.set(token, known);
      return known;
    }
    const verified = await this.#verify(token, 'access');
    if (verified) this.#remember(token, verified);
    return verified;
  }

  /** @returns undefined for anything but a refresh token of ours that is in time */
  refresh(token: string): Promise<TokenClaims | undefined> {
    return this.#verify(token, 'refresh');
  }

  async #sign(claims: TokenClaims, type: TokenType, now: number, seconds: number): Promise<string> {
    const issued = Math.floor(now / 1_000);
    const payload = {
      typ: type,
      game: claims.gameId,
      account: claims.accountId,
      identity: claims.identityId,
      test_mode: claims.testMode,
      sid: claims.sessionId,
      ver: claims.version,
    };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setSubject(claims.deviceId)
      .setIssuedAt(issued)
      .setExpirationTime(issued + seconds)
      .setJti(randomUUID())
      .sign(await this.#key);
  }

  async #verify(token: string, type: TokenType): Promise<Verified | undefined> {
    if (token.length > LONGEST) return undefined;
    try {
      const currentDate = new Date(this.clock());
      const { payload } = await jwtVerify(token, await this.#key, { algorithms: [ALGORITHM], currentDate });
      return payload.typ === type ? claimsOf(payload) : undefined;
    } catch {
      return undefined;
    }
  }

  #remember(token: string, verified: Verified): void {
    if (this.#verified.size >= REMEMBERED) {
      const oldest = this.#verified.keys().next().value;
      if (oldest !== undefined) this.#verified.delete(oldest);
    }
    this.#verified.set(token, verified);
  }
}

/** A token that another service signed with our secret may hold anything. */
function claimsOf(payload: Record<string, unknown>): Verified | undefined {
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
