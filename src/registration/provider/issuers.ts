import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import type * as Client from 'openid-client';
import { DomainError, invalidField, unavailable } from '../../base/errors.js';
import { Turns } from '../../base/limits.js';
import { type GuardedFetch, OutboundError } from '../../base/outbound/guarded-fetch.js';

/** An issuer, and this service as its client. */
export interface IssuerFacts {
  /** Of an account, prefixed; null: the installation's issuer. */
  providerId: string | null;
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** How far clocks of issuers may be off, seconds. */
export const CLOCK_TOLERANCE = 300;

const METADATA_MS = 10 * 60_000;
/** Until an issuer that failed is asked again. */
const FAILURE_MS = 3_000;
const MOST_ISSUERS = 500;

/** An account's issuer that does not respond must not keep others waiting. */
const EXCHANGES = { atATime: 40, ofOwner: 10, waiting: 200, patienceMs: 10_000 };
/** For all requests of an exchange: less than the others' patience, so that each of them gets its turn. */
const EXCHANGE_MS = 9_000;

interface Known {
  metadata: Client.ServerMetadata;
  keys?: Client.ExportedJWKSCache;
  /** For tokens that the library does not check. */
  keySet?: JWTVerifyGetKey;
}

/** The library is loaded by the first use: most processes never need it. */
const library = () => import('openid-client');

/** Talks to issuers: within limits of time, size and number, and to no private network that is not allowed. */
export class Issuers {
  readonly #known = new LRUCache<string, Promise<Known>>({ max: MOST_ISSUERS, ttl: METADATA_MS });
  readonly #turns = new Turns(EXCHANGES);

  /** @param allowHttp OIDC_ALLOW_HTTP */
  constructor(
    private readonly fetch: GuardedFetch,
    private readonly allowHttp: boolean,
  ) {}

  /** @throws DomainError INVALID_CODE (refused, or not what was asked for), UNAVAILABLE (away, busy) */
  async exchange<T>(
    facts: IssuerFacts,
    work: (client: typeof Client, config: Client.Configuration) => Promise<T>,
  ): Promise<T> {
    const client = await library();
    return this.#turns.run(async () => {
      const deadline = AbortSignal.timeout(EXCHANGE_MS);
      try {
        const known = await this.#knownOf(client, facts.issuer);
        const config = this.#configured(client, known.metadata, facts, deadline);
        if (known.keys) client.setJwksCache(config, known.keys);
        const result = await work(client, config);
        known.keys = client.getJwksCache(config) ?? known.keys;
        return result;
      } catch (error) {
        throw faultOf(error);
      }
    }, ownerOf(facts));
  }

  /**
   * Checks a token that the issuer signed.
   * @throws DomainError BAD_REQUEST, UNAVAILABLE
   */
  async verified(facts: IssuerFacts, token: string, rules: JWTVerifyOptions): Promise<JWTPayload> {
    const [client, jose] = [await library(), await import('jose')];
    return this.#turns.run(async () => {
      try {
        const known = await this.#knownOf(client, facts.issuer);
        known.keySet ??= jose.createRemoteJWKSet(new URL(known.metadata.jwks_uri!), {
          [jose.customFetch]: (url, { method, headers, signal }) =>
            this.fetch(url, { method, headers: Object.fromEntries(headers), signal }),
        });
        const all = { issuer: known.metadata.issuer, clockTolerance: CLOCK_TOLERANCE, ...rules };
        return (await jose.jwtVerify(token, known.keySet, all)).payload;
      } catch (error) {
        if (outboundOf(error)) throw faultOf(error);
        throw new DomainError('BAD_REQUEST', 'This is not a valid logout token of the identity provider.');
      }
    }, ownerOf(facts));
  }

  /** Reads an issuer that is to be used. @param owner whose it will be @throws DomainError VALIDATION_FAILED, UNAVAILABLE (busy) */
  async check(issuer: string, owner: string): Promise<void> {
    if (!this.allowHttp && new URL(issuer).protocol === 'http:') {
      throw invalidField(['issuer'], 'must begin with https://', 'url');
    }
    const client = await library();
    await this.#turns.run(async () => {
      this.#known.delete(issuer);
      await this.#knownOf(client, issuer).catch((error: unknown) => {
        throw invalidField(['issuer'], `could not be read: ${reasonOf(error)}`, 'issuer');
      });
    }, owner);
  }

  #knownOf(client: typeof Client, issuer: string): Promise<Known> {
    const known = this.#known.get(issuer);
    if (known) return known;
    const options = { [client.customFetch]: this.#send, ...this.#execute(client) };
    const reading = client
      .discovery(new URL(issuer), 'unused', undefined, client.None(), options)
      .then((config) => ({ metadata: config.serverMetadata() }));
    this.#known.set(issuer, reading);
    reading.catch(() => this.#known.set(issuer, reading, { ttl: FAILURE_MS }));
    return reading;
  }

  #configured(
    client: typeof Client,
    metadata: Client.ServerMetadata,
    { clientId, clientSecret }: IssuerFacts,
    deadline: AbortSignal,
  ) {
    const own = { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE };
    const methods = metadata.token_endpoint_auth_methods_supported;
    const byBody = methods !== undefined && !methods.includes('client_secret_basic');
    const authenticate = byBody
      ? client.ClientSecretPost(clientSecret)
      : client.ClientSecretBasic(clientSecret);
    const config = new client.Configuration(metadata, clientId, own, authenticate);
    config[client.customFetch] = (url, options) =>
      this.#send(url, { ...options, signal: AbortSignal.any([deadline, options.signal ?? deadline]) });
    for (const run of this.#execute(client).execute ?? []) run(config);
    return config;
  }

  #execute(client: typeof Client): { execute?: ((config: Client.Configuration) => void)[] } {
    return this.allowHttp ? { execute: [client.allowInsecureRequests] } : {};
  }

  readonly #send: Client.CustomFetch = (url, { method, headers, body, signal }) =>
    this.fetch(url, { method, headers, body: body as string | URLSearchParams | undefined, signal });
}

/** Whose turn an exchange takes. */
const ownerOf = ({ providerId, issuer }: IssuerFacts) => providerId ?? issuer;

function causesOf(error: unknown): Error[] {
  const found: Error[] = [];
  for (let at = error; at instanceof Error && found.length < 5; at = at.cause) found.push(at);
  return found;
}

const outboundOf = (error: unknown) => causesOf(error).find((one) => one instanceof OutboundError);

function reasonOf(error: unknown): string {
  return (outboundOf(error) ?? causesOf(error)[0])?.message ?? 'unknown fault';
}

export function wrongSignIn(
  sentence = 'This sign-in could not be verified: it has expired, was used, or began in another browser. Sign in again.',
): DomainError {
  return new DomainError('INVALID_CODE', sentence);
}

function faultOf(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const outbound = outboundOf(error);
  const status = causesOf(error).map((one) => (one as { status?: unknown }).status)[0];
  if (outbound || (typeof status === 'number' && status >= 500)) {
    return unavailable(`The identity provider could not be asked. ${outbound?.message ?? ''}`.trim());
  }
  return wrongSignIn(
    'The identity provider refused this sign-in, or its response is not valid. Sign in again.',
  );
}
