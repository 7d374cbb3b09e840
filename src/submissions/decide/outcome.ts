import { DomainError } from '../../base/errors.js';
import { idOf } from '../../base/ids.js';
import { Score } from '../../rankings/score.js';
import type { Outcome, Submission } from '../facts/submission.js';
import type { BoardFacts, Decision } from './decide.js';

/** An outcome as stored with an idempotency key: JSON, so its times are text. */
type StoredOutcome = Omit<Outcome, 'score' | 'change' | 'measure'> & {
  score: Omit<Score, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string };
};

/** The response to a submission rejected by the fair-play checks. */
export class Rejection extends DomainError {
  /** @param replayed true if this is a replay for an idempotency key */
  constructor(readonly replayed = false) {
    super(
      'SCORE_REJECTED',
      'The score is rejected: this player has submitted too often to this board within an hour; try again later',
    );
  }
}

/** The response as stored with an idempotency key. */
export type StoredAnswer = StoredOutcome | { rejected: true };

/** Converts a response to its stored form. */
export function stored(
  result: Outcome | DomainError,
): Omit<Outcome, 'change' | 'measure'> | { rejected: true } {
  if (result instanceof DomainError) return { rejected: true };
  const { change: _, measure: __, ...answer } = result;
  return answer;
}

/** The response to a decided submission, with the ranks after its commit. */
export function outcomeOf(
  board: BoardFacts,
  item: Submission,
  { entry, personalBest, held }: Decision,
  { rank, displayRank }: Pick<Score, 'rank' | 'displayRank'>,
  rankBefore: number | null,
): Outcome {
  const score = Score.of({
    id: idOf('score', entry.id),
    accountId: idOf('account', board.account_id),
    gameId: idOf('game', board.game_id),
    boardId: item.boardId,
    identityId: item.identityId,
    deviceId: entry.deviceId && idOf('device', entry.deviceId),
    scoreEventId: idOf('scoreEvent', entry.eventId),
    playerName: entry.playerName,
    value: entry.value,
    valueDisplay: entry.valueDisplay,
    city: entry.city,
    country: entry.country,
    timezone: entry.timezone,
    metadata: entry.metadata,
    rank,
    displayRank,
    amongRank: null,
    status: entry.status,
    isTest: item.isTest,
    isPlaceholder: false,
    createdAt: entry.createdAt,
    updatedAt: entry.updatedAt,
  });
  const kept = score.scoreEventId === item.eventId;
  const answer = { score, eventId: item.eventId, kept, previousRank: rankBefore, ...(held && { held }) };
  return {
    ...answer,
    ...{ isPersonalBest: personalBest, replayed: false, measure: board.measure },
    ...(item.wantedViews && { standings: [] }),
  };
}

/** Restores the first response. */
export function revive(stored: StoredAnswer): Outcome | Rejection {
  if ('rejected' in stored) return new Rejection(true);
  const { createdAt, updatedAt } = stored.score;
  // Responses stored before a field was added lack it.
  const lacking = { displayRank: stored.score.rank, amongRank: null };
  const score = Object.assign(new Score(), lacking, stored.score, {
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  });
  const standings = stored.standings?.map((one) => ({ ...one, displayRank: one.displayRank ?? one.rank }));
  return { ...stored, score, ...(standings && { standings }), replayed: true };
}
