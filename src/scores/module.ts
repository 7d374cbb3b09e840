import type { Clock } from '../clock.js';
import type { Changes } from '../db/changes.js';
import type { Database } from '../db/pool.js';
import type { Module } from '../graph/module.js';
import type { Log } from '../log.js';
import type { Nonces } from '../players/nonce.js';
import { BATCHER_DEFAULTS, Batcher, type BatcherOptions } from './batcher.js';
import { ScoreEventResolver } from './event-resolver.js';
import { loadEvent } from './events-read.js';
import { boardChangedFeed, LiveResolver } from './live-resolver.js';
import { scoreLoaders } from './loaders.js';
import {
  BoardScoresResolver,
  loadScore,
  PublicBoardScoresResolver,
  ScoreResolver,
} from './score-resolver.js';
import { CreateScoreEventResolver, SubmitScoreResolver } from './submit-resolver.js';
import { VersionWatch } from './version-watch.js';

export interface ScoresParts {
  db: Database;
  clock: Clock;
  log: Log;
  changes: Changes;
  /** Marks a topic here and announces it to the other processes. */
  changed(topic: string): void;
  nonces: Nonces;
  /** Of the service's own headers, e.g. `service`. */
  headerPrefix: string;
  batching?: BatcherOptions;
}

export interface ScoresModule extends Module {
  batcher: Batcher;
  /** Begins the work that goes on beside requests: looking at versions. */
  start(): void;
  close(): Promise<void>;
}

/** Submissions, scores with their ranks, score events, and the live feed. */
export function scoresModule(parts: ScoresParts): ScoresModule {
  const { db, clock, log, changes, changed, nonces, headerPrefix, batching = BATCHER_DEFAULTS } = parts;
  const batcher = new Batcher(db, clock, log, changed, batching);
  const versions = new VersionWatch(db.pool, changes, log);
  const loaders = scoreLoaders(db.pool);
  const submitting = { batcher, nonces, replayedHeader: `${headerPrefix}-replayed` };
  return {
    resolvers: [
      new ScoreResolver(db.pool, loaders),
      new BoardScoresResolver(db.pool, loaders),
      new PublicBoardScoresResolver(db.pool, loaders),
      new ScoreEventResolver(),
      new SubmitScoreResolver(submitting),
      new CreateScoreEventResolver(submitting),
      new LiveResolver(),
    ],
    nodes: [
      {
        kind: 'score',
        roles: ['admin', 'client'],
        load: (id, context) => loadScore(loaders, context, id),
      },
      { kind: 'scoreEvent', roles: ['admin'], load: (id, context) => loadEvent(context, id) },
    ],
    feeds: { boardChanged: boardChangedFeed(db.pool, changes) },
    batcher,
    start: () => versions.start(),
    close: async () => {
      await Promise.all([batcher.close(), versions.close()]);
    },
  };
}
