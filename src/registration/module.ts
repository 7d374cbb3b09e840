import type { KeySettings } from '../accounts/keys/save.js';
import type { Log } from '../base/log.js';
import type { CountWrite } from '../graphql/context.js';
import type { Module } from '../graphql/schema.js';
import { drainJobs, forgottenBefore, type Job } from '../jobs/job.js';
import type { Outbox } from '../mail/outbox.js';
import type { RegistrationPolicy } from './complete.js';
import { listJamCodes, loadJamCode, loadRedemption } from './jam/read.js';
import { JamCodeCrud, JamCodeResolver } from './jam/resolver.js';
import { createJamCode, updateJamCode } from './jam/save.js';
import { Passkeys } from './passkeys/passkeys.js';
import { relyingPartyOf } from './passkeys/relying-party.js';
import { PasskeyResolver } from './passkeys/resolver.js';
import { RegisterResolver } from './register-resolver.js';
import { type OnCompleted, Registering } from './registering.js';

interface RegistrationParts {
  /** The outbox. */
  outbox: Outbox;
  log: Log;
  /** `mailRetentionDays` undefined: forever. */
  settings: KeySettings & {
    mailRetentionDays: number | undefined;
    registration: RegistrationPolicy;
    /** Where the console is; undefined: not known. */
    consoleUrl: string | undefined;
    publicUiUrl: string | undefined;
  };
  countWrite: CountWrite;
  onCompleted?: OnCompleted | undefined;
}

interface RegistrationModule extends Module {
  hasPasskeys: boolean;
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
  const { registration } = settings;
  const registering = new Registering({ outbox, log, keys: settings, registration, countWrite, onCompleted });
  const party = relyingPartyOf(settings.consoleUrl ?? settings.publicUiUrl);
  const passkeys = new Passkeys({
    party,
    keys: settings,
    outbox,
    admitTry: (context) => registering.admitTry(context),
  });
  const jamCodes = new JamCodeCrud({
    load: loadJamCode,
    list: listJamCodes,
    create: createJamCode,
    update: updateJamCode,
  });
  return {
    hasPasskeys: party !== undefined,
    resolvers: [
      new RegisterResolver(registering),
      new PasskeyResolver(passkeys),
      jamCodes,
      new JamCodeResolver(),
    ],
    nodes: [
      jamCodes.node,
      { kind: 'redemption', allow: ['superadmin'], load: (id, context) => loadRedemption(context, id) },
    ],
    jobs: [forgetRegistrationsJob(settings)],
  };
}

/** Longer than every use of them: the limit of an hour, an invitation of a day. */
const CODE_RETENTION_DAYS = 2;
const CODES_AT_ONCE = 2_000;

const CODES = `delete from verification_codes where id in (
  select id from verification_codes where created_at < ? order by created_at limit ${CODES_AT_ONCE} for update skip locked)`;

const MAILS = `delete from mails where id in (
  select id from mails where created_at < ? order by created_at limit ${CODES_AT_ONCE} for update skip locked)`;

/** Mails are kept for looking up their results. */
function forgetRegistrationsJob({ mailRetentionDays }: RegistrationParts['settings']): Job {
  return {
    name: 'forget-registrations',
    description: 'Deletes registration codes after two days, and email records after MAIL_RETENTION_DAYS.',
    everyMinutes: 60,
    run: async (call) => {
      const codes = forgottenBefore(call, CODE_RETENTION_DAYS);
      const mails = forgottenBefore(call, mailRetentionDays);
      const done = await drainJobs(call, CODES, codes, CODES_AT_ONCE);
      return { done: done + (await drainJobs(call, MAILS, mails, CODES_AT_ONCE)) };
    },
  };
}
