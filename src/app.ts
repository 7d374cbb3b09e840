import { Addresses } from './accounts/addresses.js';
import 'reflect-metadata';
import type { Middleware } from 'koa';
import { accountsModule } from './accounts/module.js';
import { roleWith } from './accounts/users/role.js';
import type { Clock } from './base/clock.js';
import type { TurnLimits } from './base/limits.js';
import type { Log } from './base/log.js';
import { Metrics, type MetricsSnapshot, type MetricsSource } from './base/metrics.js';
import { migrationsDir } from './base/package.js';
import { boardJobs } from './boards/templates/run.js';
import { viewPeriodsJob } from './boards/views/periods.js';
import { closingSource } from './closings/export.js';
import { closingsModule } from './closings/module.js';
import { closingPreviewModule } from './closings/preview/module.js';
import { PublicClosingsResolver } from './closings/public/resolver.js';
import { rehearsalModule } from './closings/rehearsal/module.js';
import { rewardsModule } from './closings/rewards/module.js';
import type { AppSettings } from './config/app-settings.js';
import { configurationModule } from './configuration/module.js';
import { Announcer } from './db/announcer/announcer.js';
import { type Change, Changes } from './db/changes.js';
import type { Database } from './db/pool.js';
import { DatabaseProbe, poolMetrics } from './db/pools.js';
import { SchemaWatch } from './db/schema/watch.js';
import { ScoreChecker } from './fairplay/checks/score-checker.js';
import { flagDigestsJob } from './fairplay/digests/send.js';
import { flagSource } from './fairplay/flags/export.js';
import { FLAGS, flagsOf } from './fairplay/flags/feed.js';
import { fairplayModule } from './fairplay/module.js';
import type { BulkReviews } from './fairplay/reviews/bulk.js';
import { holdsJob } from './fairplay/reviews/holds.js';
import { gamesModule } from './games/module.js';
import { readGamePicture, saveGamePicture } from './games/pictures.js';
import { hasGames } from './games/read.js';
import type { ContextFactory, CountWrite, RateLimit } from './graphql/context.js';
import { AnswerLimit } from './graphql/engine/answer-limit.js';
import { CredentialWatch } from './graphql/live/credentials.js';
import { EventStreams } from './graphql/live/event-stream.js';
import { LiveHub } from './graphql/live/hub.js';
import { Memories } from './graphql/loader.js';
import { type Module, ModuleResolvers, type ServiceSchema, serviceSchema } from './graphql/schema.js';
import { FiringHooks } from './hooks/firing.js';
import type { Hooks } from './hooks/hooks.js';
import type { Jobs } from './jobs/jobs.js';
import { jobsModule } from './jobs/module.js';
import { mailRoom } from './mail/module.js';
import { Seal } from './mail/outbox.js';
import { indexNamesJob } from './players/identities/index-names.js';
import { forgetLinkCodesJob } from './players/links/forget.js';
import { type ProviderOptions, playersModule } from './players/module.js';
import { forgetSessionsJob } from './players/sessions/save.js';
import { NewGroups } from './players/tags/new-groups.js';
import { openAuditExport, recordExport } from './privacy/audit-export.js';
import { openIdentityExport } from './privacy/export.js';
import { forgetAuditJob } from './privacy/forget-audit.js';
import { privacyModule } from './privacy/module.js';
import { registrationModule } from './registration/module.js';
import { relyingPartyOf } from './registration/passkeys/relying-party.js';
import { ExportStreams, type OpenExports } from './rest/exports/serve.js';
import { restRoutes } from './rest/middleware.js';
import { InputReader } from './rest/request/input-reader.js';
import { LiveStreams } from './rest/streams.js';
import { eventSource } from './scores/exports/events.js';
import { Exports } from './scores/exports/exports.js';
import { playerSource } from './scores/exports/players.js';
import { ExportSlots } from './scores/exports/slots.js';
import { standingSource } from './scores/exports/standings.js';
import { countHistoryJob, tidyHistoryJob } from './scores/history/count.js';
import { scoresModule } from './scores/module.js';
import type { DownloadLimits } from './scores/recordings/slots.js';
import { standingOf } from './scores/standings/standings.js';
import { SearchResolver } from './search/resolver.js';
import { anonymousWrites, refusedDocuments, requestBudget, visitBudget } from './server/admission.js';
import { contextFactory } from './server/auth/caller.js';
import { Places, TrustedProxies } from './server/auth/origin.js';
import { backChannelLogout } from './server/back-channel-logout.js';
import { builtConsole, consolePages } from './server/console.js';
import { builtExplorer, explorer } from './server/explorer.js';
import { type PeerLimits, Peers } from './server/http/peers.js';
import { MetricsServer, metricsPage } from './server/ops.js';
import { publicPages } from './server/pages/serve/middleware.js';
import { makeServer, type Server } from './server/server.js';
import { forgetIdempotencyKeysJob, forgetNonceUsesJob } from './submissions/forget-uses.js';
import { webhooksModule } from './webhooks/module.js';

export interface AppOptions {
  settings: AppSettings;
  /** A migrated database. The caller that opened it closes it after the app. */
  database: Database;
  clock: Clock;
  /** Seconds by which the machine's clock is ahead of the database's; absent: `clock` is no machine's. */
  clockOffset?: () => number;
  log: Log;
  /** The deployment's hooks. */
  hooks?: Hooks;
  /** False: jobs run only through `jobs.run`, or after `startJobs`. */
  wakeJobs?: boolean;
  /** Source of /metrics, if it covers more than this app. */
  metrics?: MetricsSource;
  /** Limits of work admitted at a time; tests make them small. */
  admission?: TurnLimits;
  /** Interval of heartbeats on event streams; tests make it small. */
  streamBeatMillis?: number;
  /** Interval of pings over sockets; tests make it small. */
  socketBeatMillis?: number;
  /** Limits of bytes that wait for peers; tests make them small. */
  peers?: PeerLimits;
  /** Limits of downloads from the bucket of recordings; tests make them small. */
  downloads?: DownloadLimits;
  /** What tests put in place of providers that prove players. */
  playerProviders?: ProviderOptions;
  /** Pages of the program around it, e.g. of the demo; the service itself has none. */
  morePages?: (edges: { contextOf: ContextFactory }) => Middleware[];
}

/** The whole service on one database, without the process around it. */
export interface App extends ServiceSchema {
  contextOf: ContextFactory;
  changes: Changes;
  jobs: Jobs;
  /** Reviews of all submissions of a player or a device, as boards apply them. */
  reviews: BulkReviews;
  /** Starts the job runner, once; for apps that were created without it. */
  startJobs(): void;
  /** The app's own metrics. */
  ownMetrics(): Promise<MetricsSnapshot>;
  /** The same without those of the process. */
  appMetrics(): Promise<MetricsSnapshot>;
  /** True if the database responds now, with a schema that this release can work with. */
  answers(): Promise<boolean>;
  server: Server;
  /** Subscriptions of this process. */
  live: LiveHub;
  /** Starts background work, without listening. */
  start(): Promise<void>;
  /** @returns the port, which the system chooses for 0. Rejects with the system's error (EADDRINUSE, …). */
  listen(port: number, host: string): Promise<number>;
  /** Separate port of /metrics (METRICS_PORT), at the same host; set after `listen`. */
  metricsPort: number | undefined;
  /** Stops accepting, answers accepted requests, closes sockets, then stops background work. */
  close(): Promise<void>;
}

/** The composition root: assembles modules, schema, edges and server. Any number may live in one process. */
export async function makeApp(options: AppOptions): Promise<App> {
  const { settings, database, clock, log, hooks: own = {}, wakeJobs = true } = options;
  const places = await Places.open(settings.geoipDatabase, log);
  const changes = new Changes();
  const metrics = new Metrics();
  poolMetrics(database, metrics);
  metrics.gauges(
    'clock_offset_seconds',
    "Seconds by which the machine's clock is ahead of the database's, which the service goes by.",
    [],
    () => [[{}, options.clockOffset?.() ?? 0]],
    'max',
  );
  const announcer = new Announcer(database.connectionString, changes, log);
  const probe = new DatabaseProbe(database);
  const schemaWatch = new SchemaWatch(database.pool, migrationsDir, log);
  const changed = (topic: string, change?: Change) => {
    changes.mark(topic, change);
    announcer.announce(topic, change);
  };

  const hooks = new FiringHooks(own, { database, clock, log });
  const spend = requestBudget(settings.httpRateLimit);
  const isLimited = settings.httpRateLimit !== undefined || own.rateLimit !== undefined;
  const limitRate: RateLimit = async (context, key) => {
    context.countItem = async () => {
      await spend(context);
      await hooks.admit(context, key.method, key.route);
    };
    await context.countItem();
  };
  const countWrite = anonymousWrites(settings.anonymousWritesPerMinute, log);
  const inputs = new InputReader(() => whole);
  const { playerProviders, downloads } = options;
  const made = { settings, database, clock, log, metrics, changes, changed, hooks, countWrite, inputs };
  const parts = { ...made, ...(playerProviders && { playerProviders }), ...(downloads && { downloads }) };
  const domain = makeDomain(parts);
  const { accounts, registration, players, scores, fairplay, privacy, rewards, webhooks, jobs, modules } =
    domain;
  const resolvers = new ModuleResolvers(modules);
  const { whole, schema } = serviceSchema(resolvers, hooks.extend);
  const memories = new Memories(clock, changes);
  const proxies = new TrustedProxies(settings.trustedProxies);
  const limitVisit = visitBudget(spend, proxies);
  const contextOf = contextFactory({
    resolvers,
    db: database.knex,
    clock,
    log,
    changed,
    memories,
    authenticators: {
      admin: (key, ip, inConsole) => accounts.authenticator.authenticate(key, ip, inConsole),
      client: (token) => players.authenticator.authenticate(token),
      presumed: (token) => players.authenticator.presume(token),
      requireValidSession: (caller) => players.authenticator.requireValidSession(caller),
    },
    headerPrefix: settings.headerPrefix,
    keyPrefix: settings.keyPrefix,
    proxies,
    placeOf: (address) => places.find(address),
  });

  const answerLimit = new AnswerLimit(settings.maxAnswerBytes);
  const liveLimits = {
    perDevice: settings.livePerDevice,
    perAddress: settings.livePerAddress,
    perAccount: settings.livePerAccount,
    bytesPerCaller: settings.liveBytesPerCaller,
    bytesPerAccount: settings.liveBytesPerAccount,
  };
  const live = new LiveHub(liveLimits, log, metrics);
  const credentials = new CredentialWatch(
    changes,
    (callers) => players.authenticator.findInvalid(callers),
    log,
  );
  const streams = new EventStreams(credentials, options.streamBeatMillis);
  const exports = new Exports(database, scores.reads, {
    standings: standingSource,
    events: eventSource,
    players: playerSource,
    flags: flagSource,
    closings: closingSource,
  });
  // Apart: no export of boards may delay what a player has a right to.
  const personalExports = new ExportSlots();
  const openedExport: OpenExports = async (context, request) => {
    if (request.kind === 'audit') {
      const { filters, format } = request;
      return personalExports.admit(context, openAuditExport(context, filters, format));
    }
    if (request.kind !== 'identity') {
      return exports.open(context, request, request.what, request.format, request.view);
    }
    return personalExports.admit(
      context,
      await openIdentityExport(context, database, scores.recordings.bucket, request.id),
    );
  };
  const openExport: OpenExports = async (context, request) => {
    const opened = await openedExport(context, request);
    try {
      await recordExport(context, request);
    } catch (error) {
      await opened.lines.return(undefined);
      throw error;
    }
    return opened;
  };
  const exportStreams = new ExportStreams(openExport, credentials, log);
  const shown = options.metrics ?? metrics;
  const peers = new Peers(options.peers);
  const apart =
    settings.metricsPort === undefined ? undefined : new MetricsServer(shown, settings, log, peers);
  let accepting = false;
  const edges = { schema, contextOf, limitVisit, log, answerLimit };
  const server = await makeServer({
    ...edges,
    limitRate,
    countDocument: refusedDocuments(settings.anonymousWritesPerMinute),
    settings,
    metrics,
    live,
    credentials,
    streams,
    admission: options.admission,
    proxies,
    peers,
    socketBeatMs: options.socketBeatMillis,
    health: {
      database: () => probe.answers(),
      accepting: () => accepting,
      schemaFault: () => schemaWatch.fault(),
    },
    routes: [
      restRoutes({
        ...edges,
        schema: whole,
        graphql: schema,
        roleWith,
        headerPrefix: settings.headerPrefix,
        limitRate: isLimited ? limitRate : undefined,
        streams: new LiveStreams(live, streams),
        exports: exportStreams,
        savePicture: saveGamePicture,
        recordings: scores.recordings,
      }),
      backChannelLogout({ contextOf, logOut: registration.logOut }),
      explorer(builtExplorer, settings),
      consolePages(builtConsole, {
        ...settings,
        passkeys: registration.hasPasskeys,
        providerName: registration.providerName,
        hasIssuers: registration.hasIssuers,
      }),
      ...(options.morePages?.(edges) ?? []),
      publicPages({
        ...edges,
        clock,
        landingBoards: settings.landingBoards,
        readPicture: (digest, type, whole) => readGamePicture(database.knex, digest, type, whole),
        hasGames: () => hasGames(database.knex),
      }),
      ...(apart ? [] : [metricsPage(shown)]),
    ],
  });

  const app: App = {
    schema,
    whole,
    contextOf,
    changes,
    jobs: jobs.jobs,
    reviews: fairplay.reviews,
    startJobs: () => {
      webhooks.start();
      jobs.start();
    },
    ownMetrics: () => metrics.snapshot(),
    appMetrics: () => metrics.appSnapshot(),
    answers: async () => (await probe.answers()) && !schemaWatch.fault(),
    server,
    live,
    metricsPort: undefined,
    start: async () => {
      await hooks.setUp();
      await announcer.start();
      schemaWatch.start();
      scores.start();
      fairplay.start();
      players.start();
      rewards.start();
      privacy.start();
      accepting = true;
    },
    listen: async (port, host) => {
      await app.start();
      app.metricsPort = await apart?.listen(settings.metricsPort!, host);
      const listening = await server.listen(port, host);
      // Last: loading the queue blocks for a moment.
      if (wakeJobs) app.startJobs();
      return listening;
    },
    close: async () => {
      accepting = false;
      streams.close();
      exportStreams.close();
      await server.close();
      await credentials.close();
      for (const module of modules.toReversed()) await module.close?.();
      memories.close();
      await places.close();
      await Promise.all([
        hooks.close(),
        announcer.close(),
        schemaWatch.close(),
        probe.close(),
        apart?.close(),
      ]);
    },
  };
  return app;
}

interface DomainParts
  extends Pick<AppOptions, 'settings' | 'database' | 'clock' | 'log' | 'playerProviders' | 'downloads'> {
  metrics: Metrics;
  changes: Changes;
  /** Notifies every process on this database that a topic changed. @param change absent: anything may differ */
  changed(topic: string, change?: Change): void;
  hooks: FiringHooks;
  /** Counts writes of callers without a credential. */
  countWrite: CountWrite;
  /** Reads inputs of the schema outside of requests. */
  inputs: InputReader;
}

/**
 * Assembles the domain modules on one database; nothing runs yet.
 * @returns all modules, to be closed from last to first (jobs end before the modules they use), and some by name
 */
function makeDomain(parts: DomainParts) {
  const { settings, database, clock, log, metrics, changes, changed, hooks, countWrite, inputs } = parts;
  const shared = { database, clock, log, metrics, changes, changed };
  const records = { db: database.knex, pool: database.pool, clock, log, changes, settings };
  const addresses = new Addresses(settings);
  const hasPasskeys = relyingPartyOf(addresses) !== undefined;
  const checkSession = (keyId: string) => registration.checkSession(keyId);
  const accounts = accountsModule({ ...records, hasPasskeys, checkSession });
  // Scores depend on players, and a player's deletion affects its scores: hence a callback, called by requests.
  const reconcile = (identityId: string) => scores.removals.follow(identityId);
  const followTags = (identityId: string) => scores.playerTags.follow(identityId);
  // The rename is stored: what fails or is interrupted here is done in the background.
  const followName = (identityId: string) =>
    scores.names
      .follow(identityId)
      .catch((err) => log.warn({ err, identityId }, "a player's new name will reach the boards later"));
  const newGroups = new NewGroups();
  const players = playersModule({
    ...{ ...records, reconcile, followTags, followName, newGroups, countWrite },
    followMerge: (mergeId) => void scores.merges.followSoon(mergeId),
    seal: new Seal(settings.keySecret, 'secrets of player providers'),
    providers: parts.playerProviders ?? {},
    standing: (boardId, player) => standingOf(scores.reads, boardId, player),
  });
  const scores = scoresModule({
    ...shared,
    db: database,
    nonces: players.nonces,
    settings,
    newGroups,
    hooks,
    headerPrefix: settings.headerPrefix,
    writes: players.writes,
    flagTopics: (accountId) => [FLAGS, flagsOf(accountId)],
    fairPlay: new ScoreChecker(database, clock, log, settings, changed),
    downloads: parts.downloads,
    addresses,
  });
  const fairplay = fairplayModule({ ...shared, ratios: scores.ratios, settings });
  const mail = mailRoom({ ...shared, settings });
  const registration = registrationModule({
    ...shared,
    outbox: mail.outbox,
    settings,
    addresses,
    countWrite,
    // Only the person who registered may get the key.
    onCompleted: ({ apiKey, ...registration }, context) =>
      hooks.after('postCompleteRegistration', context, registration),
  });
  const closings = closingsModule(changed, settings);
  const rewards = rewardsModule({
    ...shared,
    writes: players.writes,
    grantsPerClosing: settings.grantsPerClosing,
  });
  const rehearsals = rehearsalModule(settings);
  const webhooks = webhooksModule({
    ...shared,
    outbox: mail.outbox,
    settings,
    recordings: scores.recordings.addresses,
  });
  const upkeep = [
    forgetSessionsJob(settings),
    indexNamesJob,
    forgetNonceUsesJob,
    forgetIdempotencyKeysJob,
    forgetLinkCodesJob,
    forgetAuditJob(settings),
  ];
  const kinds = [
    ...boardJobs(changed, hooks),
    viewPeriodsJob,
    holdsJob(changed),
    ...closings.jobs,
    ...rehearsals.jobs,
    ...fairplay.jobs,
    countHistoryJob,
    tidyHistoryJob,
    ...scores.jobs,
    flagDigestsJob(mail.outbox, addresses.studio('console/moderation')),
    mail.job,
    ...webhooks.jobs,
    ...upkeep,
    ...registration.jobs,
    ...hooks.jobs,
  ];
  const jobs = jobsModule({ ...shared, settings, jobs: kinds });
  const games = gamesModule(addresses, settings, hooks);
  const privacy = privacyModule({ ...shared, settings });
  const publicClosings: Module = { resolvers: [new PublicClosingsResolver()], nodes: [] };
  const search: Module = { resolvers: [new SearchResolver()], nodes: [] };
  const configuration = configurationModule(database, {
    inputs,
    limits: settings,
    endpoints: webhooks.rules,
    writes: { ...games.writes, webhook: webhooks.writes },
  });
  const modules = [
    accounts,
    registration,
    games,
    players,
    scores,
    fairplay,
    closings,
    rewards,
    closingPreviewModule(scores.reads.periods, settings),
    publicClosings,
    rehearsals,
    privacy,
    webhooks,
    search,
    configuration,
    jobs,
  ];
  return { accounts, registration, players, scores, fairplay, privacy, rewards, webhooks, jobs, modules };
}
