import type { Log } from '../../base/log.js';
import type { MetricsSnapshot } from '../../base/metrics.js';
import type { ChosenService } from '../../server/server.js';

/** The service of one cell, as a gateway uses it. */
export interface CellService {
  service: ChosenService;
  /** True if the cell's database responds now, with a schema that this release can work with. */
  answers(): Promise<boolean>;
  appMetrics(): Promise<MetricsSnapshot>;
}

/** One cell of a gateway. Its service is absent until its database could be opened. */
export class CellState {
  #app: CellService | undefined;
  #up = false;

  constructor(
    readonly id: string,
    private readonly log: Log,
  ) {}

  /** The service, if requests can be sent to it. */
  get serving(): CellService | undefined {
    return this.#up ? this.#app : undefined;
  }

  get app(): CellService | undefined {
    return this.#app;
  }

  attach(app: CellService): void {
    this.#app = app;
    this.#up = true;
  }

  async look(): Promise<void> {
    if (!this.#app) return;
    const up = await this.#app.answers();
    if (up !== this.#up) {
      if (up) this.log.info({ cell: this.id }, 'the cell is up again');
      else
        this.log.error(
          { cell: this.id },
          'the cell is down; requests for its accounts get 503 until it recovers',
        );
    }
    this.#up = up;
  }
}
