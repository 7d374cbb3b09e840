import type { Context as KoaContext, Middleware } from 'koa';
import { subscriberOf } from '../base/ip-address.js';
import { type Aside, Limit, SHARED_ADDRESS, type TurnLimits, Turns } from '../base/limits.js';
import type { Log } from '../base/log.js';
import type { Metrics } from '../base/metrics.js';
import type { Context, CountDocument, CountWrite, RequestFacts } from '../graphql/context.js';
import type { TrustedProxies } from './auth/origin.js';

/** Limits of requests: enough for the largest batches of submissions while the previous ones are committed. */
const ADMISSION: TurnLimits = { atATime: 512, waiting: 10_000, patienceMs: 1_000 };

/** Admits requests, and reports their number and queue as metrics. */
export class Admission extends Turns {
  constructor(metrics: Metrics, limits = ADMISSION) {
    super(limits);
    metrics.gauge('requests_in_progress', 'Requests in progress.', () => this.busy);
    metrics.gauge('requests_waiting', 'Requests waiting in the queue.', () => this.waiting);
    metrics.counters('requests_refused_total', 'Requests refused because the queue was full.', [], () => [
      [{}, this.refused],
    ]);
  }
}

export const METRICS_PATH = '/metrics';

/**
 * For all routes after it; scrapes are exempt, so that they succeed under load. Addresses take turns, since nobody's account is known
 * yet. `ctx.state.aside` gives the slot to others while a body arrives (http/body.ts).
 */
export function admitted(admission: Admission, proxies: TrustedProxies): Middleware {
  return (ctx, next) => {
    if (ctx.path === METRICS_PATH) return next();
    const work = (aside: Aside) => {
      ctx.state.aside = aside;
      return next();
    };
    return admission.run(work, addressed(addressOf(visitOf(ctx), proxies)));
  };
}

type Counted = Pick<Context, 'caller' | 'ip'>;

/**
 * Returns the key that requests are counted under: the valid credential, so that a school behind one address does not
 * share a budget; otherwise the address.
 */
function countedAs({ caller, ip }: Counted): string {
  if (caller.kind === 'admin') return caller.keyId;
  if (caller.kind === 'client') return caller.deviceId;
  return addressed(ip);
}

/** Of one subscriber. */
export function addressed(ip: string | undefined): string {
  return ip === undefined ? 'unknown' : subscriberOf(ip);
}

/**
 * Limits requests per caller and minute (HTTP_RATE_LIMIT).
 * @param perMinute undefined: no limit
 * @returns counts one request; rejects with DomainError RATE_LIMITED beyond the limit
 */
export function requestBudget(perMinute: number | undefined): (caller: Counted) => Promise<void> {
  if (perMinute === undefined) return () => Promise.resolve();
  const limit = new Limit(perMinute, 60);
  return (caller) => limit.count(countedAs(caller));
}

/** A request by where it comes from. */
type Visit = Pick<RequestFacts, 'headers' | 'socketAddress'>;

/** Checks an anonymous visitor against the limits. Rejects with the DomainError that refuses the request. */
export type VisitLimit = (visit: Visit) => Promise<void>;

export function visitOf({ req }: KoaContext): Visit {
  return { headers: req.headers, socketAddress: req.socket.remoteAddress };
}

/** Limits requests without a credential, by address. @param budget see {@link requestBudget} */
export function visitBudget(budget: (caller: Counted) => Promise<void>, proxies: TrustedProxies): VisitLimit {
  return (visit) => budget({ caller: { kind: 'anonymous' }, ip: addressOf(visit, proxies) });
}

function addressOf({ headers, socketAddress }: Visit, proxies: TrustedProxies): string | undefined {
  return proxies.callerAddress(socketAddress, headers['x-forwarded-for']?.toString());
}

const BURST_SECONDS = 600;
/** Uncounted restarts of a game per device and minute; further starts count like those of new devices. */
const STARTS_OF_DEVICE = 5;

/**
 * Limits writes of callers without an API key (ANONYMOUS_WRITES_PER_MINUTE), by address. A game client's token makes no
 * difference, since any session start returns one.
 * @param perMinute undefined: no limit
 */
export function anonymousWrites(perMinute: number | undefined, log: Log): CountWrite {
  if (perMinute === undefined) return () => Promise.resolve();
  const limitOf = (times: number) =>
    new Limit(times, 60, {
      burst: { times, seconds: BURST_SECONDS },
      what: 'new sessions and registrations',
    });
  const writes = limitOf(perMinute);
  const writesOfProxies = limitOf(perMinute * SHARED_ADDRESS);
  const ofDevices = new Limit(STARTS_OF_DEVICE, 60);
  let warned = false;
  return async ({ caller, ip, behindUnknownProxy }, deviceId) => {
    if (caller.kind === 'admin') return;
    if (behindUnknownProxy && !warned) log.warn({ from: ip }, UNKNOWN_PROXY);
    warned ||= behindUnknownProxy;
    const free =
      deviceId !== undefined &&
      (await ofDevices.count(deviceId).then(
        () => true,
        () => false,
      ));
    if (!free) await (behindUnknownProxy ? writesOfProxies : writes).count(addressed(ip));
  };
}

/** A key or device may send one in so many of the refused documents of an address. */
const CREDENTIALS_OF_ADDRESS = 10;

/**
 * Limits GraphQL documents that are refused: as many per address as writes without an API key (ANONYMOUS_WRITES_PER_MINUTE), and
 * a tenth per key or device. A known document is never counted, so games go on beside a caller who uses up their address's limit.
 * @param perMinute undefined: no limit
 */
export function refusedDocuments(perMinute: number | undefined): CountDocument {
  if (perMinute === undefined) return () => Promise.resolve(() => Promise.resolve());
  const limitOf = (times: number) => new Limit(times, 60, { what: 'GraphQL documents with errors' });
  const ofCredentials = limitOf(Math.ceil(perMinute / CREDENTIALS_OF_ADDRESS));
  const ofAddresses = limitOf(perMinute);
  const ofProxies = limitOf(perMinute * SHARED_ADDRESS);
  return async ({ caller, ip, behindUnknownProxy }) => {
    const counts: [Limit, string][] = [];
    if (caller.kind !== 'anonymous') counts.push([ofCredentials, countedAs({ caller, ip })]);
    if (caller.kind !== 'admin') counts.push([behindUnknownProxy ? ofProxies : ofAddresses, addressed(ip)]);
    for (const [limit, key] of counts) await limit.check(key);
    return async () => {
      for (const [limit, key] of counts) await limit.count(key);
    };
  };
}

const UNKNOWN_PROXY =
  'received a request with x-forwarded-for, but no proxy is trusted. Set TRUSTED_PROXIES to the ' +
  'addresses of your proxies. Until then, ANONYMOUS_WRITES_PER_MINUTE counts all callers behind the ' +
  'proxy as one, with 20 times the limit';
