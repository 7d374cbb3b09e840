import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Metrics } from '../base/metrics.js';
import { guardedFetch } from '../base/outbound/guarded-fetch.js';
import type { Changes } from '../db/changes.js';
import type { Database } from '../db/pool.js';
import type { Context } from '../graphql/context.js';
import type { Module } from '../graphql/schema.js';
import type { Job } from '../jobs/job.js';
import { type Outbox, Seal } from '../mail/outbox.js';
import type { RecordingAddresses } from '../scores/recordings/address.js';
import { loadDelivery } from './deliveries/read.js';
import { deliveriesBelow, WebhookDeliveryResolver } from './deliveries/resolver.js';
import { BoardWatch } from './dispatch/board-watch.js';
import { ClosingWebhooksResolver, RehearsalWebhooksResolver } from './dispatch/closing-preview.js';
import { dispatchJob } from './dispatch/dispatcher.js';
import type { UpdateWebhookEndpointInput, WebhookEndpoint } from './endpoints/endpoint.js';
import { listEndpoints, loadEndpoint } from './endpoints/read.js';
import { WebhookEndpointCrud, WebhookSecretResolver } from './endpoints/resolver.js';
import { createEndpoint, type EndpointRules, type NewEndpoint, updateEndpoint } from './endpoints/save.js';
import { WebhookSender } from './sending/sender.js';
import { tidyWebhooksJob } from './tidy.js';

interface WebhooksParts {
  database: Database;
  clock: Clock;
  log: Log;
  changes: Changes;
  metrics: Metrics;
  /** Signs addresses of recordings. */
  recordings: RecordingAddresses;
  /** The outbox of mails. */
  outbox: Outbox;
  settings: {
    keySecret: string;
    webhooks: boolean;
    webhookAllowHttp: boolean;
    webhookAllowNetworks: string[];
    webhookLogDays: number;
  };
}

interface WebhooksModule extends Module {
  jobs: Job[];
  rules: EndpointRules;
  /** Of endpoints. */
  writes: {
    create(context: Context, input: NewEndpoint): Promise<WebhookEndpoint>;
    update(context: Context, id: string, input: UpdateWebhookEndpointInput): Promise<WebhookEndpoint>;
  };
  /** Starts to watch boards; without it only the job compares them. */
  start(): void;
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;
const MOST_REQUEST_BYTES = 1_048_576;
const MOST_RESPONSE_BYTES = 262_144;

/** Endpoints that are told of events, and the deliveries to them. */
export function webhooksModule(parts: WebhooksParts): WebhooksModule {
  const { database, clock, log, changes, metrics, outbox, settings, recordings } = parts;
  const { webhookAllowHttp: allowHttp, webhookAllowNetworks: allowNetworks } = settings;
  const seal = new Seal(settings.keySecret, 'secrets of webhooks');
  const rules = { seal, allowHttp };
  const writes = {
    create: (context: Context, input: NewEndpoint) => createEndpoint(context, rules, input),
    update: (context: Context, id: string, input: UpdateWebhookEndpointInput) =>
      updateEndpoint(context, rules, id, input),
  };
  const endpoints = new WebhookEndpointCrud({ load: loadEndpoint, list: listEndpoints, ...writes });
  const fetch = guardedFetch({
    ...{ allowNetworks, allowHttp, timeoutMs: TIMEOUT_MS },
    ...{ mostRequestBytes: MOST_REQUEST_BYTES, mostResponseBytes: MOST_RESPONSE_BYTES },
  });
  const keepsAnswers = allowNetworks.length === 0;
  const sender = new WebhookSender({ fetch, seal, clock, outbox, keepsAnswers, isOn: settings.webhooks });
  const dispatch = {
    pool: database.pool,
    isOn: settings.webhooks,
    logDays: settings.webhookLogDays,
    recordings,
  };
  const watch = new BoardWatch({ database, clock, log, changes, dispatch });
  metrics.counters(
    'leaderboard_webhook_attempts_total',
    'Requests to webhook endpoints by result: delivered; retried after a failure; failed for good.',
    ['result'],
    () => Object.entries(sender.counts).map(([result, count]) => [{ result }, count]),
  );
  return {
    resolvers: [
      endpoints,
      new WebhookSecretResolver(rules),
      new WebhookDeliveryResolver(),
      new ClosingWebhooksResolver(),
      new RehearsalWebhooksResolver(),
      ...deliveriesBelow,
    ],
    nodes: [
      endpoints.node,
      { kind: 'webhookDelivery', allow: ['configure'], load: (id, context) => loadDelivery(context, id) },
    ],
    rules,
    writes,
    jobs: [dispatchJob(dispatch), sender.job, tidyWebhooksJob(settings.webhookLogDays)],
    start: () => watch.start(),
    close: async () => {
      await Promise.all([watch.close(), sender.close()]);
    },
  };
}
