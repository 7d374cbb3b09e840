import { accountMoved, DomainError } from '../../base/errors.js';
import { MOVED } from '../../db/moved.js';
import { nonceUsed } from '../../players/sessions/nonce.js';
import type { Submission } from '../facts/submission.js';
import type { SubmissionFacts } from './batch.js';
import type { BoardFacts, Facts } from './decide.js';

/**
 * Returns the first refusal that applies, because of the caller, board, time or nonce. The fair-play checks follow
 * later. `at` is epoch milliseconds.
 */
export function refuse(
  board: BoardFacts | undefined,
  facts: SubmissionFacts,
  item: Submission,
  at: number,
): DomainError | undefined {
  return (
    refuseRequest(board, facts, item, at) ?? nonceFault(item) ?? (facts.nonce_used ? nonceUsed() : undefined)
  );
}

const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** `24 Nov 2026, 18:00 UTC` */
function shown(moment: Date): string {
  return `${MOMENT.format(moment)} UTC`;
}

function refuseRequest(
  board: BoardFacts | undefined,
  facts: Facts,
  item: Submission,
  at: number,
): DomainError | undefined {
  const { origin } = item;
  if (origin.kind === 'client') {
    const fault = refuseClient(facts, origin.version);
    if (fault) return fault;
  }
  if (board?.account_status === MOVED) return accountMoved();
  if (!board?.live) return new DomainError('NOT_FOUND', 'Board not found');
  if (origin.kind === 'client') {
    if (board.game_id !== origin.gameId.slice(4)) {
      return new DomainError('BOARD_NOT_IN_GAME', 'This board belongs to another game than the session.');
    }
    if (board.account_status !== 'active') {
      return new DomainError('ACCOUNT_SUSPENDED', 'This account is suspended.');
    }
  } else {
    if (!origin.superAdmin && board.account_id !== origin.accountId.slice(4)) {
      return new DomainError('FORBIDDEN', 'This board belongs to another account.');
    }
    if (origin.games && !origin.games.some((game) => game.slice(4) === board.game_id)) {
      return new DomainError('FORBIDDEN', 'This board belongs to a game that this API key does not reach.');
    }
    if (facts.identity_game_id === null || facts.identity_deleted) {
      return new DomainError('NOT_FOUND', 'Identity not found');
    }
    if (facts.identity_game_id !== board.game_id) {
      return new DomainError('BOARD_NOT_IN_GAME', 'This identity belongs to another game than the board.');
    }
  }
  if (board.board_type === 'ratio') {
    return new DomainError(
      'WRONG_BOARD_TYPE',
      'A ratio board does not accept submissions. Submit to its source boards instead.',
    );
  }
  if (!board.is_active) return new DomainError('BOARD_CLOSED', 'This board is not active.');
  if (board.starts_at && at < board.starts_at.getTime()) {
    return new DomainError('BOARD_CLOSED', `This board starts on ${shown(board.starts_at)}.`);
  }
  if (board.ends_at && at >= board.ends_at.getTime()) {
    return new DomainError('BOARD_CLOSED', `This board ended on ${shown(board.ends_at)}.`);
  }
  return undefined;
}

function refuseClient(facts: Facts, version: number): DomainError | undefined {
  const gone =
    facts.session_status !== 'active' ||
    facts.session_deleted ||
    facts.session_version !== version ||
    facts.device_deleted !== false ||
    facts.identity_deleted !== false;
  if (gone)
    return new DomainError('INVALID_TOKEN', 'The access token is no longer valid. Start a new session.');
  if (facts.device_status !== 'active') {
    return new DomainError('DEVICE_BLOCKED', `This device is ${facts.device_status}.`);
  }
  return undefined;
}

/** The refusal because of the nonce itself, before its use is looked up. */
function nonceFault({ origin }: Submission): DomainError | undefined {
  return origin.kind === 'client' && 'fault' in origin.nonce ? origin.nonce.fault : undefined;
}
