import type { BoardType } from '../../boards/board/board.js';
import type { ClockSettings } from '../../boards/tickets/settings.js';
import type { ClockFault, Submission, TicketRun } from '../facts/submission.js';
import type { BoardFacts } from './decide.js';

export interface ClockFinding {
  fault: ClockFault;
  /** Length of the run in seconds, where it is known. */
  runSeconds?: number;
}

/** A run and the time between its ticket and its arrival. */
export interface ClockedRun extends Pick<TicketRun, 'elapsedMs' | 'idleMs' | 'runMs' | 'advance'> {
  boardType: BoardType;
  /** The value; on counter boards, the delta. */
  amount: number;
  /** How many of a value are a second, on boards of times; undefined: values are no times. */
  second: number | undefined;
}

/** A proportional part of the tolerance: games that drop frames fall behind the clock a little. */
const DRIFT = 0.02;

/** The first contradiction between a run and the time that passed, by the service's clocks; undefined: there is none. */
export function clockFinding(
  { minSeconds, maxPerSecond, slackSeconds, pauses }: ClockSettings,
  { boardType, amount, second, elapsedMs, idleMs, runMs, advance }: ClockedRun,
): ClockFinding | undefined {
  const elapsed = elapsedMs / 1_000;
  // Fetched ahead: it isn't known when the run began, and whoever plays offline submits many runs at once.
  if (!advance && elapsed < minSeconds) return { fault: 'short' };
  if (maxPerSecond !== null && amount > (elapsed + slackSeconds) * maxPerSecond) return { fault: 'rate' };
  const isTime = second !== undefined && boardType !== 'counter';
  const runSeconds = isTime ? amount / second : runMs === null ? undefined : runMs / 1_000;
  if (runSeconds === undefined) return undefined;
  if (runSeconds > elapsed + slackSeconds) return { fault: 'fast', runSeconds };
  const isSlow = elapsed - idleMs / 1_000 - runSeconds > slackSeconds + runSeconds * DRIFT;
  return isSlow && !pauses && !advance ? { fault: 'slow', runSeconds } : undefined;
}

/** How many of a board's values are a second; undefined: its values are no times. */
function secondOf({ measure }: BoardFacts): number | undefined {
  if (measure?.format?.kind !== 'time') return undefined;
  return measure.format.timeUnit === 'milliseconds' ? 1_000 : 1;
}

export function ticketOf({ origin }: Submission): TicketRun | undefined {
  return origin.kind === 'client' && 'terms' in origin.nonce ? origin.nonce : undefined;
}

/** The run of a submission with a ticket to a board with tickets; undefined: it has none. */
export function clockedRun(board: BoardFacts, item: Submission): ClockedRun | undefined {
  const ticket = board.tickets ? ticketOf(item) : undefined;
  if (!ticket) return undefined;
  const { elapsedMs, idleMs, runMs, advance } = ticket;
  const { board_type: boardType } = board;
  return { boardType, amount: item.amount, second: secondOf(board), elapsedMs, idleMs, runMs, advance };
}

/** @returns undefined without a ticket, a clock check or a contradiction */
export function clockFindingOf(board: BoardFacts, item: Submission): ClockFinding | undefined {
  const run = clockedRun(board, item);
  return run && board.tickets?.clock ? clockFinding(board.tickets.clock, run) : undefined;
}
