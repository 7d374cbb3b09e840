import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Metrics } from '../base/metrics.js';
import type { Job } from '../jobs/job.js';
import { deliverer, type MailSettings } from './delivery.js';
import { Outbox, Seal } from './outbox.js';
import { MailSender } from './sender.js';

interface MailParts {
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** `keySecret` encrypts waiting mails. */
  settings: MailSettings & { keySecret: string };
}

interface MailRoom {
  outbox: Outbox;
  job: Job;
}

/** Sends mails that a request's transaction put into the outbox. */
export function mailRoom({ clock, log, metrics, settings }: MailParts): MailRoom {
  const outbox = new Outbox(new Seal(settings.keySecret));
  const { job, counts } = new MailSender(outbox, deliverer(settings, log), clock);
  metrics.counters(
    'leaderboard_mails_total',
    'Emails by result: sent; retried after a failure; failed permanently; expired before they could be sent.',
    ['result'],
    () => Object.entries(counts).map(([result, count]) => [{ result }, count]),
  );
  return { outbox, job };
}
