import type { Knex } from 'knex';
import pg from 'pg';
import type { Clock } from '../base/clock.js';
import { DomainError, type ErrorCode, isDatabaseAway, statusOf, unavailable } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { sessionConfig } from '../db/pool.js';
import type { Context } from '../graphql/context.js';
import { scheduleJob } from '../jobs/job.js';
import type { Caller, HookTools, RefusingTools, ServiceCaller, Tools } from './hooks.js';

/** Connections of a process for hooks only: hooks cannot exhaust the service's own. */
export const HOOK_CONNECTIONS = 4;

/** A function of the hooks module as a job of the queue, in addition to the service's own jobs. */
export function queueName(job: string): string {
  return `hook-${job}`;
}

/** The caller, as hooks see it. */
export interface CallerFacts extends Pick<Context, 'requestId' | 'ip' | 'userAgent' | 'sent'> {
  caller: Caller | ServiceCaller;
}

interface ToolsParts {
  db: Knex;
  connectionString: string;
  clock: Clock;
  log: Log;
  /** Names of the module's jobs. */
  jobs: string[];
}

/** Services for hooks and their jobs. Nothing connects before the first query. */
export class Toolbox {
  readonly #pool: pg.Pool;
  readonly tools: Tools;

  constructor({ db, connectionString, clock, log, jobs }: ToolsParts) {
    this.#pool = new pg.Pool({
      ...sessionConfig(connectionString, 'leaderboard hooks'),
      max: HOOK_CONNECTIONS,
      idleTimeoutMillis: 60_000,
    });
    // Without listeners a lost connection would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
    });
    this.tools = {
      schedule: async (job, payload = {}, { delaySeconds = 0, key } = {}) => {
        if (!jobs.includes(job)) throw new Error(`The hooks module exports no job ${job}`);
        await scheduleJob(db, queueName(job), payload, { delayMillis: delaySeconds * 1_000, key });
      },
      query: async <Row extends object>(sql: string, values?: readonly unknown[]) => {
        try {
          const { rows } = await this.#pool.query<Row>(sql, values && [...values]);
          return rows;
        } catch (error) {
          throw isDatabaseAway(error) ? unavailable() : error;
        }
      },
      log: (level, facts, sentence) => log[level]({ ...facts }, sentence),
      now: () => new Date(clock()),
    };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Without a request for the service's own work, which only hooks with `Own` tools are called for. */
  hookTools(facts: CallerFacts): HookTools {
    const { requestId: id, ip, userAgent } = facts;
    const sent = facts.sent();
    return { ...this.tools, request: (sent && { id, ...sent, ip, userAgent }) as HookTools['request'] };
  }

  refusingTools(facts: CallerFacts): RefusingTools {
    return { ...this.hookTools(facts), refuse: refuseByHook };
  }
}

const refuseByHook: RefusingTools['refuse'] = (code, sentence, { details, retryAfterSeconds } = {}) => {
  if (!Object.hasOwn(statusOf, code) || (code as ErrorCode) === 'INTERNAL') {
    throw new Error(`A hook cannot refuse with ${code}: it is not one of the service's error codes`);
  }
  throw new DomainError(code, sentence, details, retryAfterSeconds);
};

/**
 * Awaits a function of the module for a limited time.
 * @param late handles a result that arrives after it
 */
export async function within<T>(
  millis: number,
  ask: () => Promise<T>,
  late?: (result: T) => unknown,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No response within ${millis / 1_000} seconds`)), millis);
  });
  const asking = ask();
  try {
    return await Promise.race([asking, impatience]);
  } catch (error) {
    if (late) void asking.then(late, () => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
