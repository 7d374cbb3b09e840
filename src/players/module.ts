import type { Knex } from 'knex';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { type GuardedFetch, guardedFetch } from '../base/outbound/guarded-fetch.js';
import type { Changes } from '../db/changes.js';
import type { Queryable } from '../db/pool.js';
import type { CountWrite } from '../graphql/context.js';
import type { Module } from '../graphql/schema.js';
import { ResetDeviceResolver } from './devices/reset-resolver.js';
import { updateDevice } from './devices/save.js';
import { FriendsResolver, IdentityFriendsResolver } from './friends/resolver.js';
import { createIdentity, type FollowName, updateIdentity } from './identities/save.js';
import { LinkLimits } from './links/limits.js';
import { LinkResolver } from './links/resolver.js';
import { LivePlayers } from './live.js';
import { PlayerChangedResolver } from './live-resolver.js';
import type { FollowMerge } from './merges/by-client.js';
import type { Reconcile } from './pending-removals.js';
import type { ReadStanding } from './proofs/conflict.js';
import { RemoveProofResolver } from './proofs/remove-resolver.js';
import { PlayerProofResolver, ProvenMeResolver } from './proofs/resolver.js';
import { provenStarts } from './proofs/start.js';
import { ProviderTestResolver } from './providers/prove/test-resolver.js';
import { ProofVerifier } from './providers/prove/verify.js';
import { listProviders, loadProvider } from './providers/read.js';
import { PlayerProviderCrud, providersBelow } from './providers/resolver.js';
import { createPlayerProvider, type Sealing, updatePlayerProvider } from './providers/save.js';
import {
  listDeviceSessions,
  listDevices,
  listIdentities,
  loadDevice,
  loadDeviceSession,
  loadIdentity,
  seenDevice,
  seenIdentity,
} from './read.js';
import {
  DeviceCrud,
  DeviceSessionCrud,
  DeviceSessionResolver,
  DeviceTextResolver,
  GamePlayersResolver,
  IdentityCrud,
  IdentityKeyResolver,
  playersBelow,
} from './resolver.js';
import { TokenAuthenticator } from './sessions/authenticate.js';
import { ClientWrites } from './sessions/client-write.js';
import { newDevices } from './sessions/new-devices.js';
import { type NonceSettings, Nonces } from './sessions/nonce.js';
import { PlayerSessionResolver } from './sessions/player-resolver.js';
import { playerSessions } from './sessions/player-sessions.js';
import { SessionResolver } from './sessions/resolver.js';
import { updateDeviceSession } from './sessions/save.js';
import { type TokenSettings, Tokens } from './sessions/tokens.js';
import type { NewGroups } from './tags/new-groups.js';
import { PlayerTagsResolver } from './tags/resolver.js';
import type { FollowTags } from './tags/save.js';

interface PlayersParts {
  pool: Queryable;
  db: Knex;
  clock: Clock;
  log: Log;
  changes: Changes;
  settings: TokenSettings &
    NonceSettings & {
      headerPrefix: string;
      keySecret: string;
      newDevicesPerHour: number | undefined;
      oidcAllowHttp: boolean;
      oidcAllowNetworks: string[];
    };
  /** Of the secrets of providers. */
  seal: Sealing;
  providers: ProviderOptions;
  /** Reads a player's place for a game that asks which player to keep. */
  standing: ReadStanding;
  /** Makes the boards follow a merge that a game client has begun. */
  followMerge: FollowMerge;
  /** Makes the boards follow a deleted or restored player. */
  reconcile: Reconcile;
  /** Makes the boards follow a player whose tags have changed. */
  followTags: FollowTags;
  /** Makes the boards show the name of a player whom an administrator has renamed. */
  followName: FollowName;
  /** Limits the groups of views that game clients begin. */
  newGroups: NewGroups;
  /** Called before a session starts. */
  countWrite: CountWrite;
}

/** Tests answer in place of Steam, Apple, Google and Discord. */
export interface ProviderOptions {
  fetch?: GuardedFetch;
  /** Trusted roots of Game Center's certificates as PEM. */
  roots?: readonly string[];
}

const PROVIDER_TIMEOUT_MS = 5_000;
const MOST_REQUEST_BYTES = 16_384;
const MOST_RESPONSE_BYTES = 262_144;

interface PlayersModule extends Module {
  nonces: Nonces;
  /** Session and nonce of writes with a device's token. */
  writes: ClientWrites;
  authenticator: TokenAuthenticator;
  /** Starts to look for changes of players whose sessions listen. */
  start(): void;
}

/** Devices, their sessions and tokens, identities, nonces. */
export function playersModule(parts: PlayersParts): PlayersModule {
  const { pool, clock, log, changes, settings, reconcile, followTags, followName, newGroups, countWrite } =
    parts;
  const { oidcAllowHttp: allowHttp, oidcAllowNetworks: allowNetworks } = settings;
  const tokens = new Tokens(settings, clock);
  const nonces = new Nonces(settings);
  const countNewDevice = newDevices(settings.newDevicesPerHour);
  const authenticator = new TokenAuthenticator(pool, clock, tokens, changes);
  const writes = new ClientWrites(nonces, authenticator, `${settings.headerPrefix}-client-nonce`);
  const fetch =
    parts.providers.fetch ??
    guardedFetch({
      ...{ allowNetworks, allowHttp, timeoutMs: PROVIDER_TIMEOUT_MS },
      ...{ mostRequestBytes: MOST_REQUEST_BYTES, mostResponseBytes: MOST_RESPONSE_BYTES },
    });
  const proofs = new ProofVerifier({ fetch, seal: parts.seal, log, roots: parts.providers.roots });
  const { standing, followMerge } = parts;
  const beginProven = provenStarts(proofs, settings, { standing, followMerge });
  const live = new LivePlayers({ db: parts.db, log, changes });
  const { keySecret } = settings;
  const linking = {
    ...{ settings, tokens, keySecret, writes, standing, followMerge },
    limits: new LinkLimits(),
  };
  const rules = { seal: parts.seal, allowHttp };
  const providers = new PlayerProviderCrud({
    load: loadProvider,
    list: listProviders,
    create: (context, input) => createPlayerProvider(context, rules, input),
    update: (context, id, input) => updatePlayerProvider(context, rules, id, input),
  });
  const devices = new DeviceCrud({
    load: loadDevice,
    list: listDevices,
    update: (context, id, input) => updateDevice(context, reconcile, id, input),
  });
  const deviceSessions = new DeviceSessionCrud({
    load: loadDeviceSession,
    list: async (context, page, filters) => {
      if (filters.deviceId != null) await loadDevice(context, filters.deviceId);
      return listDeviceSessions(context, page, filters);
    },
    update: updateDeviceSession,
  });
  const identities = new IdentityCrud({
    load: loadIdentity,
    list: listIdentities,
    create: createIdentity,
    update: (context, id, input) => updateIdentity(context, { reconcile, name: followName }, id, input),
  });
  return {
    nonces,
    writes,
    authenticator,
    resolvers: [
      devices,
      deviceSessions,
      identities,
      new SessionResolver({ pool, settings, tokens, countWrite, countNewDevice, beginProven }, nonces),
      providers,
      providersBelow,
      new ProviderTestResolver(proofs),
      new PlayerProofResolver({ settings, tokens, proofs, writes, standing, followMerge }),
      new PlayerChangedResolver(live),
      new RemoveProofResolver(),
      new ProvenMeResolver(),
      new LinkResolver(linking),
      new PlayerSessionResolver({ settings, tokens, count: playerSessions() }),
      new DeviceSessionResolver(),
      new DeviceTextResolver(),
      new ResetDeviceResolver(),
      new IdentityKeyResolver(),
      ...playersBelow,
      new FriendsResolver(),
      new IdentityFriendsResolver(),
      new PlayerTagsResolver(followTags, newGroups, writes),
      new GamePlayersResolver(),
    ],
    nodes: [
      {
        ...devices.node,
        allowReference: ['read', 'client'],
        load: (id, context) => seenDevice(context, id),
      },
      deviceSessions.node,
      providers.node,
      {
        ...identities.node,
        allowReference: ['read', 'client'],
        load: (id, context) => seenIdentity(context, id),
      },
    ],
    start: () => live.start(),
    close: async () => {
      authenticator.close();
      await live.close();
    },
  };
}
