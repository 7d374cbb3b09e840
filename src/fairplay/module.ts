import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Metrics } from '../base/metrics.js';
import type { Changes } from '../db/changes.js';
import type { Database } from '../db/pool.js';
import type { Module } from '../graphql/schema.js';
import type { Job } from '../jobs/job.js';
import type { Ratios } from '../rankings/upkeep/ratios.js';
import { AlertLiveResolver, alertFeed } from './alerts/live-resolver.js';
import { noticeJob } from './alerts/notice.js';
import { listAlerts, loadAlert } from './alerts/read.js';
import { AlertCrud, AlertResolver } from './alerts/resolver.js';
import { updateAlert } from './alerts/save.js';
import type { CheckSettings } from './checks/thresholds.js';
import { loadComment } from './comments/read.js';
import { CommentResolver, commentsBelow } from './comments/resolver.js';
import { FairPlayDefaultsResolver } from './defaults.js';
import { FairPlayEffect } from './effect/preview.js';
import { FairPlayEffectResolver } from './effect/resolver.js';
import { FlagWatch } from './flags/feed.js';
import { FlagLiveResolver, scoreFlagFeed } from './flags/live-resolver.js';
import { FlagQueueResolver } from './flags/queue-resolver.js';
import { listFlags, loadFlag } from './flags/read.js';
import {
  EventFlagsResolver,
  FlagQueries,
  FlagResolver,
  flagsBelow,
  ScoreFlagsResolver,
} from './flags/resolver.js';
import { reviewFlag } from './flags/save.js';
import { PlayerActivityResolver } from './player-activity.js';
import { BulkReviews } from './reviews/bulk.js';
import { listIdentityReviews, loadIdentityReview } from './reviews/read.js';
import {
  ReviewIdentityPayloadResolver,
  ReviewQueries,
  ReviewResolver,
  reviewsBelow,
} from './reviews/resolver.js';
import { VerdictCounts } from './verdicts/counts.js';
import { VerdictFiguresResolver } from './verdicts/figures.js';
import { BoardPassesResolver, PassResolver } from './verdicts/pass-resolver.js';
import { PassWorker } from './verdicts/pass-worker.js';
import { VerdictResolver } from './verdicts/resolver.js';

interface FairplayParts {
  database: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  changes: Changes;
  /** Marks a topic here and announces it to the other processes. */
  changed(topic: string): void;
  ratios: Ratios;
  settings: CheckSettings;
}

interface FairplayModule extends Module {
  /** Applies reviews of all runs of a player or a device to the boards. */
  reviews: BulkReviews;
  jobs: Job[];
  /** Starts the periodic work. */
  start(): void;
  close(): Promise<void>;
}

/** Flags, their reviews, and bulk reviews. */
export function fairplayModule(parts: FairplayParts): FairplayModule {
  const { database, clock, log, changes, changed, ratios, settings } = parts;
  const reviews = new BulkReviews(database, clock, log, ratios, changed);
  const passes = new PassWorker(database, clock, log, ratios, changed);
  const watch = new FlagWatch(database.pool, changes, log);
  const flags = new FlagQueries({ load: loadFlag, list: listFlags });
  const alerts = new AlertCrud({ load: loadAlert, list: listAlerts, update: updateAlert });
  const identityReviews = new ReviewQueries({ load: loadIdentityReview, list: listIdentityReviews });
  return {
    resolvers: [
      flags,
      alerts,
      identityReviews,
      new AlertResolver(),
      new AlertLiveResolver(),
      new FlagResolver(ratios),
      new FlagQueueResolver(ratios),
      new FlagLiveResolver(),
      new ReviewResolver(reviews),
      new ReviewIdentityPayloadResolver(),
      new VerdictFiguresResolver(database.pool),
      new PassResolver(passes),
      new BoardPassesResolver(),
      new VerdictResolver(ratios, new VerdictCounts(parts.metrics)),
      new FairPlayEffectResolver(new FairPlayEffect(database, settings)),
      new FairPlayDefaultsResolver(settings),
      new ScoreFlagsResolver(),
      new EventFlagsResolver(),
      new PlayerActivityResolver(),
      new CommentResolver(),
      ...flagsBelow,
      ...commentsBelow,
      ...reviewsBelow,
    ],
    nodes: [
      {
        ...flags.node,
        allowRestore: ['moderate'],
        restore: (id, context) => reviewFlag(context, ratios, id, { deleted: false }),
      },
      identityReviews.node,
      alerts.node,
      { kind: 'comment', allow: ['read'], load: (id, context) => loadComment(context, id) },
    ],
    feeds: {
      scoreFlagged: scoreFlagFeed(database.pool, changes, 'added'),
      scoreFlagReviewed: scoreFlagFeed(database.pool, changes, 'changed'),
      alertRaised: alertFeed(database.pool, changes),
    },
    reviews,
    jobs: [noticeJob(database.pool), passes.job],
    start: () => {
      reviews.start();
      watch.start();
    },
    close: async () => {
      await Promise.all([reviews.close(), watch.close(), passes.close()]);
    },
  };
}
