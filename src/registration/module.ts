import type { Knex } from 'knex';
import type { Addresses } from '../accounts/addresses.js';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Context, CountWrite } from '../graphql/context.js';
import type { Module } from '../graphql/schema.js';
import { drainJobs, forgottenBefore, type Job } from '../jobs/job.js';
import type { Outbox } from '../mail/outbox.js';
import type { RegistrationPolicy } from './complete.js';
import { listJamCodes, loadJamCode, loadRedemption } from './jam/read.js';
import { JamCodeCrud, JamCodeResolver } from './jam/resolver.js';
import { createJamCode, updateJamCode } from './jam/save.js';
import { Passkeys } from './passkeys/passkeys.js';
import { relyingPartyOf } from './passkeys/relying-party.js';
import { PasskeyDemandResolver, PasskeyResolver } from './passkeys/resolver.js';
import { type SingleSignOnSettings, singleSignOn } from './provider/module.js';
import { hasOwnIssuer } from './provider/record/read.js';
import { RegisterResolver } from './register-resolver.js';
import { type OnCompleted, Registering } from './registering.js';

interface RegistrationParts {
  database: { knex: Knex };
  clock: Clock;
  changed(topic: string): void;
  /** The outbox. */
  outbox: Outbox;
  log: Log;
  /** `mailRetentionDays` undefined: forever. */
  settings: SingleSignOnSettings & {
    mailRetentionDays: number | undefined;
    registration: RegistrationPolicy;
  };
  addresses: Addresses;
  countWrite: CountWrite;
  onCompleted?: OnCompleted | undefined;
}

interface RegistrationModule extends Module {
  hasPasskeys: boolean;
  /** Name of the installation's single sign-on; undefined: it has none. */
  providerName: string | undefined;
  /** True if an account may sign its users in with an issuer of its own. */
  hasIssuers(): Promise<boolean>;
  jobs: Job[];
  /** Confirms a session of the console with the issuer that signed in. @throws DomainError INVALID_API_KEY, UNAVAILABLE */
  checkSession(keyId: string): Promise<void>;
  /** Back-channel logout. */
  logOut(context: Context, accountId: string | undefined, token: string): Promise<void>;
}

/** Registration, invitations and jam codes. */
export function registrationModule({
  outbox,
  log,
  settings,
  addresses,
  countWrite,
  onCompleted,
  ...process
}: RegistrationParts): RegistrationModule {
  const { registration } = settings;
  const party = relyingPartyOf(addresses);
  const parts = { outbox, log, keys: settings, registration, countWrite, addresses, onCompleted };
  const registering = new Registering(parts);
  const admitTry = (context: Context) => registering.admitTry(context);
  const signOn = singleSignOn({
    ...{ settings, addresses: party && addresses, admitTry, log, db: process.database.knex },
    ...process,
  });
  const passkeys = new Passkeys({
    party,
    keys: settings,
    outbox,
    admitTry,
  });
  const jamCodes = new JamCodeCrud({
    load: loadJamCode,
    list: listJamCodes,
    create: createJamCode,
    update: updateJamCode,
  });
  return {
    hasPasskeys: party !== undefined,
    providerName: signOn.name,
    hasIssuers: () => hasOwnIssuer(process.database.knex),
    resolvers: [
      new RegisterResolver(registering),
      new PasskeyResolver(passkeys),
      new PasskeyDemandResolver(),
      ...signOn.resolvers,
      jamCodes,
      new JamCodeResolver(),
    ],
    nodes: [
      jamCodes.node,
      ...signOn.nodes,
      { kind: 'redemption', allow: ['superadmin'], load: (id, context) => loadRedemption(context, id) },
    ],
    jobs: [forgetRegistrationsJob(settings), ...signOn.jobs],
    checkSession: signOn.check,
    logOut: signOn.logOut,
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
