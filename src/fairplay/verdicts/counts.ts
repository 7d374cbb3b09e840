import { BucketCounts, type Metrics } from '../../base/metrics.js';
import { RunVerdict } from '../../scores/verdicts/verdict.js';

const VERDICTS: readonly RunVerdict[] = Object.values(RunVerdict);
/** Seconds from a stored recording to its verdict. */
const LAG_BOUNDS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

/** Verdicts that this process has stored, as metrics. */
export class VerdictCounts {
  readonly #verdicts = new Map<RunVerdict, number>(VERDICTS.map((verdict) => [verdict, 0]));
  readonly #lag = new BucketCounts(LAG_BOUNDS);

  constructor(metrics: Metrics) {
    metrics.counters('verdicts_total', 'Verdicts of verifiers on runs, by verdict.', ['verdict'], () =>
      [...this.#verdicts].map(([verdict, count]) => [{ verdict }, count]),
    );
    metrics.histogram(
      'verify_lag_seconds',
      'Seconds from a stored recording to the first verdict on it.',
      () => [[{}, this.#lag]],
    );
  }

  /** @param lagMs since its recording was stored; null: it is of a pass */
  count(verdict: RunVerdict, lagMs: number | null): void {
    this.#verdicts.set(verdict, this.#verdicts.get(verdict)! + 1);
    if (lagMs !== null) this.#lag.observe(Math.max(0, lagMs) / 1_000);
  }
}
