import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Queryable } from '../db/pool.js';
import type { Module } from '../graphql/module.js';
import { AccountResolver } from './account-resolver.js';
import { loadAuditEntry } from './audit/record.js';
import { AuditResolver } from './audit/resolver.js';
import { KeyAuthenticator } from './keys/authenticate.js';
import { ApiKeyResolver } from './keys/resolver.js';
import { type KeySettings, updateApiKey } from './keys/save.js';
import { MeResolver } from './me-resolver.js';
import { loadAccount, loadApiKey, loadUser } from './read.js';
import { updateAccount } from './save-account.js';
import { UserResolver } from './users/resolver.js';
import { updateUser } from './users/save.js';

const RESTORE = { deleted: false };

export interface AccountsParts {
  pool: Queryable;
  clock: Clock;
  log: Log;
  settings: KeySettings;
}

export interface AccountsModule extends Module {
  authenticator: KeyAuthenticator;
}

/** Accounts, users, API keys, `me`, and the audit trail. */
export function accountsModule({ pool, clock, log, settings }: AccountsParts): AccountsModule {
  const authenticator = new KeyAuthenticator(pool, clock, log, settings.keySecret);
  return {
    authenticator,
    resolvers: [
      new AccountResolver(),
      new UserResolver(),
      new ApiKeyResolver(settings),
      new MeResolver(),
      new AuditResolver(),
    ],
    nodes: [
      {
        kind: 'account',
        roles: ['admin'],
        load: (id, context) => loadAccount(context, id),
        restore: (id, context) => updateAccount(context, id, RESTORE),
      },
      {
        kind: 'user',
        roles: ['admin'],
        load: (id, context) => loadUser(context, id),
        restore: (id, context) => updateUser(context, id, RESTORE),
      },
      {
        kind: 'apiKey',
        roles: ['admin'],
        load: (id, context) => loadApiKey(context, id),
        restore: (id, context) => updateApiKey(context, id, RESTORE),
      },
      { kind: 'auditEntry', roles: ['admin'], load: (id, context) => loadAuditEntry(context, id) },
    ],
    close: () => authenticator.close(),
  };
}
