import { type AccountsModule, accountsModule } from './accounts/module.js';
import type { Clock } from './base/clock.js';
import type { Log } from './base/log.js';
import type { Metrics } from './base/metrics.js';
import { boardJobs } from './boards/templates/run.js';
import type { AppSettings } from './config/app-settings.js';
import type { Changes } from './db/changes.js';
import type { Database } from './db/pool.js';
import { ScoreChecker } from './fairplay/checks/score-checker.js';
import { type FairplayModule, fairplayModule } from './fairplay/module.js';
import { gamesModule } from './games/module.js';
import type { CountWrite } from './graphql/context.js';
import type { Module } from './graphql/module.js';
import type { FiringHooks } from './hooks/firing.js';
import { type JobsModule, jobsModule } from './jobs/module.js';
import { mailRoom } from './mail/module.js';
import { type PlayersModule, playersModule } from './players/module.js';
import { forgetSessionsJob } from './players/sessions/save.js';
import { registrationModule } from './registration/module.js';
import { type ScoresModule, scoresModule } from './scores/module.js';
import { forgetIdempotencyKeysJob, forgetNonceUsesJob } from './scores/upkeep/forget-uses.js';

export interface DomainParts {
  settings: AppSettings;
  database: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  changes: Changes;
  /** Notifies every process on this database that a topic changed. */
  changed(topic: string): void;
  hooks: FiringHooks;
  /** Counts writes of callers without a credential. */
  countWrite: CountWrite;
}

/** The modules; those that edges and `App` use, by name. */
export interface Domain {
  accounts: AccountsModule;
  players: PlayersModule;
  scores: ScoresModule;
  fairplay: FairplayModule;
  jobs: JobsModule;
  /** All modules; close them from the last to the first: jobs end before the modules they use. */
  modules: Module[];
}

/** Assembles the domain modules on one database; nothing runs yet. */
export function makeDomain(parts: DomainParts): Domain {
  const { settings, database, clock, log, metrics, changes, changed, hooks, countWrite } = parts;
  const shared = { db: database.knex, pool: database.pool, clock, log, changes, settings };
  const accounts = accountsModule(shared);
  // Scores depend on players, and a player's deletion affects its scores: hence a callback, called while requests are
  // served.
  const settle = (identityId: string) => scores.standing.settle(identityId);
  const players = playersModule({ ...shared, settle, countWrite });
  const scores = scoresModule({
    db: database,
    clock,
    log,
    metrics,
    changes,
    changed,
    nonces: players.nonces,
    hooks,
    headerPrefix: settings.headerPrefix,
    fairPlay: new ScoreChecker(database, clock, log, settings, changed),
  });
  const fairplay = fairplayModule({ database, clock, log, changes, changed, ratios: scores.ratios });
  const mail = mailRoom({ clock, log, metrics, settings });
  const registration = registrationModule({
    outbox: mail.outbox,
    log,
    settings,
    countWrite,
    // Only the person who registered may get the key.
    onCompleted: ({ apiKey, ...registration }, context) =>
      hooks.after('postCompleteRegistration', context, registration),
  });
  const jobs = jobsModule({
    database,
    clock,
    log,
    metrics,
    jobs: [
      ...boardJobs(changed),
      mail.job,
      forgetSessionsJob,
      forgetNonceUsesJob,
      forgetIdempotencyKeysJob,
      ...registration.jobs,
      ...hooks.jobs,
    ],
  });
  const games = gamesModule(settings, hooks);
  const modules = [accounts, registration, games, players, scores, fairplay, jobs];
  return { accounts, players, scores, fairplay, jobs, modules };
}
