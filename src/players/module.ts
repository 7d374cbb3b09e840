import type { Clock } from '../base/clock.js';
import type { Changes } from '../db/changes.js';
import type { Queryable } from '../db/pool.js';
import type { CountWrite } from '../graphql/context.js';
import type { Module } from '../graphql/module.js';
import { DeviceResolver, DeviceSessionResolver } from './devices/resolver.js';
import { updateDevice } from './devices/save.js';
import { MePlayerResolver } from './identities/me-resolver.js';
import { GamePlayersResolver, IdentityResolver } from './identities/resolver.js';
import { updateIdentity } from './identities/save.js';
import type { Settle } from './pending-removals.js';
import { loadDevice, loadDeviceSession, loadIdentity } from './read.js';
import { TokenAuthenticator } from './sessions/authenticate.js';
import { type NonceSettings, Nonces } from './sessions/nonce.js';
import { SessionResolver } from './sessions/resolver.js';
import { updateDeviceSession } from './sessions/save.js';
import { type TokenSettings, Tokens } from './sessions/tokens.js';

export interface PlayersParts {
  pool: Queryable;
  clock: Clock;
  changes: Changes;
  settings: TokenSettings & NonceSettings;
  /** Has the boards of a deleted or restored player follow. */
  settle: Settle;
  /** Asked before a session starts. */
  countWrite: CountWrite;
}

export interface PlayersModule extends Module {
  nonces: Nonces;
  authenticator: TokenAuthenticator;
}

const RESTORE = { deleted: false };

/** Devices, their sessions and tokens, identities, nonces. */
export function playersModule(parts: PlayersParts): PlayersModule {
  const { pool, clock, changes, settings, settle, countWrite } = parts;
  const tokens = new Tokens(settings, clock);
  const nonces = new Nonces(settings);
  const authenticator = new TokenAuthenticator(pool, clock, tokens, changes);
  return {
    nonces,
    authenticator,
    resolvers: [
      new SessionResolver({ settings, tokens, countWrite }, nonces),
      new DeviceResolver(settle),
      new DeviceSessionResolver(),
      new IdentityResolver(settle),
      new GamePlayersResolver(),
      new MePlayerResolver(),
    ],
    nodes: [
      {
        kind: 'device',
        roles: ['admin'],
        load: (id, context) => loadDevice(context, id),
        restore: (id, context) => updateDevice(context, settle, id, RESTORE),
      },
      {
        kind: 'deviceSession',
        roles: ['admin'],
        load: (id, context) => loadDeviceSession(context, id),
        restore: (id, context) => updateDeviceSession(context, id, RESTORE),
      },
      {
        kind: 'identity',
        roles: ['admin'],
        load: (id, context) => loadIdentity(context, id),
        restore: (id, context) => updateIdentity(context, settle, id, RESTORE),
      },
    ],
    close: async () => authenticator.close(),
  };
}
