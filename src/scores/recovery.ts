import type { Database } from '../db/pool.js';
import { isDatabaseAway } from '../errors.js';
import { idOf, uuidOf } from '../ids.js';
import { scoresByEvent } from './read.js';
import type { Outcome, Submission } from './submission.js';

/** How long the outcome of a broken commit is looked for before its callers are told that it is not known. */
const PATIENCE_MILLIS = 10_000;
const PAUSE_MILLIS = 100;

/**
 * Which of the submissions are stored, after a connection was lost while committing them. The board's lock comes first:
 * the lost backend holds it to its end, so what is absent under the lock is absent for ever.
 * @returns outcomes by event id; one that is missing was not stored.
 */
export async function committedEvents(db: Database, items: Submission[]): Promise<Map<string, Outcome>> {
  const giveUpAt = Date.now() + PATIENCE_MILLIS;
  for (;;) {
    try {
      return await lookUp(db, items);
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
    }
  }
}

async function lookUp(db: Database, items: Submission[]): Promise<Map<string, Outcome>> {
  const boardId = items[0]!.boardId;
  const client = await db.pool.connect();
  try {
    await client.query('begin isolation level read committed');
    await client.query('select from board_rankings where board_id = $1 for update', [uuidOf(boardId)]);
    const { rows } = await client.query<{ id: string; seq: number; identity_id: string; is_test: boolean }>(
      'select id, seq, identity_id, is_test from score_events where board_id = $1 and id = any($2::uuid[])',
      [uuidOf(boardId), items.map((item) => uuidOf(item.eventId))],
    );
    const scores = await scoresByEvent(client, boardId, rows);
    await client.query('commit');
    return new Map(
      rows.map((row, i) => [
        idOf('scoreEvent', row.id),
        {
          score: scores[i]!,
          eventId: idOf('scoreEvent', row.id),
          kept: scores[i]!.scoreEventId === idOf('scoreEvent', row.id),
          previousRank: null,
          replayed: false,
        },
      ]),
    );
  } finally {
    client.release(true);
  }
}
