import type { Knex } from 'knex';
import type { Clock } from '../../base/clock.js';
import { DomainError, present } from '../../base/errors.js';
import type { GeoPlace } from '../../base/ip-address.js';
import type { Log } from '../../base/log.js';
import { withPageNotes } from '../../db/keyset.js';
import type {
  AdminCaller,
  Caller,
  ClientCaller,
  Context,
  ContextFactory,
  RequestFacts,
  SentRequest,
  ServiceResolvers,
} from '../../graphql/context.js';
import { Loaders, type Memories } from '../../graphql/loader.js';
import { isOwnOrigin } from '../http/cross-origin.js';
import type { TrustedProxies } from './origin.js';

/** Verifies credentials; implemented by modules. Each method throws a DomainError with its exact code. */
interface Authenticators {
  /** @param inConsole a browser sends it, from a page of this service */
  admin(key: string, ip: string | undefined, inConsole: boolean): Promise<AdminCaller>;
  client(token: string): Promise<ClientCaller>;
  /** Returns the caller named by a valid token; `requireValidSession` checks that its session is still valid. */
  presumed(token: string): Promise<ClientCaller>;
  requireValidSession(caller: ClientCaller): Promise<void>;
}

interface ContextParts {
  resolvers: ServiceResolvers;
  db: Knex;
  clock: Clock;
  log: Log;
  changed(topic: string): void;
  memories: Memories;
  authenticators: Authenticators;
  headerPrefix: string;
  /** The prefix of API keys. */
  keyPrefix: string;
  proxies: TrustedProxies;
  /** Returns the location of an address, with nulls where it is unknown. */
  placeOf(address: string | undefined): GeoPlace;
}

/** The parts with the full names of the headers. */
interface Parts extends ContextParts {
  keyHeader: string;
  nonceHeader: string;
}

const ANONYMOUS: Caller = { kind: 'anonymous' };
const BEARER = /^Bearer +([^\s]+)$/i;

function header(request: RequestFacts, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** True for a key: tokens have points between their parts, keys have none. */
function looksLikeKey(prefix: string, credential: string): boolean {
  return credential.startsWith(prefix) && !/[\s.]/.test(credential);
}

/** True if a browser sends it from a page of this service. Browsers may open WebSockets with their origin alone. */
function isFromOwnPage(request: RequestFacts): boolean {
  const site = header(request, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return isOwnOrigin(header(request, 'origin'), header(request, 'host'));
}

/** With both credentials a caller is an administrator, except where only game clients are served. */
function authenticate(parts: Parts, request: RequestFacts, ip?: string): Promise<Caller> | undefined {
  const key = header(request, parts.keyHeader);
  const authorization = header(request, 'authorization');
  if (key && !(request.forClients && authorization)) {
    return parts.authenticators.admin(key.trim(), ip, isFromOwnPage(request));
  }
  if (!authorization) return undefined;
  const token = BEARER.exec(authorization.trim())?.[1];
  if (looksLikeKey(parts.keyPrefix, token ?? authorization)) {
    throw new DomainError(
      'INVALID_TOKEN',
      `This is an API key, not an access token. Send it in the header ${parts.keyHeader}, without "Bearer".`,
    );
  }
  if (token) return parts.authenticators[request.presumed ? 'presumed' : 'client'](token);
  throw new DomainError('INVALID_TOKEN', 'The authorization header must be "Bearer <access token>".');
}

/** @param secret names of the service's own credentials */
function sentRequest({ line, headers }: RequestFacts, secret: string[]): SentRequest | undefined {
  if (!line) return undefined;
  const url = new URL(line.url ?? '/', 'http://service');
  const query: SentRequest['query'] = {};
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name);
    query[name] = values.length > 1 ? values : values[0]!;
  }
  const hidden = new Set([...CREDENTIALS, ...secret]);
  const shown = Object.entries(headers).filter(([name, value]) => value !== undefined && !hidden.has(name));
  return {
    method: line.method ?? 'GET',
    path: url.pathname,
    query,
    headers: Object.fromEntries(shown) as SentRequest['headers'],
  };
}

const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];

type Identified = Pick<Context, 'caller' | 'credentialError'>;

/** Returns the caller, or the error of an invalid credential. */
async function identify(parts: Parts, request: RequestFacts, ip?: string): Promise<Identified> {
  try {
    return { caller: (await authenticate(parts, request, ip)) ?? ANONYMOUS, credentialError: undefined };
  } catch (error) {
    return { caller: ANONYMOUS, credentialError: credentialFault(error, parts, request) };
  }
}

function credentialFault(error: unknown, { log }: ContextParts, { requestId }: RequestFacts): DomainError {
  const fault = present(error);
  if (fault.code === 'INTERNAL') log.error({ err: error, requestId }, 'failed to check a credential');
  return fault;
}

/** A class, because an object literal with spread members and closures took a twelfth of a read's time. */
class RequestContext implements Context {
  caller: Caller;
  credentialError: DomainError | undefined;
  readonly resolvers: ServiceResolvers;
  readonly keyHeader: string;
  readonly db: Knex;
  readonly clock: Clock;
  readonly loaders: Loaders;
  readonly requestId: string;
  readonly userAgent: string | undefined;
  readonly nonce: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly behindUnknownProxy: boolean;
  readonly responseHeaders: Record<string, string> = {};

  // TypeScript-private: Apollo copies contexts, and copies lack `#` members.
  constructor(
    private readonly parts: Parts,
    private readonly request: RequestFacts,
    readonly ip: string | undefined,
    { caller, credentialError }: Identified,
  ) {
    this.caller = caller;
    this.credentialError = credentialError;
    this.resolvers = parts.resolvers;
    this.keyHeader = parts.keyHeader;
    const { notePage } = request;
    this.db = notePage ? withPageNotes(parts.db, notePage) : parts.db;
    this.clock = parts.clock;
    this.loaders = new Loaders(parts.db, parts.memories);
    this.requestId = request.requestId;
    this.userAgent = header(request, 'user-agent');
    this.nonce = header(request, parts.nonceHeader);
    this.idempotencyKey = header(request, 'idempotency-key');
    this.behindUnknownProxy = parts.proxies.misses(header(request, 'x-forwarded-for'));
  }

  changed(topic: string): void {
    this.parts.changed(topic);
  }

  sent(): SentRequest | undefined {
    return sentRequest(this.request, [this.parts.keyHeader, this.parts.nonceHeader]);
  }

  place(): GeoPlace {
    return this.parts.placeOf(this.ip);
  }

  identify(): Promise<Identified> {
    return identify(this.parts, this.request, this.ip);
  }

  async renew(): Promise<void> {
    Object.assign(this, await this.identify());
  }

  async requireValidSession(): Promise<void> {
    const { caller } = this;
    if (!this.request.presumed || caller.kind !== 'client') return;
    try {
      await this.parts.authenticators.requireValidSession(caller);
    } catch (error) {
      throw credentialFault(error, this.parts, this.request);
    }
  }
}

export function contextFactory(given: ContextParts): ContextFactory {
  const { headerPrefix } = given;
  const parts = {
    ...given,
    keyHeader: `${headerPrefix}-api-key`,
    nonceHeader: `${headerPrefix}-client-nonce`,
  };
  return async (request) => {
    const ip = parts.proxies.callerAddress(request.socketAddress, header(request, 'x-forwarded-for'));
    return new RequestContext(parts, request, ip, await identify(parts, request, ip));
  };
}
