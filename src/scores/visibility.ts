import { type Board, PublicField } from '../boards/board/board.js';
import { administers } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { isHidden } from '../rankings/kept-entry.js';
import { Score } from '../rankings/score.js';
import type { WindowDetail } from '../rankings/window-sql.js';
import type { ScoreEvent } from './event.js';

const HIDDEN = { city: null, country: null, timezone: null };

type VisibilityParts = Pick<Context, 'caller'>;

/** True if the caller belongs to the account or plays the game. All others see the published part, as visitors do. */
export function isInside(
  asking: VisibilityParts,
  { accountId, gameId }: { accountId: string; gameId: string },
): boolean {
  const { caller } = asking;
  return administers(asking, { accountId, gameId }) || (caller.kind === 'client' && caller.gameId === gameId);
}

/** A score as the caller may see it: callers who do not administer its account get no location, device or event. */
export function scoreFor(asking: VisibilityParts, score: Score): Score {
  return administers(asking, score) ? score : withoutOrigin(score);
}

/**
 * The metadata of scores is for the studio and its game; visitors see it if the board's `publicFields` include it.
 */
function seesMetadata(asking: VisibilityParts, board: PublishedBoard): boolean {
  return isInside(asking, board) || board.publicFields.includes(PublicField.METADATA);
}

type PublishedBoard = Pick<Board, 'accountId' | 'gameId' | 'publicFields'>;

/** How much of a board's scores a caller may see. */
export function detailFor(asking: VisibilityParts, board: PublishedBoard): WindowDetail {
  if (administers(asking, board)) return 'all';
  return seesMetadata(asking, board) ? 'withoutOrigin' : 'withoutMetadata';
}

/** A score that was read in full, reduced to this detail. */
export function shownIn(detail: WindowDetail, score: Score): Score {
  if (detail === 'all') return score;
  const shown = withoutOrigin(score);
  if (detail === 'withoutMetadata') shown.metadata = null;
  return shown;
}

/** A rejected or provisional score is visible to administrators and its own player only. */
export function maySee(asking: VisibilityParts, score: Score): boolean {
  const { caller } = asking;
  if (!isHidden(score) || administers(asking, score)) return true;
  return caller.kind === 'client' && caller.identityId === score.identityId;
}

/** A score without location, device and event. */
export function withoutOrigin(score: Score): Score {
  const shown = Score.of(score);
  shown.deviceId = null;
  shown.scoreEventId = null;
  return Object.assign(shown, HIDDEN);
}

/** An event as the caller may see it: game clients see their own, without the location. */
export function eventFor<E extends ScoreEvent | undefined>({ caller }: Pick<Context, 'caller'>, event: E): E {
  return caller.kind === 'admin' || !event ? event : Object.assign(event, HIDDEN);
}
