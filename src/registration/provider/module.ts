import type { Knex } from 'knex';
import type { Addresses } from '../../accounts/addresses.js';
import type { KeySettings } from '../../accounts/keys/save.js';
import type { Clock } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import { guardedFetch } from '../../base/outbound/guarded-fetch.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Seal } from '../../mail/outbox.js';
import { SessionChecks } from './check-sessions.js';
import { Issuers } from './issuers.js';
import { BackChannelLogout } from './logout.js';
import type { ProviderLink } from './record/provider-link.js';
import { IdentityProviderCrud } from './record/provider-resolver.js';
import { listProviders, loadProvider } from './record/read.js';
import { createProvider, updateProvider } from './record/save.js';
import { SingleSignOnResolver } from './resolver.js';
import { tidySessionsJob } from './sessions.js';
import { type InstallationIssuer, SingleSignOn } from './single-sign-on.js';

export interface SingleSignOnSettings extends KeySettings {
  oidcIssuer: string | undefined;
  oidcClientId: string | undefined;
  oidcClientSecret: string | undefined;
  oidcName: string;
  oidcScopes: string;
  oidcGroupsClaim: string;
  oidcAllowHttp: boolean;
  oidcAllowNetworks: string[];
}

interface SingleSignOnParts {
  db: Knex;
  clock: Clock;
  log: Log;
  changed(topic: string): void;
  settings: SingleSignOnSettings;
  /** Undefined: the console has no host name. */
  addresses: Addresses | undefined;
  admitTry(context: Context): Promise<void>;
}

const TIMEOUT_MS = 8_000;
const MOST_REQUEST_BYTES = 65_536;
const MOST_RESPONSE_BYTES = 262_144;

function installationOf(settings: SingleSignOnSettings): InstallationIssuer | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = settings;
  if (!issuer || !clientId || !clientSecret) return undefined;
  const { oidcName: name, oidcScopes: scopes, oidcGroupsClaim: groupsClaim } = settings;
  return { issuer, clientId, clientSecret, name, scopes, groupsClaim };
}

/** Single sign-on, of the installation and of accounts. */
export function singleSignOn({ settings, addresses, admitTry, ...records }: SingleSignOnParts) {
  const { oidcAllowHttp: allowHttp, oidcAllowNetworks: allowNetworks, keySecret } = settings;
  const bounds = { timeoutMs: TIMEOUT_MS, mostRequestBytes: MOST_REQUEST_BYTES };
  const fetch = guardedFetch({ allowNetworks, allowHttp, ...bounds, mostResponseBytes: MOST_RESPONSE_BYTES });
  const issuers = new Issuers(fetch, allowHttp, records.log);
  const secrets = new Seal(keySecret, 'secrets of identity providers');
  const sessions = new Seal(keySecret, 'refresh tokens of single sign-on');
  const installation = installationOf(settings);
  const returnUrl = addresses?.studio('console/signed-in');
  const logout = new BackChannelLogout({ ...records, issuers });
  const { db, log } = records;
  const keys = settings;
  const parts = { db, log, returnUrl, installation, issuers, keys, secrets, sessions, admitTry, logout };
  const signOn = new SingleSignOn(parts);
  const issuerOf = (link: ProviderLink) => signOn.issuerOf(link);
  const checks = new SessionChecks({ ...records, issuers, seal: sessions, issuerOf });
  const checkIssuer = async (context: Context, issuer: string) => {
    await admitTry(context);
    await issuers.check(issuer, adminOf(context).accountId);
  };
  const rules = { seal: secrets, checkIssuer };
  const providers = new IdentityProviderCrud({
    load: loadProvider,
    list: listProviders,
    create: (context, input) => createProvider(context, rules, input),
    update: (context, id, input) => updateProvider(context, rules, id, input),
  });
  return {
    /** Name of the installation's issuer; undefined: it has none, or the console has no host name. */
    name: returnUrl && installation?.name,
    resolvers: [providers, new SingleSignOnResolver(signOn)],
    /** Confirms a session of the console with its issuer. */
    check: (keyId: string) => checks.check(keyId),
    logOut: (context: Context, accountId: string | undefined, token: string) =>
      signOn.logOut(context, accountId, token),
    jobs: [tidySessionsJob],
    nodes: [providers.node],
  };
}
