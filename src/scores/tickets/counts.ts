import type { ErrorCode } from '../../base/errors.js';
import type { Metrics } from '../../base/metrics.js';
import type { ClockFault } from '../../submissions/facts/submission.js';

const REFUSALS: readonly ErrorCode[] = [
  ...(['TICKET_REQUIRED', 'TICKET_INVALID', 'TICKET_EXPIRED', 'TICKET_STALE', 'TICKET_USED'] as const),
  'ATTEMPTS_USED_UP',
];
const FAULTS: readonly ClockFault[] = ['short', 'rate', 'fast', 'slow'];

/** What this process has seen of tickets, as metrics. */
export class TicketCounts {
  #issued = 0;
  readonly #refusals = new Map<ErrorCode, number>(REFUSALS.map((code) => [code, 0]));
  readonly #faults = new Map<ClockFault, number>(FAULTS.map((fault) => [fault, 0]));

  constructor(metrics: Metrics) {
    metrics.counters(
      'tickets_issued_total',
      'Tickets issued, and those that repeated requests got again.',
      [],
      () => [[{}, this.#issued]],
    );
    metrics.counters(
      'ticket_refusals_total',
      'Runs refused because of their ticket, by error code.',
      ['code'],
      () => [...this.#refusals].map(([code, count]) => [{ code }, count]),
    );
    metrics.counters(
      'clock_faults_total',
      'Stored runs that contradict the clock, by fault.',
      ['fault'],
      () => [...this.#faults].map(([fault, count]) => [{ fault }, count]),
    );
  }

  issued(tickets: number): void {
    this.#issued += tickets;
  }

  /** Other codes are not counted. */
  refused(code: ErrorCode | undefined): void {
    const count = code && this.#refusals.get(code);
    if (count !== undefined) this.#refusals.set(code!, count + 1);
  }

  faulty(fault: ClockFault): void {
    this.#faults.set(fault, this.#faults.get(fault)! + 1);
  }
}
