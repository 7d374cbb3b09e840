import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import type { Clock } from './base/clock.js';
import type { TurnLimits } from './base/limits.js';
import type { Log } from './base/log.js';
import { Metrics, type MetricsSnapshot, type MetricsSource } from './base/metrics.js';
import { packageVersion } from './base/package.js';
import type { AppSettings } from './config/app-settings.js';
import { Announcer, Changes } from './db/changes.js';
import type { Database } from './db/pool.js';
import { DatabaseProbe, poolMetrics } from './db/pools.js';
import { makeDomain } from './domain.js';
import type { BulkReviews } from './fairplay/reviews/bulk.js';
import type { ClientCaller, ContextFactory, RateLimit } from './graphql/context.js';
import { AnswerLimit } from './graphql/engine/answer-limit.js';
import { CredentialWatch } from './graphql/live/credentials.js';
import { LiveHub } from './graphql/live/hub.js';
import { Memories } from './graphql/loader.js';
import { buildServiceSchema } from './graphql/schema.js';
import { FiringHooks } from './hooks/firing.js';
import type { Hooks } from './hooks/hooks.js';
import type { Jobs } from './jobs/jobs.js';
import { restRoutes } from './rest/middleware.js';
import { LiveStreams } from './rest/streams.js';
import { anonymousWrites, requestBudget, type VisitLimit } from './server/admission.js';
import { TrustedProxies } from './server/auth/address.js';
import { contextFactory } from './server/auth/caller.js';
import { Places } from './server/auth/geo.js';
import { builtExplorer, explorer } from './server/explorer.js';
import { MetricsServer, metricsPage } from './server/ops.js';
import { builtPages } from './server/pages/layout.js';
import { publicPages } from './server/pages/middleware.js';
import { makeServer, type Server } from './server/server.js';

export interface AppOptions {
  settings: AppSettings;
  /** A migrated database. The caller that opened it closes it after the app. */
  database: Database;
  clock: Clock;
  log: Log;
  /** The deployment's hooks. */
  hooks?: Hooks;
  /** False: jobs run only through `jobs.run`, or after `startJobs`. */
  ringForJobs?: boolean;
  /** Source of /metrics, if it covers more than this app. */
  metrics?: MetricsSource;
  /** Limits of work admitted at a time; tests make them small. */
  admission?: TurnLimits;
  /** Interval of heartbeats on event streams; tests make it small. */
  streamBeatMillis?: number;
}

/** The whole service on one database, without the process around it. */
export interface App {
  schema: GraphQLSchema;
  contextOf: ContextFactory;
  changes: Changes;
  jobs: Jobs;
  /** Reviews of all submissions of a player or a device, as boards apply them. */
  reviews: BulkReviews;
  /** Starts the job runner, once; for apps that were created without it. */
  startJobs(): void;
  /** The app's own metrics. */
  ownMetrics(): Promise<MetricsSnapshot>;
  server: Server;
  /** Subscriptions of this process. */
  live: LiveHub;
  /** @returns the port, which the system chooses for 0. Rejects with the system's error (EADDRINUSE, …). */
  listen(port: number, host: string): Promise<number>;
  /** Separate port of /metrics (METRICS_PORT), at the same host; set after `listen`. */
  metricsPort: number | undefined;
  /** Stops accepting, answers accepted requests, closes sockets, then stops background work. */
  close(): Promise<void>;
}

const LINKS = {
  graphql: '/graphql',
  explorer: '/explorer',
  openapi: '/openapi.json',
  docs: '/docs',
  ready: '/health/ready',
};

/** The composition root: assembles modules, schema, edges and server. Any number may live in one process. */
export async function makeApp(options: AppOptions): Promise<App> {
  const { settings, database, clock, log, hooks: own = {}, ringForJobs = true } = options;
  const places = await Places.open(settings.geoipDatabase, log);
  const changes = new Changes();
  const metrics = new Metrics();
  poolMetrics(database, metrics);
  const announcer = new Announcer(database.connectionString, changes, log);
  const probe = new DatabaseProbe(database);
  const changed = (topic: string) => {
    changes.mark(topic);
    announcer.announce(topic);
  };

  const hooks = new FiringHooks(own, { database, clock, log });
  const spend = requestBudget(settings.httpRateLimit);
  const isLimited = settings.httpRateLimit !== undefined || own.rateLimit !== undefined;
  const limitRate: RateLimit = async (context, door) => {
    await spend(context);
    await hooks.admit(context, door.method, door.route);
  };
  const countWrite = anonymousWrites(settings.anonymousWritesPerMinute, log);
  const domain = makeDomain({ settings, database, clock, log, metrics, changes, changed, hooks, countWrite });
  const { accounts, players, scores, fairplay, jobs, modules } = domain;
  const schema = buildServiceSchema(modules);
  const memories = new Memories(clock, changes);
  const proxies = new TrustedProxies(settings.trustedProxies);
  const limitVisit: VisitLimit = ({ req }) =>
    spend({
      caller: { kind: 'anonymous' },
      ip: proxies.callerAddress(req.socket.remoteAddress, req.headers['x-forwarded-for']?.toString()),
    });
  const contextOf = contextFactory({
    db: database.knex,
    clock,
    log,
    changed,
    memories,
    authenticators: {
      admin: (key) => accounts.authenticator.authenticate(key),
      client: (token) => players.authenticator.authenticate(token),
      presumed: (token) => players.authenticator.presume(token),
      requireStanding: (caller) => players.authenticator.requireStanding(caller),
    },
    headerPrefix: settings.headerPrefix,
    keyPrefix: settings.keyPrefix,
    proxies,
    placeOf: (address) => places.find(address),
  });

  const answerLimit = new AnswerLimit(settings.maxAnswerBytes);
  const live = new LiveHub(
    {
      perDevice: settings.livePerDevice,
      perAddress: settings.livePerAddress,
      perAccount: settings.livePerAccount,
    },
    log,
    metrics,
  );
  const spoiltSessions = (callers: readonly ClientCaller[]) => players.authenticator.spoilt(callers);
  const credentials = new CredentialWatch(changes, spoiltSessions, log);
  const streams = new LiveStreams(live, credentials, options.streamBeatMillis);
  const shown = options.metrics ?? metrics;
  const apart = settings.metricsPort === undefined ? undefined : new MetricsServer(shown, settings, log);
  let accepting = false;
  const server = await makeServer({
    schema,
    contextOf,
    limitRate,
    limitVisit,
    log,
    settings,
    metrics,
    live,
    credentials,
    admission: options.admission,
    answerLimit,
    health: { database: () => probe.answers(), accepting: () => accepting },
    about: { service: 'leaderboard-service', version: packageVersion, links: LINKS },
    routes: [
      ...restRoutes({
        schema,
        headerPrefix: settings.headerPrefix,
        contextOf,
        limitRate: isLimited ? limitRate : undefined,
        streams,
        answerLimit,
      }),
      explorer(builtExplorer(), settings),
      publicPages({ schema, contextOf, limitVisit, log, assetsDir: builtPages }),
      ...(apart ? [] : [metricsPage(shown)]),
    ],
  });

  const app: App = {
    schema,
    contextOf,
    changes,
    jobs: jobs.jobs,
    reviews: fairplay.reviews,
    startJobs: () => jobs.start(),
    ownMetrics: () => metrics.snapshot(),
    server,
    live,
    metricsPort: undefined,
    listen: async (port, host) => {
      await hooks.setUp();
      await announcer.start();
      scores.start();
      fairplay.start();
      accepting = true;
      app.metricsPort = await apart?.listen(settings.metricsPort!, host);
      const listening = await server.listen(port, host);
      // Last: loading the queue blocks for a moment.
      if (ringForJobs) jobs.start();
      return listening;
    },
    close: async () => {
      accepting = false;
      streams.close();
      await server.close();
      await credentials.close();
      for (const module of modules.toReversed()) await module.close?.();
      memories.close();
      await places.close();
      await Promise.all([hooks.close(), announcer.close(), probe.close(), apart?.close()]);
    },
  };
  return app;
}
