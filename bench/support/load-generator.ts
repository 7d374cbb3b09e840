import { setTimeout as delay } from 'node:timers/promises';
import { serveJobs } from './child.js';
import type { Load, LoadWanted } from './generator.js';
import { type HttpAnswer, HttpConnection } from './http-connection.js';
import { quantile } from './statistics.js';
import { readTraffic } from './traffic.js';

export interface Detail extends Load {
  /** All responses by status. */
  statuses: Record<string, number>;
  /** The first response that was not 2xx. */
  refusal: string | undefined;
  /** 503 responses without Retry-After. */
  noRetryAfter: number;
}

const TICK_MS = 1;
const LATE_MS = 2_000;

/** When the next request is due; undefined: no more. */
type Moments = () => Promise<number | undefined>;

function asFastAsAnswered(end: number): Moments {
  return async () => {
    const now = performance.now();
    return now < end ? now : undefined;
  };
}

/** Evenly spaced moments; a free connection waits for the next one not taken by another. */
function evenly(rate: number, started: number, end: number): Moments {
  let taken = 0;
  return async () => {
    const due = started + (taken * 1_000) / rate;
    taken += 1;
    if (due >= end) return undefined;
    while (performance.now() < due) await delay(Math.max(TICK_MS, due - performance.now()));
    return due;
  };
}

serveJobs(async (job: LoadWanted): Promise<Detail> => {
  const requests = readTraffic(job.traffic);
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => HttpConnection.open(job.port)),
  );
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let refusal: string | undefined;
  let noRetryAfter = 0;
  let sent = 0;
  const started = performance.now();
  const end = started + job.seconds * 1_000;
  const next = job.rate === undefined ? asFastAsAnswered(end) : evenly(job.rate, started, end);
  const take = ({ status, head, body }: HttpAnswer, since: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 200 && status < 300) {
      latencies.push(performance.now() - since);
      return;
    }
    refusal ??= `${status} ${body.toString()}`;
    if (status === 503 && !/\r\nretry-after: *\d/i.test(head)) noRetryAfter += 1;
  };
  await Promise.all(
    connections.map(async (connection) => {
      for (let due = await next(); due !== undefined; due = await next()) {
        const k = job.traffic.again ? sent % requests.length : sent;
        sent += 1;
        const request = requests[k];
        if (request === undefined) throw new Error('The requests that were prepared did not suffice');
        take(await connection.request(request), due);
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1_000;
  for (const connection of connections) connection.close();
  const answers = Object.values(statuses).reduce((sum, n) => sum + n, 0);
  return {
    perSecond: latencies.length / elapsed,
    errors: answers - latencies.length,
    late: latencies.filter((millis) => millis > LATE_MS).length,
    requests: answers,
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    statuses,
    refusal,
    noRetryAfter,
  };
});
