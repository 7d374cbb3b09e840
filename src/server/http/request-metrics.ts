import { Distribution, type Metrics, type Reading } from '../../base/metrics.js';

/** Records the outcome of one request; `route` is a template of this service, never the path itself. */
export type Answered = (method: string, route: string | undefined, status: number, ms: number) => void;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** Requests without a route: unknown paths, preflights, and requests refused before routing. */
const NO_ROUTE = 'none';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Requests with one method and route. */
interface Door {
  method: string;
  route: string;
  seconds: Distribution;
  /** By status. */
  answers: Map<number, number>;
}

/** Counts and times every response by method, route template and status. */
export function requestMetrics(metrics: Metrics): Answered {
  const doors = new Map<string, Door>();
  metrics.counters(
    'http_requests_total',
    'HTTP requests by what they were answered.',
    ['method', 'route', 'status'],
    () =>
      [...doors.values()].flatMap(({ method, route, answers }) =>
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
    'Time from the head of an HTTP request to its answer.',
    () => [...doors.values()].map(({ method, route, seconds }) => [{ method, route }, seconds]),
  );
  return (asked, route = NO_ROUTE, status, ms) => {
    const method = METHODS.has(asked) ? asked : 'other';
    const key = `${method} ${route}`;
    let door = doors.get(key);
    if (!door) {
      door = { method, route, seconds: new Distribution(SECONDS), answers: new Map() };
      doors.set(key, door);
    }
    door.answers.set(status, (door.answers.get(status) ?? 0) + 1);
    door.seconds.observe(ms / 1_000);
  };
}
