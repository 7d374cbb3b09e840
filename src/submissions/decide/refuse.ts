import { accountMoved, DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { type TicketSettings, termsOf } from '../../boards/tickets/settings.js';
import { MOVED } from '../../db/moved.js';
import { nonceUsed } from '../../players/sessions/nonce.js';
import { type TicketBody, ticketRefusal } from '../../players/tickets/ticket.js';
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
  return refuseRequest(board, facts, item, at) ?? refuseNonce(board?.tickets ?? null, facts, item);
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
    return (
      refuseClient(facts, origin.version) ??
      refuseRun(board, origin.gameId, at) ??
      refuseUnproven(board!.proof, facts)
    );
  }
  if (board?.account_status === MOVED) return accountMoved();
  if (!board?.live) return new DomainError('NOT_FOUND', 'Board not found');
  if (!origin.superAdmin && board.account_id !== uuidOf(origin.accountId)) {
    return new DomainError('FORBIDDEN', 'This board belongs to another account.');
  }
  if (origin.games && !origin.games.some((game) => uuidOf(game) === board.game_id)) {
    return new DomainError('FORBIDDEN', 'This board belongs to a game that this API key does not reach.');
  }
  if (facts.identity_game_id === null || facts.identity_deleted) {
    return new DomainError('NOT_FOUND', 'Identity not found');
  }
  if (facts.identity_game_id !== board.game_id) {
    return new DomainError('BOARD_NOT_IN_GAME', 'This identity belongs to another game than the board.');
  }
  return refuseBoard(board, at);
}

function refuseUnproven(proof: BoardFacts['proof'], facts: Facts): DomainError | undefined {
  if (proof === 'off' || facts.identity_proven) return undefined;
  return new DomainError(
    'PROOF_REQUIRED',
    'This board counts only runs of players who have signed in. Sign in, then submit again.',
  );
}

/** What says if a board takes runs of a game's client. */
export type OpenBoard = Pick<
  BoardFacts,
  'account_status' | 'live' | 'game_id' | 'board_type' | 'is_active' | 'starts_at' | 'ends_at'
>;

/** The refusal of a client's run on a board, whatever its credential says. @param at epoch milliseconds */
export function refuseRun(board: OpenBoard | undefined, gameId: string, at: number): DomainError | undefined {
  if (board?.account_status === MOVED) return accountMoved();
  if (!board?.live) return new DomainError('NOT_FOUND', 'Board not found');
  if (board.game_id !== uuidOf(gameId)) {
    return new DomainError('BOARD_NOT_IN_GAME', 'This board belongs to another game than the session.');
  }
  if (board.account_status !== 'active') {
    return new DomainError('ACCOUNT_SUSPENDED', 'This account is suspended.');
  }
  return refuseBoard(board, at);
}

function refuseBoard(board: OpenBoard, at: number): DomainError | undefined {
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

/** Game servers need neither nonce nor ticket. */
function refuseNonce(
  settings: TicketSettings | null,
  { nonce_used: isUsed }: SubmissionFacts,
  { origin }: Submission,
): DomainError | undefined {
  if (origin.kind !== 'client') return undefined;
  const { nonce } = origin;
  const ticket = 'terms' in nonce ? nonce : undefined;
  const isRefused = 'fault' in nonce && nonce.fault.code.startsWith('TICKET_');
  if (settings?.mode === 'required' && !ticket && !isRefused) return ticketRefusal('TICKET_REQUIRED');
  if ('fault' in nonce) return nonce.fault;
  if (settings && ticket && isStale(settings, ticket)) return ticketRefusal('TICKET_STALE');
  if (!isUsed) return undefined;
  return ticket ? ticketRefusal('TICKET_USED') : nonceUsed();
}

function isStale(settings: TicketSettings, { terms, attempt }: TicketBody): boolean {
  // Issued before attempts were limited: it took none.
  const isUncounted = settings.attempts !== null && attempt === 0;
  return isUncounted || terms !== termsOf(settings);
}
