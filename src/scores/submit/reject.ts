import type pg from 'pg';
import { uuidOf } from '../../base/ids.js';
import type { BoardFacts, Facts } from './decide.js';
import type { Verdict } from './fair-play.js';
import { LEAD_MILLIS, RECENT_MILLIS } from './pipeline/recent.js';
import { plainArray, plainArrayOrNull, REJECT, textArrayOrNull } from './statements.js';
import type { Submission } from './submission.js';

/** A submission that is not let count, and the facts that were read about it. */
export interface Rejected {
  item: Submission;
  facts: Facts;
  verdict: Verdict;
  /** As its event would show. */
  playerName: string;
}

/** A rejection whose event is stored. */
export type StoredRejection = Rejected & { seq: number };

/** Whether it is the first one in an hour, whose event is stored. */
export function isStored({ facts }: Rejected, at: Date): boolean {
  const before = facts.rejected_at ?? -Infinity;
  return before <= at.getTime() - RECENT_MILLIS || before > at.getTime() + LEAD_MILLIS;
}

/**
 * Writes rejections: the first one in an hour of a player on a board stores its event, later ones are counted only (decisions.md section 7).
 * @param firstSeq number of the first event
 * @returns those whose events are stored
 */
export async function writeRejections(
  client: pg.PoolClient,
  board: BoardFacts,
  boardId: string,
  at: Date,
  rejected: readonly Rejected[],
  firstSeq: number,
): Promise<StoredRejection[]> {
  const isFirst = (one: Rejected) => isStored(one, at);
  const text = (pick: (rejected: Rejected) => string | null) => textArrayOrNull(rejected.map(pick));
  await client.query({
    ...REJECT,
    values: [
      boardId,
      firstSeq,
      board.account_id,
      board.game_id,
      at,
      plainArray(rejected.map(({ item }) => uuidOf(item.eventId))),
      plainArray(rejected.map(({ item }) => uuidOf(item.identityId))),
      plainArrayOrNull(
        rejected.map(({ item }) => (item.origin.kind === 'client' ? uuidOf(item.origin.deviceId) : null)),
      ),
      plainArray(rejected.map(({ item }) => item.isTest)),
      plainArray(rejected.map(({ item }) => item.amount)),
      text(({ playerName }) => playerName),
      text(({ item }) => item.valueDisplay),
      text(({ item }) => (item.metadata ? JSON.stringify(item.metadata) : null)),
      text(({ item }) => item.place.city),
      text(({ item }) => item.place.country),
      text(({ item }) => item.place.timezone),
      plainArray(rejected.map(isFirst)),
    ],
  });
  return rejected.filter(isFirst).map((stored, i) => ({ ...stored, seq: firstSeq + i }));
}
