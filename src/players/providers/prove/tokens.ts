import { createPublicKey } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import { LRUCache } from 'lru-cache';
import { type GuardedFetch, OutboundError } from '../../../base/outbound/guarded-fetch.js';
import type { PlayerProvider } from '../provider.js';
import { algorithmOf } from '../rules.js';
import {
  checkedSubject,
  type GivenProof,
  jsonOf,
  ProofRefusal,
  type Proven,
  ProviderFault,
  quoted,
} from './proof.js';

/** How far clocks of issuers may be off, seconds. */
const TOLERANCE = 60;
/** A token that is valid for longer is no proof of who is there now. */
const LONGEST_DAYS = 7;
const DAY_MS = 86_400_000;
const OIDC_ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];
const KEYS_MS = 10 * 60_000;
/** From one refresh of a key set for an unknown key to the next. */
const COOLDOWN_MS = 60_000;
/** Until an issuer that failed is asked again. */
const FAILURE_MS = 1_000;
const MOST_SETS = 500;

interface KeySet {
  issuer: string;
  getKey: JWTVerifyGetKey;
}

/** The library is loaded by the first use: most processes never need it. */
const library = () => import('jose');

/** Checks ID tokens of issuers, whose keys it caches. */
export class IdTokens {
  /** By provider and its settings: nobody else's unknown keys hold up its refresh. */
  readonly #sets = new LRUCache<string, Promise<KeySet>>({ max: MOST_SETS, ttl: KEYS_MS });

  /** @throws ProofRefusal, ProviderFault, OutboundError */
  async prove({ provider, token, now, fetch }: GivenProof): Promise<Proven> {
    const { issuer, getKey } = await this.#setOf(provider, fetch);
    return provenBy(token, getKey, { issuer, algorithms: OIDC_ALGORITHMS }, provider, now);
  }

  #setOf(provider: PlayerProvider, fetch: GuardedFetch): Promise<KeySet> {
    const key = `${provider.id} ${provider.issuer} ${provider.keysUrl}`;
    const known = this.#sets.get(key);
    if (known) return known;
    const reading = keySetOf(provider, fetch);
    this.#sets.set(key, reading);
    reading.catch(() => this.#sets.set(key, reading, { ttl: FAILURE_MS }));
    return reading;
  }
}

async function keySetOf({ issuer, keysUrl }: PlayerProvider, fetch: GuardedFetch): Promise<KeySet> {
  const jose = await library();
  const { issuer: named, keys } =
    keysUrl === null ? await discovered(issuer!, fetch) : { issuer: issuer!, keys: keysUrl };
  const getKey = jose.createRemoteJWKSet(new URL(keys), {
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: KEYS_MS,
    [jose.customFetch]: (url, { method, headers, signal }) =>
      fetch(url, { method, headers: Object.fromEntries(headers), signal }),
  });
  return { issuer: named, getKey };
}

async function discovered(issuer: string, fetch: GuardedFetch): Promise<{ issuer: string; keys: string }> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const metadata = await jsonOf(response, 'The metadata of the issuer');
  const { issuer: named, jwks_uri: keys } = metadata;
  const bare = (address: string) => address.replace(/\/$/, '');
  if (typeof named !== 'string' || bare(named) !== bare(issuer)) {
    throw new ProviderFault(`The metadata of the issuer name another one: ${quoted(named)}.`);
  }
  if (typeof keys !== 'string' || !URL.canParse(keys)) {
    throw new ProviderFault('The metadata of the issuer have no address of keys.');
  }
  return { issuer: named, keys };
}

/** A token that the studio's own login signs. @throws ProofRefusal */
export async function proveSigned({ provider, secret, token, now }: GivenProof): Promise<Proven> {
  const { publicKey, issuer } = provider;
  // The kind of the key decides the algorithm: a token that names HS256 is not verified with a public key as its secret.
  const key = publicKey === null ? Buffer.from(secret!) : createPublicKey(publicKey);
  const algorithm = Buffer.isBuffer(key) ? 'HS256' : algorithmOf(key);
  if (!algorithm) throw new ProviderFault('The key of the provider is of no known kind.');
  const algorithms = algorithm === 'EdDSA' ? ['EdDSA', 'Ed25519'] : [algorithm];
  const rules = { algorithms, ...(issuer !== null && { issuer }) };
  return provenBy(token, () => Promise.resolve(key), rules, provider, now);
}

async function provenBy(
  token: string,
  getKey: JWTVerifyGetKey,
  rules: JWTVerifyOptions,
  { audiences }: PlayerProvider,
  now: number,
): Promise<Proven> {
  const options: JWTVerifyOptions = {
    ...rules,
    audience: audiences,
    currentDate: new Date(now),
    clockTolerance: TOLERANCE,
    requiredClaims: ['exp', 'sub'],
  };
  const { payload } = await verified(token, getKey, options);
  const { exp, jti, iat } = payload;
  if (payload.events !== undefined) throw new ProofRefusal('This is a logout token.');
  if (Array.isArray(payload.aud) && payload.aud.length > 1) requireOwnParty(payload, audiences);
  if (exp! * 1_000 > now + LONGEST_DAYS * DAY_MS) {
    throw new ProofRefusal(`The token is valid for more than ${LONGEST_DAYS} days.`);
  }
  if (iat !== undefined && iat * 1_000 > now + TOLERANCE * 1_000) {
    throw new ProofRefusal('The token is issued in the future.');
  }
  // What is signed: signatures of ECDSA have two forms, so that of the same token may differ.
  const once = typeof jti === 'string' ? `jti ${jti}` : token.slice(0, token.lastIndexOf('.'));
  return { subject: checkedSubject(payload.sub), once, until: (exp! + TOLERANCE) * 1_000 };
}

async function verified(
  token: string,
  getKey: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const jose = await library();
  try {
    return await jose.jwtVerify(token, getKey, options);
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    // A key of the set that is none.
    if (!(error instanceof jose.errors.JOSEError))
      throw new ProviderFault(`The key set has no valid key: ${error}.`);
    if (error instanceof jose.errors.JWKSTimeout)
      throw new ProviderFault('The key set did not arrive in time.');
    // The bare class is thrown for responses that are no key set.
    const isOfKeys = error.code === 'ERR_JOSE_GENERIC' || error instanceof jose.errors.JWKSInvalid;
    if (isOfKeys) throw new ProviderFault(`The key set could not be read: ${error.message}.`);
    throw new ProofRefusal(reasonOf(error));
  }
}

/** Seconds that a date can have. */
const MOST_SECONDS = 8_640_000_000_000;

function reasonOf(error: Error & { claim?: string; payload?: JWTPayload }): string {
  const { claim, payload, message } = error;
  return `The token is not valid: ${message}.${givenOf(claim, payload)}`;
}

/** What the token has in place of what was wanted. */
function givenOf(claim: string | undefined, payload: JWTPayload | undefined): string {
  if (claim === 'aud' || claim === 'iss') return ` It has ${quoted(payload?.[claim])}.`;
  const seconds = claim === 'exp' ? payload?.exp : undefined;
  return Number.isSafeInteger(seconds) && seconds! < MOST_SECONDS
    ? ` It expired at ${new Date(seconds! * 1_000).toISOString()}.`
    : '';
}

/** A token for several audiences is given to one of them, its authorized party. */
function requireOwnParty({ azp }: JWTPayload, audiences: readonly string[]): void {
  if (typeof azp === 'string' && audiences.includes(azp)) return;
  throw new ProofRefusal(`The token was issued to another party: azp is ${quoted(azp)}.`);
}
