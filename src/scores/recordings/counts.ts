import type { Metrics } from '../../base/metrics.js';

const OUTCOMES = ['stored', 'hash', 'not_wanted', 'read'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** What this process did with recordings, as metrics. */
export class RecordingCounts {
  readonly #outcomes = new Map<Outcome, number>(OUTCOMES.map((outcome) => [outcome, 0]));
  #bytes = 0;

  constructor(metrics: Metrics, uploads: () => number) {
    metrics.counters(
      'recordings_total',
      'Recordings stored, refused (another hash, not wanted) and read, by outcome.',
      ['outcome'],
      () => [...this.#outcomes].map(([outcome, count]) => [{ outcome }, count]),
    );
    metrics.counters('recording_bytes_total', 'Bytes of recordings stored.', [], () => [[{}, this.#bytes]]);
    metrics.gauge('recording_uploads', 'Recordings that are being received.', uploads);
  }

  count(outcome: Outcome, times = 1): void {
    this.#outcomes.set(outcome, this.#outcomes.get(outcome)! + times);
  }

  stored(bytes: number): void {
    this.count('stored');
    this.#bytes += bytes;
  }
}
