import { inSession } from './bulk-session.js';
import type { OwnGenerator } from './generator.js';
import { IMPROVING } from './http-cases.js';
import type { Course } from './http-course.js';
import type { Detail } from './load-generator.js';
import { count, millis, say } from './table.js';

const SATURATING = 64;
/** More than saturate: each waits for its response, whatever it is, and sends the next request immediately. */
const BEYOND = [512, 1_024, 4_096];
const SHARE = 0.8;

/** Submissions as fast as responses arrive, then 80 % of that rate, evenly spaced, with the same client. */
export async function nearSaturation(course: Course, own: OwnGenerator): Promise<void> {
  const most = await submit(course, own, SATURATING);
  say(
    `${count(most.perSecond)} submissions/s saturate the service (${course.parts.workers} worker(s), ` +
      `${SATURATING} connections, p99 ${millis(most.p99)}).`,
  );
  const rate = most.perSecond * SHARE;
  const near = await submit(course, own, 256, rate);
  say(
    `At 80 % of that, ${count(rate)}/s over 256 connections, each from its due moment: p50 ${millis(near.p50)}, ` +
      `p95 ${millis(near.p95)}, p99 ${millis(near.p99)}, ${near.errors} errors.`,
  );
}

/**
 * More connections than requests the service handles at a time: whatever is acknowledged must be stored exactly
 * once.
 */
export async function beyondSaturation(course: Course, own: OwnGenerator): Promise<void> {
  for (const connections of BEYOND) {
    const before = await events(course);
    const load = await submit(course, own, connections);
    const stored = (await events(course)) - before;
    const acknowledged = load.statuses[201] ?? 0;
    const statuses = Object.entries(load.statuses).map(([status, n]) => `${status}: ${count(n)}`);
    say(
      `${count(connections)} connections: ${count(load.perSecond)} submissions/s, p50 ${millis(load.p50)}, p99 ${millis(load.p99)}; ` +
        `${statuses.join(', ')}; ${load.noRetryAfter} refusals without Retry-After; ` +
        `acknowledged ${count(acknowledged)}, stored ${count(stored)}.`,
    );
    if (stored !== acknowledged) say('THE TWO DIFFER: submissions were lost, or counted twice.');
  }
}

async function submit(
  course: Course,
  own: OwnGenerator,
  connections: number,
  rate?: number,
): Promise<Detail> {
  const { seconds, service } = course.parts;
  const traffic = await course.http.traffic(IMPROVING, 'REST', connections, seconds);
  return own.run({ port: service.port, connections, seconds, traffic, ...(rate !== undefined && { rate }) });
}

function events({ parts: { data } }: Course): Promise<number> {
  return inSession(data.made, async (client) => {
    const { rows } = await client.query<{ seq: string }>('select sum(seq) as seq from board_rankings');
    return Number(rows[0]!.seq);
  });
}
