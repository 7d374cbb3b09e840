import type { Metrics } from '../metrics.js';

/** What happened to one request; `route` is a template of this service, never the path itself. */
export type Answered = (method: string, route: string | undefined, status: number, ms: number) => void;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** Requests that no route took: unknown paths, preflights, and what was refused before a route was looked for. */
const NO_ROUTE = 'none';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface Cell {
  count(): void;
  took(seconds: number): void;
}

/** Counts and times every answer by method, route template and status. */
export function requestMetrics(metrics: Metrics): Answered {
  const requests = metrics.counter('http_requests_total', 'HTTP requests by what they were answered.', [
    'method',
    'route',
    'status',
  ]);
  const durations = metrics.histogram(
    'http_request_duration_seconds',
    'Time from the head of an HTTP request to its answer.',
    SECONDS,
    ['method', 'route'],
  );
  // Children are looked up once: the library would check and hash the labels of every request.
  const cells = new Map<string, Cell>();
  const cellOf = (method: string, route: string, status: number): Cell => {
    const counter = requests.labels(method, route, String(status));
    const histogram = durations.labels(method, route);
    return { count: () => counter.inc(), took: (seconds) => histogram.observe(seconds) };
  };
  return (method, route = NO_ROUTE, status, ms) => {
    const verb = METHODS.has(method) ? method : 'other';
    const key = `${verb} ${route} ${status}`;
    let cell = cells.get(key);
    if (!cell) {
      cell = cellOf(verb, route, status);
      cells.set(key, cell);
    }
    cell.count();
    cell.took(ms / 1_000);
  };
}
