import { DomainError } from '../base/errors.js';
import { type Board, PublicField } from '../boards/board/board.js';
import { type Access, administers, requireRight } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import type { Right } from '../graphql/rights.js';
import { isHidden } from '../rankings/kept-entry.js';
import { Score } from '../rankings/score.js';
import type { WindowDetail } from '../rankings/window-sql.js';
import type { ScoreEvent } from './event.js';

const HIDDEN = { city: null, country: null, timezone: null };

type VisibilityParts = Pick<Context, 'caller'>;

interface OfGame {
  accountId: string;
  gameId: string;
}

/** Keys with the right `test` instead of `read` administer the test population alone. */
export function administersPopulation(asking: VisibilityParts, record: OfGame, isTest: boolean): boolean {
  return administers(asking, record) || (isTest && administers(asking, record, 'test'));
}

/**
 * True if the caller belongs to the account or plays the game. All others see the published part, as visitors do.
 * @param isTest of the test population alone
 */
export function isInside(asking: VisibilityParts, record: OfGame, isTest = false): boolean {
  const { caller } = asking;
  return (
    administersPopulation(asking, record, isTest) ||
    (caller.kind === 'client' && caller.gameId === record.gameId)
  );
}

/**
 * The population that an operation for `read` or `test` is about: tests, for a key that reads nothing else.
 * @param others rights that read all of it, too
 * @throws DomainError FORBIDDEN when such a key names another
 */
export function askedPopulation<T>(asking: Access, isTest: T, ...others: Right[]): T | true {
  const { caller } = asking;
  const all: Right[] = ['read', ...others];
  if (caller.kind !== 'admin' || all.some((right) => caller.rights.includes(right))) return isTest;
  if (isTest != null && (isTest as unknown) !== true) requireRight(asking, 'read');
  return true;
}

/**
 * Callers who see production alone must not take it for the tests that they name.
 * @throws DomainError FORBIDDEN
 */
export function requireTests(asking: VisibilityParts, record: OfGame, isTest: unknown): void {
  if (isTest !== true || administersPopulation(asking, record, true)) return;
  const { caller } = asking;
  if (caller.kind === 'client' && caller.gameId === record.gameId && caller.testMode) return;
  throw testsRefused();
}

export function testsRefused(): DomainError {
  return new DomainError('FORBIDDEN', 'Test data is only for administrators and for sessions in test mode.');
}

/** A score as the caller may see it: callers who do not administer its account get no location, device or event. */
export function scoreFor(asking: VisibilityParts, score: Score): Score {
  return administersPopulation(asking, score, score.isTest) ? score : withoutOrigin(score);
}

/**
 * The metadata of scores is for the studio and its game; visitors see it if the board's `publicFields` include it.
 */
function seesMetadata(asking: VisibilityParts, board: PublishedBoard, isTest: boolean): boolean {
  return isInside(asking, board, isTest) || board.publicFields.includes(PublicField.METADATA);
}

type PublishedBoard = Pick<Board, 'accountId' | 'gameId' | 'publicFields'>;

/** Splits are, like metadata, for the studio and its game, and for visitors where the board says so. */
export function seesSplits(asking: VisibilityParts, board: PublishedBoard, isTest: boolean): boolean {
  return isInside(asking, board, isTest) || board.publicFields.includes(PublicField.SPLITS);
}

/** How much of a board's scores a caller may see. @param isTest of tests alone */
export function detailFor(asking: VisibilityParts, board: PublishedBoard, isTest: boolean): WindowDetail {
  if (administersPopulation(asking, board, isTest)) return 'all';
  return seesMetadata(asking, board, isTest) ? 'withoutOrigin' : 'withoutMetadata';
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
  if (!isHidden(score) || administersPopulation(asking, score, score.isTest)) return true;
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
