import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Queryable } from '../db/pool.js';
import type { Module } from '../graphql/schema.js';
import { listAuditEntries, loadAuditEntry } from './audit/entry.js';
import { AuditEntryResolver, AuditQueries, auditBelowAccount } from './audit/resolver.js';
import { KeyAuthenticator } from './keys/authenticate.js';
import { createApiKey, type KeySettings, updateApiKey } from './keys/save.js';
import { ConsoleSessionResolver } from './keys/session-resolver.js';
import { MeResolver } from './me-resolver.js';
import { listAccounts, listApiKeys, listUsers, loadAccount, loadApiKey, loadUser } from './read.js';
import { AccountCrud, ApiKeyCrud, accountsBelow, UserCrud } from './resolver.js';
import { createAccount, updateAccount } from './save-account.js';
import { createUser, updateUser } from './users/save.js';

interface AccountsParts {
  pool: Queryable;
  clock: Clock;
  log: Log;
  settings: KeySettings;
  /** False where the console has no host name to bind them to. */
  hasPasskeys: boolean;
  /** Confirms a session of the console with the issuer that signed in. */
  checkSession(keyId: string): Promise<void>;
}

interface AccountsModule extends Module {
  authenticator: KeyAuthenticator;
}

/** Accounts, users, API keys, `me`, and the audit trail. */
export function accountsModule(parts: AccountsParts): AccountsModule {
  const { pool, clock, log, settings, hasPasskeys, checkSession } = parts;
  const authenticator = new KeyAuthenticator(pool, clock, log, settings.keySecret, checkSession);
  const accounts = new AccountCrud({
    load: loadAccount,
    list: listAccounts,
    create: createAccount,
    update: (context, id, input) => updateAccount(context, id, input, hasPasskeys),
  });
  const users = new UserCrud({
    load: loadUser,
    list: listUsers,
    create: createUser,
    update: updateUser,
  });
  const apiKeys = new ApiKeyCrud({
    load: loadApiKey,
    list: listApiKeys,
    create: (context, input) => createApiKey(context, settings, input),
    update: updateApiKey,
  });
  const audit = new AuditQueries({ load: loadAuditEntry, list: listAuditEntries });
  return {
    authenticator,
    resolvers: [
      accounts,
      users,
      apiKeys,
      audit,
      new MeResolver(),
      new ConsoleSessionResolver(),
      ...accountsBelow,
      auditBelowAccount,
      new AuditEntryResolver(),
    ],
    nodes: [accounts.node, users.node, apiKeys.node, audit.node],
    close: () => authenticator.close(),
  };
}
