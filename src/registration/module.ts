import type { KeySettings } from '../accounts/keys/save.js';
import type { Log } from '../base/log.js';
import type { CountWrite } from '../graphql/context.js';
import type { Module } from '../graphql/schema.js';
import { drainJobs, type Job } from '../jobs/job.js';
import type { Outbox } from '../mail/outbox.js';
import { listJamCodes, loadJamCode, loadRedemption } from './jam/read.js';
import { JamCodeCrud, JamCodeRedemptionResolver, JamCodeResolver } from './jam/resolver.js';
import { createJamCode, updateJamCode } from './jam/save.js';
import { RegisterResolver } from './register-resolver.js';
import { type OnCompleted, Registering } from './registering.js';

interface RegistrationParts {
  /** The outbox. */
  outbox: Outbox;
  log: Log;
  settings: KeySettings;
  countWrite: CountWrite;
  onCompleted?: OnCompleted | undefined;
}

interface RegistrationModule extends Module {
  jobs: Job[];
}

/** Registration, invitations and jam codes. */
export function registrationModule({
  outbox,
  log,
  settings,
  countWrite,
  onCompleted,
}: RegistrationParts): RegistrationModule {
  const registering = new Registering({ outbox, log, keys: settings, countWrite, onCompleted });
  const jamCodes = new JamCodeCrud({
    load: loadJamCode,
    list: listJamCodes,
    create: createJamCode,
    update: updateJamCode,
  });
  return {
    resolvers: [
      new RegisterResolver(registering),
      jamCodes,
      new JamCodeResolver(),
      new JamCodeRedemptionResolver(),
    ],
    nodes: [
      jamCodes.node,
      { kind: 'redemption', roles: ['superadmin'], load: (id, context) => loadRedemption(context, id) },
    ],
    jobs: [forgetRegistrationsJob],
  };
}

const DAY = 24 * 3_600_000;
/** Longer than every use of them: the limit of an hour, an invitation of a day. */
const CODES_KEPT_MILLIS = 2 * DAY;
/** Retention of sent and failed mails, for looking up their results. */
const MAILS_KEPT_MILLIS = 30 * DAY;
const CODES_AT_ONCE = 2_000;

const CODES = `delete from verification_codes where id in (
  select id from verification_codes where created_at < ? order by created_at limit ${CODES_AT_ONCE} for update skip locked)`;

const MAILS = `delete from mails where id in (
  select id from mails where created_at < ? order by created_at limit ${CODES_AT_ONCE} for update skip locked)`;

const forgetRegistrationsJob: Job = {
  name: 'forget-registrations',
  description: 'Deletes codes of registrations after two days, and what is known of mails after 30.',
  everyMinutes: 60,
  run: async (call) => {
    const now = call.now.getTime();
    const codes = await drainJobs(call, CODES, now - CODES_KEPT_MILLIS, CODES_AT_ONCE);
    return { done: codes + (await drainJobs(call, MAILS, now - MAILS_KEPT_MILLIS, CODES_AT_ONCE)) };
  },
};
