import { administers } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import type { ScoreEvent } from './event.js';
import { Score } from './score.js';

const HIDDEN = { city: null, country: null, timezone: null };

type VisibilityParts = Pick<Context, 'caller'>;

/** True if the caller belongs to the account or plays the game. All others see the published part, as visitors do. */
export function isInside(
  asking: VisibilityParts,
  { accountId, gameId }: { accountId: string; gameId: string },
): boolean {
  const { caller } = asking;
  return administers(asking, accountId) || (caller.kind === 'client' && caller.gameId === gameId);
}

/**
 * A score as the caller may see it: a caller who does not administer its account gets no place, device or event
 * (decisions.md section 6).
 */
export function scoreFor(asking: VisibilityParts, score: Score): Score {
  return administers(asking, score.accountId) ? score : withoutOrigin(score);
}

/** A rejected score is visible to administrators and its own player only (decisions.md section 6). */
export function maySee(asking: VisibilityParts, { accountId, identityId, status }: Score): boolean {
  const { caller } = asking;
  if (status !== 'rejected' || administers(asking, accountId)) return true;
  return caller.kind === 'client' && caller.identityId === identityId;
}

/** A score without place, device and event. */
export function withoutOrigin(score: Score): Score {
  const shown = Score.of(score);
  shown.deviceId = null;
  shown.scoreEventId = null;
  return Object.assign(shown, HIDDEN);
}

/** An event as the caller may see it: game clients see their own, without the place. */
export function eventFor<E extends ScoreEvent | undefined>({ caller }: Pick<Context, 'caller'>, event: E): E {
  return caller.kind === 'admin' || !event ? event : Object.assign(event, HIDDEN);
}
