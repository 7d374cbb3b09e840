import { setMaxListeners } from 'node:events';
import { uuidOf } from '../../base/ids.js';
import { Hands, insistOn, patientSignal } from '../../jobs/hands.js';
import { type Job, type JobCall, type JobResult, wakeJob } from '../../jobs/job.js';
import type { Outbox } from '../../mail/outbox.js';
import { SEND_WEBHOOKS } from '../events/job-names.js';
import { type AttemptParts, attempt } from './attempt.js';
import { type ClaimedDelivery, claimDelivery, nextDelivery } from './claim.js';
import { disableEndpoint } from './disable.js';
import { settle } from './settle.js';

/** Requests of one process at the same time; accounts and endpoints have their own limits. */
const WEBHOOK_HANDS = 100;
/** Time that requests under way get when the process is to end. */
const STOP_MS = 3_000;
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
  readonly #hands: Hands<ClaimedDelivery>;
  readonly #stop = new AbortController();
  #attending: Promise<void> | undefined;

  constructor(private readonly parts: SenderParts) {
    this.#hands = new Hands({
      most: WEBHOOK_HANDS,
      take: ({ db }) => claimDelivery(db, parts.clock()),
      work: (claimed, call) => this.#send(claimed, call),
    });
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
    this.#hands.start({ ...call, signal });
    this.#attending ??= this.#attend(call).finally(() => {
      this.#attending = undefined;
    });
    return { done: 0 };
  }

  /** Until nothing is left; then the job is called when the next delivery is due. */
  async #attend({ db, log }: JobCall): Promise<void> {
    try {
      await this.#hands.idle();
      const next = await nextDelivery(db);
      if (!next || this.#stop.signal.aborted) return;
      const now = this.parts.clock();
      await wakeJob(db, SEND_WEBHOOKS, new Date(Math.max(next.getTime(), now + REST_MS)), now);
    } catch (error) {
      log.warn({ err: error }, 'sending webhook events was interrupted; it will be retried');
    }
  }

  async #send(claimed: ClaimedDelivery, { db, signal, log }: JobCall): Promise<void> {
    const { patient, end } = patientSignal(signal, STOP_MS);
    const outcome = await attempt(this.parts, claimed, patient);
    end();
    // Cut off at the end of the process: the next one takes it when its lease has expired.
    if (patient.aborted) return;
    const { delivery, endpoint } = claimed;
    const { disable, again } = await insistOn(() =>
      settle(db, claimed, outcome, this.parts.clock(), Math.random()),
    );
    const result = outcome.error === null ? 'delivered' : again ? 'retried' : 'failed';
    this.counts[result] += 1;
    if (outcome.error === null) return;
    const facts = { delivery: delivery.id, endpoint: endpoint.id, attempts: delivery.attempts, again };
    log.debug({ ...facts, error: outcome.error }, 'a webhook endpoint did not accept an event');
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
