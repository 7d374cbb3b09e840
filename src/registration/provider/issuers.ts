import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import type * as Client from 'openid-client';
import { DomainError, invalidField } from '../../base/errors.js';
import { Turns } from '../../base/limits.js';
import type { Log } from '../../base/log.js';
import type { GuardedFetch } from '../../base/outbound/guarded-fetch.js';
import { exchangeFault, faultFactsOf, oauthCodeOf, outboundOf, reasonOf } from './issuer/faults.js';

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
  /** Ways to send the secret, in the body or not: some issuers refuse a client one of those that their metadata lists. */
  secretsByBody: readonly [boolean, boolean?];
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
    private readonly log: Log,
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
        const [first, other] = known.secretsByBody;
        const tried = (byBody: boolean) =>
          work(client, this.#configured(client, known.metadata, facts, byBody, deadline));
        return await tried(first).catch((error: unknown) => {
          if (other === undefined || oauthCodeOf(error) !== 'invalid_client') throw error;
          return tried(other);
        });
      } catch (error) {
        this.#note(facts, error);
        throw exchangeFault(error);
      }
    }, ownerOf(facts));
  }

  /** For the log: callers are told less. */
  #note({ issuer, providerId }: Pick<IssuerFacts, 'issuer' | 'providerId'>, error: unknown): void {
    const facts = error instanceof DomainError ? { reason: error.message } : faultFactsOf(error);
    this.log.warn({ issuer, provider: providerId, ...facts }, 'an exchange with an identity provider failed');
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
        if (outboundOf(error)) throw exchangeFault(error);
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
        this.#note({ issuer, providerId: null }, error);
        throw invalidField(['issuer'], `could not be read: ${reasonOf(error)}`, 'issuer');
      });
    }, owner);
  }

  #knownOf(client: typeof Client, issuer: string): Promise<Known> {
    const known = this.#known.get(issuer);
    if (known) return known;
    const options = { [client.customFetch]: this.#send, ...this.#execute(client) };
    const reading = client
      .discovery(discoveryOf(issuer), 'unused', undefined, client.None(), options)
      .then((config) => {
        const metadata = config.serverMetadata();
        refuseAnother(issuer, metadata.issuer);
        return { metadata, secretsByBody: secretsByBody(metadata) };
      });
    this.#known.set(issuer, reading);
    reading.catch(() => this.#known.set(issuer, reading, { ttl: FAILURE_MS }));
    return reading;
  }

  #configured(
    client: typeof Client,
    metadata: Client.ServerMetadata,
    { clientId, clientSecret }: IssuerFacts,
    byBody: boolean,
    deadline: AbortSignal,
  ) {
    const own = { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE };
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

const WELL_KNOWN = '/.well-known/';

/** The address of the metadata, which may be given in place of the issuer's. */
function discoveryOf(issuer: string): URL {
  const isWhole = issuer.includes(WELL_KNOWN);
  return new URL(isWhole ? issuer : `${issuer.replace(/\/$/, '')}${WELL_KNOWN}openid-configuration`);
}

/** An address with or without a slash at its end is one issuer. @throws Error when the metadata are another's */
function refuseAnother(issuer: string, named: string): void {
  if (/[{}]/.test(named)) throw new Error('it is the address of all tenants. Give the one of yours');
  const bare = (address: string) => new URL(address).href.replace(/\/$/, '');
  if (issuer.includes(WELL_KNOWN) || bare(issuer) === bare(named)) return;
  throw new Error(`its metadata names the issuer ${named}. Give that, or the whole address of the metadata`);
}

function secretsByBody({
  token_endpoint_auth_methods_supported: methods,
}: Client.ServerMetadata): Known['secretsByBody'] {
  const takes = (method: string) => methods?.includes(method) ?? true;
  if (!takes('client_secret_basic')) return [true];
  return takes('client_secret_post') ? [false, true] : [false];
}

/** Whose turn an exchange takes. */
const ownerOf = ({ providerId, issuer }: IssuerFacts) => providerId ?? issuer;
