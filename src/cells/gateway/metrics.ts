import { AggregatorRegistry } from 'prom-client';
import {
  METRICS_FORMAT,
  Metrics,
  type MetricsSnapshot,
  type MetricsSource,
  type Reading,
} from '../../base/metrics.js';
import { type Answered, requestMetrics } from '../../server/http/request-log.js';
import type { Directory } from '../directory.js';
import type { CellState } from './cell-state.js';
import type { CellPlaces } from './places.js';

/** The metrics of a gateway: its own, and those of each cell's service under the label `cell`. */
export class GatewayMetrics implements MetricsSource {
  readonly contentType = METRICS_FORMAT;
  readonly own = new Metrics();
  /** For requests that reached no cell. */
  readonly answered: Answered;
  /** Requests that met an account which had moved. */
  misdirected = 0;
  #oldestClaim: number | undefined;

  constructor(
    private readonly cells: readonly CellState[],
    places: CellPlaces,
    directory: Directory,
  ) {
    const { own } = this;
    this.answered = requestMetrics(own);
    own.gauges('cell_up', 'Cells that are reachable.', ['cell'], () =>
      cells.map(({ id, serving }): Reading<'cell'> => [{ cell: id }, serving ? 1 : 0]),
    );
    own.counters('directory_lookups_total', 'Directory lookups by outcome.', ['kind', 'outcome'], () =>
      Object.entries(places.counts).flatMap(([kind, counts]) =>
        Object.entries(counts).map(
          ([outcome, count]): Reading<'kind' | 'outcome'> => [{ kind, outcome }, count],
        ),
      ),
    );
    own.counters('misdirected_requests_total', 'Requests sent to a cell whose account had moved.', [], () => [
      [{}, this.misdirected],
    ]);
    own.onScrape(async () => {
      this.#oldestClaim = undefined;
      this.#oldestClaim = await directory.oldestClaimSeconds();
    });
    own.gauges('directory_oldest_claim_seconds', 'Age of the oldest unsettled name claim.', [], () =>
      this.#oldestClaim === undefined ? [] : [[{}, this.#oldestClaim]],
    );
  }

  async text(): Promise<string> {
    const cells = this.cells.map(async ({ id, app }) => labelled((await app?.appMetrics()) ?? [], id));
    const snapshots = await Promise.all([this.own.snapshot(), ...cells]);
    return AggregatorRegistry.aggregate(snapshots).metrics();
  }
}

function labelled(snapshot: MetricsSnapshot, cell: string): MetricsSnapshot {
  return snapshot.map((metric) => ({
    ...metric,
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, cell } })),
  })) as MetricsSnapshot;
}
