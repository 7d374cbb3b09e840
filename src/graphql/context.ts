import type { Knex } from 'knex';
import type { Clock } from '../base/clock.js';
import type { DomainError } from '../base/errors.js';
import type { Place } from '../base/geo.js';
import type { Loaders } from './loader.js';

/** Nobody in particular: the public queries, session start and registration. */
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
  /** The only account whose records a superadmin means to reach with this request; undefined: any. */
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
  /** When its access token runs out, epoch milliseconds. */
  expiresAt: number;
}

export type Caller = AnonymousCaller | AdminCaller | ClientCaller;

/** What every resolver gets: who calls, with what, and this operation's own loaders. */
export interface Context {
  caller: Caller;
  /** Why the credential that was sent is no good. Public fields do not mind; every other one answers with it. */
  credentialError: DomainError | undefined;
  /** The header of API keys as this service calls it, e.g. `service-api-key`. */
  keyHeader: string;
  db: Knex;
  clock: Clock;
  /**
   * Looks at the credential anew: what it may do can change while an operation goes on. Sets `caller` and
   * `credentialError`.
   */
  renew(): Promise<void>;
  /**
   * Where the credential was taken at its word: looks at what it stands on, once it is known what was asked for.
   * @throws DomainError what `credentialError` would have been
   */
  requireStanding(): Promise<void>;
  /** Looks at it anew and leaves the context as it is. */
  identify(): Promise<Pick<Context, 'caller' | 'credentialError'>>;
  /** Called after a commit with the id of the record whose readers elsewhere should look again (db/changes.ts). */
  changed(topic: string): void;
  loaders: Loaders;
  requestId: string;
  /** The caller's address: the socket's, or the right-most untrusted one of `x-forwarded-for`. */
  ip: string | undefined;
  /** Whether `ip` may be a proxy's, of which TRUSTED_PROXIES knows nothing: it sent an `x-forwarded-for`. */
  behindUnknownProxy: boolean;
  /** Where that address is: looked up in memory when it is asked for. */
  place(): Place;
  userAgent: string | undefined;
  /** `<prefix>-client-nonce` and `idempotency-key` of the request, as sent. */
  nonce: string | undefined;
  idempotencyKey: string | undefined;
  /** Headers a resolver adds to the HTTP answer, e.g. `service-replayed`. */
  responseHeaders: Record<string, string>;
}

/** What a write needs of its surroundings; a job has it without a request. */
export type Writing = Pick<Context, 'db' | 'clock' | 'changed'>;

/** What an edge knows of a request before anything of it is executed. */
export interface RequestFacts {
  /** Lower-case names. A socket's are those of its upgrade request, overlaid by the `connection_init` payload. */
  headers: Record<string, string | string[] | undefined>;
  requestId: string;
  /** The address at the other end of the connection. */
  socketAddress: string | undefined;
  /** Whether only game clients are answered there: of two credentials theirs counts. */
  forClients?: boolean;
  /** Whether a game client's token is taken at its word until `requireStanding` is asked: nothing is answered before. */
  presumed?: boolean;
}

/** The door that a request came in by: `GET /v1/boards/{board_id}`, `POST /graphql`, `WS /graphql`. */
export interface Door {
  method: string;
  /** Without the values of its path. */
  route: string;
}

/** Whether a request may go on, asked as soon as it is known who calls. Rejects with the DomainError that refuses it. */
export type RateLimit = (context: Context, door: Door) => Promise<void>;

/**
 * Counts a write that needs no credential. Rejects with the DomainError that refuses it.
 * @param deviceId of a device that is known already
 */
export type CountWrite = (context: Context, deviceId?: string) => Promise<void>;

/** Makes a request's context. Never fails: a bad credential waits in `credentialError`. */
export type ContextFactory = (request: RequestFacts) => Promise<Context>;
