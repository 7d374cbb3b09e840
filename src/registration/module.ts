import type { KeySettings } from '../accounts/keys/save.js';
import type { Log } from '../base/log.js';
import type { CountWrite } from '../graphql/context.js';
import type { Module } from '../graphql/module.js';
import type { Job } from '../jobs/job.js';
import type { Outbox } from '../mail/outbox.js';
import { forgetRegistrationsJob } from './forget.js';
import { listJamCodes, loadJamCode, loadRedemption } from './jam/read.js';
import { JamCodeCrud, JamCodeRedemptionResolver, JamCodeResolver } from './jam/resolver.js';
import { createJamCode, updateJamCode } from './jam/save.js';
import { RegisterResolver } from './register-resolver.js';
import { type OnCompleted, Registering } from './registering.js';

export interface RegistrationParts {
  /** The outbox. */
  outbox: Outbox;
  log: Log;
  settings: KeySettings;
  countWrite: CountWrite;
  onCompleted?: OnCompleted | undefined;
}

export interface RegistrationModule extends Module {
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
