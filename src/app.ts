import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { accountsModule } from './accounts/module.js';
import type { Clock } from './clock.js';
import type { Config } from './config.js';
import { Announcer } from './db/announcer.js';
import { Changes } from './db/changes.js';
import type { Database } from './db/pool.js';
import { poolMetrics } from './db/pool-metrics.js';
import { DatabaseProbe } from './db/probe.js';
import { boardJobs } from './games/boards/jobs.js';
import { gamesModule } from './games/module.js';
import type { ContextFactory } from './graph/context.js';
import { Memories } from './graph/loader.js';
import type { Module } from './graph/module.js';
import { buildServiceSchema } from './graph/schema.js';
import type { Jobs } from './jobs/jobs.js';
import { jobsModule } from './jobs/module.js';
import type { Log } from './log.js';
import { mailRoom } from './mail/room.js';
import { Metrics, type MetricsSnapshot, type MetricsSource } from './metrics.js';
import { packageVersion } from './package.js';
import { forgetSessionsJob } from './players/forget-sessions.js';
import { playersModule } from './players/module.js';
import { registrationModule } from './registration/module.js';
import { restMiddleware } from './rest/middleware.js';
import { forgetIdempotencyKeysJob, forgetNonceUsesJob } from './scores/forget-uses.js';
import { scoresModule } from './scores/module.js';
import { TrustedProxies } from './server/address.js';
import type { AdmissionLimits } from './server/admission.js';
import { contextFactory } from './server/caller.js';
import { builtExplorer, explorer } from './server/explorer.js';
import { metricsPage } from './server/metrics-page.js';
import { MetricsServer } from './server/metrics-server.js';
import { Places } from './server/places.js';
import { rateLimited } from './server/rate-limit.js';
import { makeServer, type Server } from './server/server.js';

/** The settings an app needs; both secrets are known by now. */
export type AppSettings = Pick<
  Config,
  | 'keyPrefix'
  | 'headerPrefix'
  | 'publicUiUrl'
  | 'accessTokenSeconds'
  | 'refreshTokenSeconds'
  | 'nonceSeconds'
  | 'trustedProxies'
  | 'corsOrigins'
  | 'maxBodyBytes'
  | 'metricsPort'
  | 'dataDir'
  | 'smtpUrl'
  | 'mailFrom'
  | 'geoipDatabase'
  | 'httpRateLimit'
  | 'graphqlIntrospection'
> & { jwtSecret: string; keySecret: string };

export interface AppOptions {
  settings: AppSettings;
  /** Migrated. Stays open when the app is closed: whoever opened it closes it afterwards. */
  database: Database;
  clock: Clock;
  log: Log;
  /** False: jobs run only when somebody calls `jobs.run`, or after `startJobs`. */
  ringForJobs?: boolean;
  /** What /metrics tells, where that is more than this app's own. */
  metrics?: MetricsSource;
  /** How much is taken at a time; tests make it small. */
  admission?: AdmissionLimits;
}

/** The whole service on one database, without the process around it. */
export interface App {
  schema: GraphQLSchema;
  contextOf: ContextFactory;
  changes: Changes;
  jobs: Jobs;
  /** Begins to ring for jobs, once; for apps that were made not to. */
  startJobs(): void;
  /** What this app counts of itself. */
  ownMetrics(): Promise<MetricsSnapshot>;
  server: Server;
  /** @returns the port, which the system chooses for 0. Rejects with the system's error (EADDRINUSE, …). */
  listen(port: number, host: string): Promise<number>;
  /** Where /metrics is served beside the service (METRICS_PORT), at the same host; after `listen`. */
  metricsPort: number | undefined;
  /** Stops accepting, finishes and answers what was accepted, ends sockets, then the work beside requests. */
  close(): Promise<void>;
}

const LINKS = {
  graphql: '/graphql',
  explorer: '/explorer',
  openapi: '/openapi.json',
  docs: '/docs',
  ready: '/health/ready',
};

/** The composition root: puts modules, schema, edges and server together. Any number may live in one process. */
export async function makeApp(options: AppOptions): Promise<App> {
  const { settings, database, clock, log, ringForJobs = true } = options;
  const places = await Places.open(settings.geoipDatabase, log);
  const changes = new Changes();
  const metrics = new Metrics();
  poolMetrics(database, metrics);
  const announcer = new Announcer(database.connectionString, changes, log);
  const probe = new DatabaseProbe(database.connectionString);
  const changed = (topic: string) => {
    changes.mark(topic);
    announcer.announce(topic);
  };

  const parts = { db: database.knex, pool: database.pool, clock, log, changes, settings };
  const accounts = accountsModule(parts);
  // Scores stand on players, and a player's deletion reaches its scores: a call back, made when requests are served.
  const settle = (identityId: string) => scores.standing.settle(identityId);
  const players = playersModule({ ...parts, settle });
  const scores = scoresModule({
    db: database,
    clock,
    log,
    metrics,
    changes,
    changed,
    nonces: players.nonces,
    headerPrefix: settings.headerPrefix,
  });
  const mail = mailRoom({ clock, log, metrics, settings });
  const registration = registrationModule({ outbox: mail.outbox, log, settings });
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
    ],
  });
  // Closed from the last to the first: jobs end before what they work with.
  const modules: Module[] = [accounts, registration, gamesModule(settings), players, scores, jobs];
  const schema = buildServiceSchema(modules);
  const memories = new Memories(clock, changes);
  const unlimited = contextFactory({
    db: database.knex,
    clock,
    log,
    changed,
    memories,
    authenticators: {
      admin: (key) => accounts.authenticator.authenticate(key),
      client: (token) => players.authenticator.authenticate(token),
    },
    headerPrefix: settings.headerPrefix,
    proxies: new TrustedProxies(settings.trustedProxies),
    placeOf: (address) => places.find(address),
  });
  const contextOf = rateLimited(unlimited, settings.httpRateLimit);

  const shown = options.metrics ?? metrics;
  const apart = settings.metricsPort === undefined ? undefined : new MetricsServer(shown, settings, log);
  let accepting = false;
  const server = await makeServer({
    schema,
    contextOf,
    log,
    settings,
    metrics,
    admission: options.admission,
    health: { database: () => probe.answers(), accepting: () => accepting },
    about: { service: 'leaderboard-service', version: packageVersion, links: LINKS },
    routes: [
      restMiddleware({ schema, headerPrefix: settings.headerPrefix, contextOf }),
      explorer(builtExplorer(), settings),
      ...(apart ? [] : [metricsPage(shown)]),
    ],
  });

  const app: App = {
    schema,
    contextOf,
    changes,
    jobs: jobs.jobs,
    startJobs: () => jobs.start(),
    ownMetrics: () => metrics.snapshot(),
    server,
    metricsPort: undefined,
    listen: async (port, host) => {
      await announcer.start();
      scores.start();
      accepting = true;
      app.metricsPort = await apart?.listen(settings.metricsPort!, host);
      const listening = await server.listen(port, host);
      // Last: loading the queue takes a moment in which nothing else is done.
      if (ringForJobs) jobs.start();
      return listening;
    },
    close: async () => {
      accepting = false;
      await server.close();
      for (const module of modules.toReversed()) await module.close?.();
      memories.close();
      places.close();
      await Promise.all([announcer.close(), probe.close(), apart?.close()]);
    },
  };
  return app;
}
