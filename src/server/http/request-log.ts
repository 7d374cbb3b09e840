import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import type { Log } from '../../base/log.js';
import { BucketCounts, type Metrics, type Reading } from '../../base/metrics.js';

const GIVEN = /^[\w.:-]{1,64}$/;

/** Returns the caller's id of a request if it is well-formed, otherwise a new one; every response includes it. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && GIVEN.test(given) ? given : randomUUID();
}

/** Records the outcome of a request and logs a line: method, path, status, duration. Probes and scrapes are logged at debug. */
export function logRequest(log: Log, ctx: Context, answered: Answered, ms: number): void {
  const { method, path, status, state } = ctx;
  answered(method, state.route as string | undefined, status, ms, state.cell as string);
  if (!log.isLevelEnabled('info')) return;
  const line = { requestId: state.requestId, method, path, status, ms: Math.round(ms * 10) / 10 };
  if (isProbe(ctx)) log.debug(line, 'request');
  else log.info(line, 'request');
}

/** True for probes and scrapes, which come all the time. */
export function isProbe({ path }: Context): boolean {
  return path.startsWith('/health/') || path === '/metrics';
}

/**
 * Records the outcome of one request; `route` is a template of this service, never the path itself.
 * @param cell the service of several that answered it (cells/)
 */
export type Answered = (
  method: string,
  route: string | undefined,
  status: number,
  ms: number,
  cell?: string,
) => void;

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** The method, unless a caller made it up. */
export function methodLabel(method: string): string {
  return KNOWN_METHODS.has(method) ? method : 'other';
}

/** Requests without a route: unknown paths, preflights, and requests refused before routing. */
export const NO_ROUTE = 'none';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Requests with one method and route. */
interface RouteMetrics {
  method: string;
  route: string;
  seconds: BucketCounts;
  /** By status. */
  answers: Map<number, number>;
}

/** Counts and times every response by method, route template and status. */
export function requestMetrics(metrics: Metrics): Answered {
  const routes = new Map<string, RouteMetrics>();
  metrics.counters('http_requests_total', 'HTTP requests by response.', ['method', 'route', 'status'], () =>
    [...routes.values()].flatMap(({ method, route, answers }) =>
      [...answers].map(
        ([status, count]): Reading<'method' | 'route' | 'status'> => [
          { method, route, status: String(status) },
          count,
        ],
      ),
    ),
  );
  metrics.histogram(
    'http_request_duration_seconds',
    'Time from the headers of an HTTP request to its response.',
    () => [...routes.values()].map(({ method, route, seconds }) => [{ method, route }, seconds]),
  );
  return (method, route = NO_ROUTE, status, ms) => {
    const known = methodLabel(method);
    const key = `${known} ${route}`;
    let counts = routes.get(key);
    if (!counts) {
      counts = { method: known, route, seconds: new BucketCounts(SECONDS), answers: new Map() };
      routes.set(key, counts);
    }
    counts.answers.set(status, (counts.answers.get(status) ?? 0) + 1);
    counts.seconds.observe(ms / 1_000);
  };
}
