import { setMaxListeners } from 'node:events';
import { uuidOf } from '../../base/ids.js';
import { Hands } from '../../jobs/hands.js';
import { type Job, type JobCall, type JobResult, wakeJob } from '../../jobs/job.js';
import type { Outbox } from '../../mail/outbox.js';
import { SEND_WEBHOOKS } from '../events/job-names.js';
import type { AttemptParts } from './attempt.js';
import { sendBatch } from './batch.js';
import { type ClaimedBatch, claimBatch, type Lane, nextDelivery } from './claim.js';
import { disableEndpoint } from './disable.js';

/** An account has at most a fifth of the requests. */
const LANES: Lane[] = [
  { isSlow: false, hands: 100, ofAccount: 20 },
  { isSlow: true, hands: 50, ofAccount: 10 },
];
/** Shortest wait before the job is called again for what is left. */
const REST_MS = 1_000;

/** Attempts since the start of the process, by result. */
type AttemptCounts = Record<'delivered' | 'retried' | 'failed', number>;

interface SenderParts extends AttemptParts {
  outbox: Outbox;
  /** WEBHOOKS. */
  isOn: boolean;
}

/**
 * Sends deliveries beside the job queue, which only wakes it: receivers that hang take none of its places. A delivery that a
 * killed process leaves behind is taken again when its lease has expired.
 */
export class WebhookSender {
  readonly counts: AttemptCounts = { delivered: 0, retried: 0, failed: 0 };
  readonly #lanes: Hands<ClaimedBatch>[];
  readonly #stop = new AbortController();
  #attending: Promise<void> | undefined;

  constructor(private readonly parts: SenderParts) {
    this.#lanes = LANES.map(
      (lane) =>
        new Hands({
          most: lane.hands,
          take: ({ db }, free) => claimBatch(db, lane, free, parts.clock()),
          needs: ({ hands }) => hands,
          work: (batch, call, keep) => this.#send(batch, call, keep),
        }),
    );
  }

  get job(): Job {
    return {
      name: SEND_WEBHOOKS,
      description: 'Sends webhook events to the endpoints of accounts.',
      everyMinutes: 1,
      run: async (call) => this.#run(call),
    };
  }

  #run(call: JobCall): JobResult {
    if (!this.parts.isOn || this.#stop.signal.aborted) return { done: 0 };
    const signal = AbortSignal.any([call.signal, this.#stop.signal]);
    // Each request under way listens to it.
    setMaxListeners(0, signal);
    for (const lane of this.#lanes) lane.start({ ...call, signal });
    this.#attending ??= this.#attend(call).finally(() => {
      this.#attending = undefined;
    });
    return { done: 0 };
  }

  /** Until nothing is left; then the job is called when the next delivery is due. */
  async #attend({ db, log }: JobCall): Promise<void> {
    try {
      await Promise.all(this.#lanes.map((lane) => lane.idle()));
      const next = await nextDelivery(db);
      if (!next || this.#stop.signal.aborted) return;
      const now = this.parts.clock();
      await wakeJob(db, SEND_WEBHOOKS, new Date(Math.max(next.getTime(), now + REST_MS)), now);
    } catch (error) {
      log.warn({ err: error }, 'sending webhook events was interrupted; it will be retried');
    }
  }

  async #send(batch: ClaimedBatch, call: JobCall, keep: (hands: number) => void): Promise<void> {
    const { db, log } = call;
    const { endpoint } = batch;
    const { tried, disable, again } = await sendBatch(this.parts, batch, call, keep);
    for (const { delivery, outcome } of tried) {
      const isAgain = again.has(delivery.id);
      this.counts[outcome.error === null ? 'delivered' : isAgain ? 'retried' : 'failed'] += 1;
      if (outcome.error === null) continue;
      const facts = { delivery: delivery.id, endpoint: endpoint.id, attempts: delivery.attempts, isAgain };
      const { error, detail } = outcome;
      log.debug({ ...facts, error, detail }, 'a webhook endpoint did not accept an event');
    }
    if (disable === null) return;
    const now = new Date(this.parts.clock());
    await disableEndpoint(db, this.parts.outbox, SEND_WEBHOOKS, endpoint.id, disable, now);
    log.info({ endpoint: uuidOf(endpoint.id), reason: disable }, 'a webhook endpoint was disabled');
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#attending;
  }
}
