import type { Clock } from '../base/clock.js';
import type { Metrics } from '../base/metrics.js';
import { guardedFetch } from '../base/outbound/guarded-fetch.js';
import type { Module } from '../graphql/schema.js';
import type { Job } from '../jobs/job.js';
import { type Outbox, Seal } from '../mail/outbox.js';
import { loadDelivery } from './deliveries/read.js';
import { deliveriesBelow, WebhookDeliveryResolver } from './deliveries/resolver.js';
import { dispatchJob } from './dispatch/dispatcher.js';
import { listEndpoints, loadEndpoint } from './endpoints/read.js';
import { WebhookEndpointCrud, WebhookSecretResolver } from './endpoints/resolver.js';
import { createEndpoint, updateEndpoint } from './endpoints/save.js';
import { WebhookSender } from './sending/sender.js';
import { tidyWebhooksJob } from './tidy.js';

interface WebhooksParts {
  clock: Clock;
  metrics: Metrics;
  /** Of mails. */
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
  close(): Promise<void>;
}

const TIMEOUT_MS = 15_000;
const MOST_REQUEST_BYTES = 1_048_576;
const MOST_RESPONSE_BYTES = 262_144;

/** Endpoints that are told of events, and the deliveries to them. */
export function webhooksModule({ clock, metrics, outbox, settings }: WebhooksParts): WebhooksModule {
  const { webhookAllowHttp: allowHttp, webhookAllowNetworks: allowNetworks } = settings;
  const seal = new Seal(settings.keySecret, 'secrets of webhooks');
  const rules = { seal, allowHttp };
  const endpoints = new WebhookEndpointCrud({
    load: loadEndpoint,
    list: listEndpoints,
    create: (context, input) => createEndpoint(context, rules, input),
    update: (context, id, input) => updateEndpoint(context, rules, id, input),
  });
  const fetch = guardedFetch({
    ...{ allowNetworks, allowHttp, timeoutMs: TIMEOUT_MS },
    ...{ mostRequestBytes: MOST_REQUEST_BYTES, mostResponseBytes: MOST_RESPONSE_BYTES },
  });
  const keepsAnswers = allowNetworks.length === 0;
  const sender = new WebhookSender({ fetch, seal, clock, outbox, keepsAnswers, isOn: settings.webhooks });
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
      ...deliveriesBelow,
    ],
    nodes: [
      endpoints.node,
      { kind: 'webhookDelivery', allow: ['configure'], load: (id, context) => loadDelivery(context, id) },
    ],
    jobs: [dispatchJob(settings), sender.job, tidyWebhooksJob(settings.webhookLogDays)],
    close: () => sender.close(),
  };
}
