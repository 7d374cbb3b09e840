import { type DomainError, isDatabaseAway, unavailable } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import type { Database } from '../../db/pool.js';
import { scoresByEvent } from '../read/read.js';
import type { Disposition } from './decide.js';
import { Rejection } from './outcome.js';
import type { Outcome, Submission } from './submission.js';

/** How long the outcome is looked up after a lost commit; then callers get the answer that it is unknown. */
const PATIENCE_MILLIS = 10_000;
const PAUSE_MILLIS = 100;

interface StoredEvent {
  id: string;
  identity_id: string;
  is_test: boolean;
  disposition: Disposition;
}

/**
 * Returns the submissions that are stored, after a connection was lost while committing them. A submission that is absent
 * under the board's lock may still be on its way to the lost backend, or unread there. The board therefore gets another
 * `newest_batch`: that batch, whenever it is read, finds the board changed and writes nothing, so absent stays absent.
 * @param lostAt when the connection was lost
 * @returns outcomes and rejections by event id; one that is missing was not stored, though it may be a rejection that was
 * only counted.
 */
export async function committedEvents(
  db: Database,
  items: Submission[],
  lostAt: number,
): Promise<Map<string, Outcome | DomainError>> {
  const giveUpAt = lostAt + Math.min(PATIENCE_MILLIS, db.timeoutSeconds * 1_000);
  // The boards of one transaction are looked up one after the other: this limit is for all of them.
  if (Date.now() > giveUpAt) throw unavailable();
  for (;;) {
    try {
      return await lookUp(db, items);
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
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
      'select id, identity_id, is_test, disposition from score_events where board_id = $1 and id = any($2::uuid[])',
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
    await client.query('commit');
    const outcomes = new Map<string, Outcome | DomainError>(
      rows.map(({ id }) => [idOf('scoreEvent', id), new Rejection()]),
    );
    counting.forEach(({ id }, i) => {
      const eventId = idOf('scoreEvent', id);
      const score = scores[i]!;
      const kept = score.scoreEventId === eventId;
      outcomes.set(eventId, { score, eventId, kept, previousRank: null, replayed: false });
    });
    return outcomes;
  } finally {
    client.release(true);
  }
}
