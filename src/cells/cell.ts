import { PeriodicTask } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { NameClaims, NameKind, Names } from '../db/names.js';
import type { Queryable } from '../db/pool.js';
import { TransactionClaims } from './claims.js';
import { Directory } from './directory.js';
import { forgetClaims, settleClaims } from './settle.js';

/** A writer has ended by then, or is cut by the timeouts of its session. */
const CLAIM_MS = 60_000;
const SWEEP_INTERVAL_MS = 15_000;

export interface CellOptions {
  /** Its name in the directory. */
  cell: string;
  directoryUrl: string;
  pool: Queryable;
  log: Log;
  /** Time until a claim counts as left by a dead writer; tests make it small. */
  claimMillis?: number;
  sweepMillis?: number;
}

/** Returns the cell that {@link CellNames.mark} wrote into a token. */
export function cellOfToken(token: string): string | undefined {
  return /^[\w-]+\.([a-z0-9-]+)$/.exec(token)?.[1];
}

/** The names of a cell that shares a directory with others, and the sweeper that settles what killed writers left. */
export class CellNames implements Names {
  readonly directory: Directory;
  readonly #sweeper: PeriodicTask;

  constructor(private readonly options: CellOptions) {
    this.directory = new Directory(options.directoryUrl);
    this.#sweeper = new PeriodicTask(() => this.sweep(), {
      everyMillis: options.sweepMillis ?? SWEEP_INTERVAL_MS,
      log: options.log,
      failure: 'failed to clean up unfinished name claims',
    });
  }

  start(): void {
    this.#sweeper.start();
  }

  begin(): NameClaims {
    return new TransactionClaims({ ...this.options, directory: this.directory });
  }

  startingWith(kind: NameKind, start: string): Promise<string[]> {
    return this.directory.startingWith(kind, start);
  }

  mark(token: string): string {
    return `${token}.${this.options.cell}`;
  }

  /** Settles claims whose writers are gone. @returns how many */
  async sweep(): Promise<number> {
    const { cell, pool, claimMillis = CLAIM_MS } = this.options;
    const claims = await this.directory.openSince(cell, claimMillis);
    await settleClaims(pool, this.directory, claims);
    await forgetClaims(pool, this.directory);
    return claims.length;
  }

  async close(): Promise<void> {
    await this.#sweeper.close();
    await this.directory.close();
  }
}
