import type { Clock } from '../base/clock.js';
import { type DomainError, isDatabaseAway, OutcomeUnknown, present, unavailable } from '../base/errors.js';
import { idOf, uuid7, uuidOf } from '../base/ids.js';
import type { Log } from '../base/log.js';
import { extendPeriods } from '../boards/views/periods.js';
import type { Database, Queryable } from '../db/pool.js';
import { queryUnhurried } from '../db/statements/unhurried.js';
import { scoresByEvent } from '../rankings/read.js';
import type { Result } from './decide/batch.js';
import type { EventDisposition } from './decide/decide.js';
import type { FairPlay } from './decide/fair-play.js';
import { Rejection, revive, type StoredAnswer } from './decide/outcome.js';
import { GroupsDue, PeriodsDue } from './facts/rankings.js';
import type { Outcome, Submission } from './facts/submission.js';
import { ingest } from './ingest.js';
import { UnknownOutcome, withClient } from './write/transaction.js';

/**
 * How often a batch is tried if the database aborts its transaction (deadlock, lock timeout, lost claim, changed
 * board).
 */
const ATTEMPTS = 3;

// Uses the pool of fixed plans, like all derivations.
const BEGIN_GROUPS = {
  name: 'open_groups',
  text: 'select open_groups($1::uuid, $2::int[], $3::int[], $4::text[])',
};

/** Writes batches under the board's lock, and gives the submissions of failed batches their results. */
export class Retries {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly fairPlay: FairPlay,
  ) {}

  /**
   * One bad submission does not fail the others.
   * @param error error of the last of that many attempts
   * @returns one result per item, even after a failure
   */
  async after(error: unknown, items: Submission[], attempt = 1): Promise<Result[]> {
    if (error instanceof UnknownOutcome) return this.#resolveUnknown(items, error.at);
    if (error instanceof PeriodsDue) await this.#extend(error);
    if (error instanceof GroupsDue) await this.#begin(error);
    if (isRetryable(error) && attempt < ATTEMPTS) return this.write(items, attempt + 1);
    if (isDatabaseAway(error)) return items.map(() => unavailable());
    if (items.length > 1) return this.#oneByOne(items);
    this.log.error({ err: error, eventId: items[0]!.eventId }, 'failed to write a submission');
    return [present(error)];
  }

  /**
   * Writes items of one board under its lock, on their own connection.
   * @returns one result per item, even after a failure
   */
  async write(items: Submission[], attempt = 1): Promise<Result[]> {
    try {
      return await withClient(this.db.pool, (client) => ingest(client, this.clock, items, this.fairPlay));
    } catch (error) {
      return this.after(error, items, attempt);
    }
  }

  /** The job that writes periods in advance has not run for weeks. */
  async #extend({ boardId }: PeriodsDue): Promise<void> {
    try {
      await extendPeriods(this.db.knex, boardId, new Date(this.clock()));
    } catch (error) {
      this.log.warn({ err: error, boardId }, 'failed to write the periods of a view');
    }
  }

  /** With all runs that were left out, in a separate transaction. */
  async #begin({ boardId, groups }: GroupsDue): Promise<void> {
    const values = [
      boardId,
      groups.map(({ view }) => view),
      groups.map(({ period }) => period),
      groups.map(({ group }) => group),
    ];
    try {
      await queryUnhurried(this.db.pool, BEGIN_GROUPS, values);
    } catch (error) {
      this.log.warn({ err: error, boardId }, 'failed to add earlier runs to the groups of a view');
    }
  }

  async #oneByOne(items: Submission[]): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) results.push(...(await this.write([item])));
    return results;
  }

  /**
   * The connection was lost while committing: looks up the stored submissions before any caller gets a response.
   */
  async #resolveUnknown(items: Submission[], lostAt: number): Promise<Result[]> {
    try {
      const outcomes = await committedEvents(this.db, items, lostAt);
      return items.map((item) => outcomes.get(item.eventId) ?? unavailable());
    } catch (error) {
      this.log.warn({ err: error }, 'failed to determine the outcome of a commit');
      return items.map(
        () => new OutcomeUnknown('It is not known whether the submission was stored; send it again'),
      );
    }
  }
}

/** Deadlock, serialization failure, lost claim, changed board, lock timeout: the database aborted a valid transaction. */
function isRetryable(error: unknown): boolean {
  return /^(40...|55P03)$/.test((error as { code?: string }).code ?? '');
}

/** How long the outcome is looked up after a lost commit; after that, callers are told that it is unknown. */
const LOOKUP_TIMEOUT_MS = 10_000;
const RETRY_MILLIS = 100;

interface StoredEvent {
  id: string;
  identity_id: string;
  is_test: boolean;
  disposition: EventDisposition;
  amount: number;
  /** Of a held run: the rank it would have had; null: it is none. */
  held_rank: number | null;
}

/**
 * Returns the submissions that are stored, after a connection was lost while committing them. One with an
 * idempotency key gets the response stored with the key, as its retries do; one without gets the current entry. A
 * submission that is absent under the board's lock may still be on its way to the lost backend, or unread there. So
 * the board gets another `newest_batch`: whenever that batch arrives, it finds the board changed and writes
 * nothing, so absent stays absent.
 * @param lostAt when the connection was lost
 * @returns outcomes and rejections by event id; a missing one was not stored, though it may be a rejection that was
 * only counted.
 */
async function committedEvents(
  db: Database,
  items: Submission[],
  lostAt: number,
): Promise<Map<string, Outcome | DomainError>> {
  const giveUpAt = lostAt + Math.min(LOOKUP_TIMEOUT_MS, db.timeoutSeconds * 1_000);
  // The boards of one transaction are looked up one after another: this limit covers all of them.
  if (Date.now() > giveUpAt) throw unavailable();
  for (;;) {
    try {
      return await lookUp(db, items);
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
    }
  }
}

async function lookUp(db: Database, items: Submission[]): Promise<Map<string, Outcome | DomainError>> {
  const boardId = items[0]!.boardId;
  const client = await db.pool.connect();
  try {
    await client.query('begin isolation level read committed');
    await client.query('select from board_rankings where board_id = $1 for update', [uuidOf(boardId)]);
    const { rows } = await client.query<StoredEvent>(
      `select e.id, e.identity_id, e.is_test, e.disposition, e.amount, h.rank as held_rank from score_events e
       left join held_runs h on h.board_id = e.board_id and h.event_seq = e.seq where e.board_id = $1 and e.id = any($2::uuid[])`,
      [uuidOf(boardId), items.map((item) => uuidOf(item.eventId))],
    );
    if (rows.length < items.length) {
      await client.query('update board_rankings set newest_batch = $2 where board_id = $1', [
        uuidOf(boardId),
        uuid7(),
      ]);
    }
    const counting = rows.filter(({ disposition }) => disposition !== 'rejected');
    const scores = await scoresByEvent(client, boardId, counting);
    const answers = await keyedAnswers(client, items, new Set(rows.map(({ id }) => idOf('scoreEvent', id))));
    await client.query('commit');
    const outcomes = new Map<string, Outcome | DomainError>(
      rows.map(({ id }) => [idOf('scoreEvent', id), new Rejection()]),
    );
    counting.forEach(({ id, amount, held_rank: rank }, i) => {
      const eventId = idOf('scoreEvent', id);
      const score = scores[i]!;
      const kept = score.scoreEventId === eventId;
      outcomes.set(eventId, {
        ...{ score, eventId, kept, previousRank: null },
        ...{ isPersonalBest: rank === null ? null : false, replayed: false },
        ...(rank !== null && { held: { value: amount, rank } }),
      });
    });
    for (const [eventId, answer] of answers) outcomes.set(eventId, answer);
    return outcomes;
  } finally {
    client.release(true);
  }
}

/** The responses stored with these submissions, by event id, which no caller has received yet. */
async function keyedAnswers(
  client: Queryable,
  items: readonly Submission[],
  storedEvents: ReadonlySet<string>,
): Promise<Map<string, Outcome | DomainError>> {
  const keyed = items.filter(({ eventId, idempotency }) => idempotency && storedEvents.has(eventId));
  if (keyed.length === 0) return new Map();
  const { rows } = await client.query<{ event_id: string; answer: StoredAnswer }>(
    `select u.event_id, k.answer from unnest($1::text[], $2::uuid[], $3::text[]) u(event_id, scope, key)
     join idempotency_keys k on k.scope = u.scope and k.key = u.key`,
    [
      keyed.map(({ eventId }) => eventId),
      keyed.map(({ idempotency }) => uuidOf(idempotency!.scope)),
      keyed.map(({ idempotency }) => idempotency!.key),
    ],
  );
  return new Map(
    rows.map(({ event_id, answer }) => {
      const first = revive(answer);
      return [event_id, first instanceof Rejection ? new Rejection() : { ...first, replayed: false }];
    }),
  );
}
