import type { Knex } from 'knex';
import type { Clock } from '../clock.js';
import { DomainError, present } from '../errors.js';
import type {
  AdminCaller,
  Caller,
  ClientCaller,
  Context,
  ContextFactory,
  RequestFacts,
} from '../graph/context.js';
import { Loaders, type Memories } from '../graph/loader.js';
import type { Log } from '../log.js';
import type { Place } from '../place.js';
import type { TrustedProxies } from './address.js';

/** How credentials are told; modules implement it. Each throws a DomainError with its exact code. */
export interface Authenticators {
  admin(key: string): Promise<AdminCaller>;
  client(token: string): Promise<ClientCaller>;
}

export interface ContextParts {
  db: Knex;
  clock: Clock;
  log: Log;
  changed(topic: string): void;
  memories: Memories;
  authenticators: Authenticators;
  headerPrefix: string;
  proxies: TrustedProxies;
  /** Where an address is; undefined: it is not known. */
  placeOf(address: string | undefined): Place;
}

const ANONYMOUS: Caller = { kind: 'anonymous' };
const BEARER = /^Bearer +([^\s]+)$/i;

function header(request: RequestFacts, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Whoever sends both credentials calls as administrator. */
function authenticate(parts: ContextParts, request: RequestFacts): Promise<Caller> | undefined {
  const key = header(request, `${parts.headerPrefix}-api-key`);
  if (key) return parts.authenticators.admin(key.trim());
  const authorization = header(request, 'authorization');
  if (!authorization) return undefined;
  const token = BEARER.exec(authorization.trim())?.[1];
  if (token) return parts.authenticators.client(token);
  throw new DomainError('INVALID_TOKEN', 'The authorization header must read "Bearer <access token>"');
}

/** Who calls, or why the credential is no good. */
async function identify(
  parts: ContextParts,
  request: RequestFacts,
): Promise<Pick<Context, 'caller' | 'credentialError'>> {
  try {
    return { caller: (await authenticate(parts, request)) ?? ANONYMOUS, credentialError: undefined };
  } catch (error) {
    const credentialError = present(error);
    if (credentialError.code === 'INTERNAL') {
      parts.log.error({ err: error, requestId: request.requestId }, 'a credential could not be checked');
    }
    return { caller: ANONYMOUS, credentialError };
  }
}

export function contextFactory(parts: ContextParts): ContextFactory {
  return async (request) => {
    const ip = parts.proxies.callerAddress(request.socketAddress, header(request, 'x-forwarded-for'));
    const context: Context = {
      ...(await identify(parts, request)),
      identify: () => identify(parts, request),
      renew: async () => {
        Object.assign(context, await identify(parts, request));
      },
      db: parts.db,
      clock: parts.clock,
      changed: parts.changed,
      loaders: new Loaders(parts.db, parts.memories),
      requestId: request.requestId,
      ip,
      place: () => parts.placeOf(ip),
      userAgent: header(request, 'user-agent'),
      nonce: header(request, `${parts.headerPrefix}-client-nonce`),
      idempotencyKey: header(request, 'idempotency-key'),
      responseHeaders: {},
    };
    return context;
  };
}
