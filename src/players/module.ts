import type { Clock } from '../clock.js';
import type { Changes } from '../db/changes.js';
import type { Queryable } from '../db/pool.js';
import type { CountWrite } from '../graph/context.js';
import type { Module } from '../graph/module.js';
import { TokenAuthenticator } from './authenticate.js';
import { DeviceResolver, DeviceSessionResolver } from './device-resolver.js';
import type { Settle } from './due.js';
import { GamePlayersResolver, IdentityResolver } from './identity-resolver.js';
import { MePlayerResolver } from './me-player-resolver.js';
import { type NonceSettings, Nonces } from './nonce.js';
import { loadDevice, loadDeviceSession, loadIdentity } from './read.js';
import { updateDevice } from './save-device.js';
import { updateIdentity } from './save-identity.js';
import { updateDeviceSession } from './save-session.js';
import { SessionResolver } from './session-resolver.js';
import { type TokenSettings, Tokens } from './tokens.js';

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
