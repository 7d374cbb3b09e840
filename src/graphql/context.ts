import type { Knex } from 'knex';
import type { ClassType } from 'type-graphql';
import type { Clock } from '../base/clock.js';
import type { DomainError } from '../base/errors.js';
import type { GeoPlace } from '../base/ip-address.js';
import type { PlacedPage } from '../db/keyset.js';
import type { Loaders } from './loader.js';
import type { Right } from './rights.js';

/** A caller without a credential: public queries, session start and registration. */
export interface AnonymousCaller {
  kind: 'anonymous';
}

/** An API key's user. Ids are prefixed. */
export interface AdminCaller {
  kind: 'admin';
  accountId: string;
  userId: string;
  keyId: string;
  superAdmin: boolean;
  /** Its user's role (accounts/users/role.ts). */
  role: 'viewer' | 'moderator' | 'developer' | 'admin';
  /** What the key may do now: what its user's role includes, within the key's scopes. */
  rights: readonly Right[];
  /** The only games of the account that it reaches; null: all. Ids are prefixed. */
  games: readonly string[] | null;
  /** A sign-in that can only add the user's first passkey, which its account demands. */
  needsPasskey?: boolean;
  /** How and when (epoch milliseconds) the user signed in to the console; absent: the key of a program. */
  signedIn?: { method: 'code' | 'passkey' | 'provider' | null; at: number };
  /** The only account that a superadmin's request is limited to; undefined: any. */
  within?: string;
}

/** A device's session. Ids are prefixed; `version` is the token's, compared with the session's on every write. */
export interface ClientCaller {
  kind: 'client';
  accountId: string;
  gameId: string;
  deviceId: string;
  identityId: string;
  sessionId: string;
  testMode: boolean;
  version: number;
  /** Expiry of its access token, epoch milliseconds. */
  expiresAt: number;
}

export type Caller = AnonymousCaller | AdminCaller | ClientCaller;

/** The event source of a subscription field. */
export type Feed = (args: Record<string, unknown>, context: Context) => AsyncIterableIterator<unknown>;

/** What resolves the fields of the schema in one service: the services of a process share the schema. */
export interface ServiceResolvers {
  /** The instance of a resolver class. */
  get(resolver: ClassType): object;
  /** The event source of a module's subscription field. */
  feed(name: string): Feed;
  /** Returns a record of any kind, with the caller's rights; null: there is none. */
  find(id: string, context: Context): Promise<object | null>;
  /** Returns a record that another one refers to; null: there is none that the caller may read. */
  findReferenced(id: string, context: Context): Promise<object | null>;
}

/** The context of every resolver: the caller, the credential, and this operation's own loaders. */
export interface Context {
  resolvers: ServiceResolvers;
  caller: Caller;
  /** The error of an invalid credential. Public fields ignore it; every other field responds with it. */
  credentialError: DomainError | undefined;
  /** The header for API keys in this service, e.g. `service-api-key`. */
  keyHeader: string;
  db: Knex;
  clock: Clock;
  /**
   * Checks the credential again, since its rights can change while an operation runs. Sets `caller` and
   * `credentialError`.
   */
  renew(): Promise<void>;
  /**
   * For a token accepted by its signature alone: checks the records it depends on, once the requested operation is
   * known.
   * @throws DomainError the `credentialError` that a full check would have set
   */
  requireValidSession(): Promise<void>;
  /** Checks the credential again without changing the context. */
  identify(): Promise<Pick<Context, 'caller' | 'credentialError'>>;
  /**
   * To be called after a commit with the id of the changed record; its readers elsewhere then read it again
   * (db/changes.ts).
   */
  changed(topic: string): void;
  loaders: Loaders;
  requestId: string;
  /** Returns the original request, for hooks; undefined for the service's own work. */
  sent(): SentRequest | undefined;
  /** The caller's address: the socket's, or the right-most untrusted one of `x-forwarded-for`. */
  ip: string | undefined;
  /** True if `ip` may be the address of a proxy missing from TRUSTED_PROXIES: the request has an `x-forwarded-for`. */
  behindUnknownProxy: boolean;
  /** Location of `ip`, looked up in memory on each call. */
  place(): GeoPlace;
  userAgent: string | undefined;
  /** `<prefix>-client-nonce` and `idempotency-key` of the request, as sent. */
  nonce: string | undefined;
  idempotencyKey: string | undefined;
  /**
   * Counts one more request of this one's kind against the rate limits, for an item of a batch; undefined: there are
   * none. Rejects with the DomainError that refuses it.
   */
  countItem?: (() => Promise<void>) | undefined;
  /** Headers that a resolver adds to the HTTP response, e.g. `service-replayed`. */
  responseHeaders: Record<string, string>;
}

/** An original request. For a socket, the one that opened it, with the headers of its `connection_init`. */
export interface SentRequest {
  method: string;
  /** Without the query. */
  path: string;
  /** The parameters of the query, decoded; one that is given several times is a list. */
  query: Record<string, string | string[]>;
  /** Without credentials: key, token, nonce, cookies. Lower-case names. */
  headers: Record<string, string | string[]>;
}

/** The facts of a request that are known before any of it is executed. */
export interface RequestFacts {
  /** The request's line; of a socket that of its upgrade; undefined: the service's own work. */
  line?: { method?: string | undefined; url?: string | undefined } | undefined;
  /** Lower-case names. A socket has the headers of its upgrade request, overlaid by the `connection_init` payload. */
  headers: Record<string, string | string[] | undefined>;
  requestId: string;
  /** The address at the other end of the connection. */
  socketAddress: string | undefined;
  /** True where only game clients are served: of two credentials the client's is used. */
  forClients?: boolean;
  /**
   * True to accept a game client's token by its signature until `requireValidSession` is called: its submission checks the
   * session itself, under its locks.
   */
  presumed?: boolean;
  /** Reports the pages of lists that the request reads, where responses of several services are combined. */
  notePage?: ((page: PlacedPage) => void) | undefined;
}

/** The route of a request: `GET /v1/boards/{board_id}`, `POST /graphql`, `WS /graphql`. */
interface RouteKey {
  method: string;
  /** The path template, without values. */
  route: string;
}

/**
 * Checks a request against the rate limits as soon as the caller is known. Rejects with the DomainError that refuses
 * it.
 */
export type RateLimit = (context: Context, key: RouteKey) => Promise<void>;

/**
 * Counts a write that needs no credential. Rejects with the DomainError that refuses it.
 * @param deviceId of a device that is registered already
 */
export type CountWrite = (context: Context, deviceId?: string) => Promise<void>;

/**
 * Called before a document that is new to the service is parsed. Rejects with the DomainError that refuses it.
 * @returns counts it, for a document that is not valid
 */
export type CountDocument = (context: Context) => Promise<() => Promise<void>>;

/** Makes a request's context. Never fails: the error of an invalid credential is in `credentialError`. */
export type ContextFactory = (request: RequestFacts) => Promise<Context>;

/** The body that a caller may send; known once its credential, limits and role are checked. */
export interface BodyTerms {
  /** False for a caller without a valid credential: at most 64 KiB, not compressed. */
  known: boolean;
  /** Bytes, where a route takes more than MAX_BODY_BYTES. */
  upTo?: number | undefined;
}

/**
 * Reads and parses the request's body, once: until a route calls this, nothing of it is read. Undefined: there is none.
 * Rejects with DomainError BAD_REQUEST, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED.
 */
export type ReadBody = (terms: BodyTerms) => Promise<unknown>;

/**
 * Hands over a file in the body of a caller with a valid credential piece by piece, as it arrives, for as long as it keeps arriving.
 * Rejects with DomainError BAD_REQUEST when it ends early or pauses for too long.
 */
export type ReceiveBody = <T>(take: (pieces: AsyncIterable<Buffer>) => Promise<T>) => Promise<T>;

/** Reads a file in the body of a caller with a valid credential; undefined: there is none. Rejects as {@link ReadBody}. */
export type ReadBytes = (limit: number) => Promise<Buffer | undefined>;
