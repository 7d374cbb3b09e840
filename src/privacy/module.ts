import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Database } from '../db/pool.js';
import type { Module } from '../graphql/schema.js';
import { ErasureList } from './list.js';
import { refuseObjects } from './recorded.js';
import { PrivacyResolver } from './resolver.js';
import { ErasureWorker } from './worker.js';

interface PrivacyParts {
  database: Database;
  clock: Clock;
  log: Log;
  /** Marks a topic here and announces it to the other processes. */
  changed(topic: string): void;
  settings: { dataDir: string; recordingsStore: string | undefined };
}

interface PrivacyModule extends Module {
  /** Starts the periodic work. */
  start(): void;
  close(): Promise<void>;
}

/** Export and erasure of a player's personal data. */
export function privacyModule({ database, clock, log, changed, settings }: PrivacyParts): PrivacyModule {
  const worker = new ErasureWorker(database, clock, log, changed);
  const refuse = async (players: readonly string[]) => {
    if (settings.recordingsStore === undefined) await refuseObjects(database.pool, players);
  };
  const list = new ErasureList(database.pool, settings.dataDir, log);
  return {
    resolvers: [new PrivacyResolver(worker, list, refuse)],
    nodes: [],
    start: () => {
      worker.start();
      list.start();
    },
    close: async () => {
      await Promise.all([worker.close(), list.close()]);
    },
  };
}
