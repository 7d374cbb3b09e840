import DataLoader from 'dataloader';
import type { Clock } from '../clock.js';
import type { Changes } from '../db/changes.js';
import type { Queryable } from '../db/pool.js';
import { ShortMemory } from '../db/short-memory.js';
import { DomainError } from '../errors.js';
import type { ClientCaller } from '../graph/context.js';
import { uuidOf } from '../ids.js';
import type { DeviceStatus } from './device.js';
import type { TokenClaims, Tokens } from './tokens.js';

/** What a session stands on, read in one statement for all sessions of a tick. */
interface SessionState {
  id: string;
  version: number;
  status: 'active' | 'revoked';
  device_status: DeviceStatus;
  account_status: 'active' | 'suspended';
}

// Whatever is missing here is deleted, or below something deleted.
const STATES = {
  name: 'session_states',
  text: `
  select s.id, s.version, s.status, d.status as device_status, a.status as account_status
  from unnest($1::uuid[]) u(id)
  cross join lateral (select * from device_sessions where id = u.id and deleted_at is null limit 1) s
  cross join lateral (select status from devices where id = s.device_id and deleted_at is null limit 1) d
  cross join lateral (select from identities where id = s.identity_id and deleted_at is null limit 1) i
  cross join lateral (select from games where id = s.game_id and deleted_at is null limit 1) g
  cross join lateral (select status from accounts where id = s.account_id and deleted_at is null limit 1) a`,
};

/** Kinds of records whose change can end a session, beside its own. */
const GROUNDS = new Set(['account', 'game', 'device', 'identity']);

export function invalidToken(): DomainError {
  return new DomainError(
    'INVALID_TOKEN',
    'The access token is not valid: refresh it, or start a new session',
  );
}

export function blockedDevice(): DomainError {
  return new DomainError('DEVICE_BLOCKED', 'This device is banned or suspended');
}

export function suspendedAccount(): DomainError {
  return new DomainError('ACCOUNT_SUSPENDED', 'The account of this game is suspended');
}

/** Tells which device's session presents an access token. */
export class TokenAuthenticator {
  readonly #states: DataLoader<string, SessionState | undefined>;
  readonly #known: ShortMemory<SessionState>;

  constructor(
    private readonly pool: Queryable,
    clock: Clock,
    private readonly tokens: Tokens,
    changes: Changes,
  ) {
    this.#states = new DataLoader((ids) => this.#read(ids), { cache: false });
    this.#known = new ShortMemory(clock, changes, GROUNDS);
  }

  /** @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, ACCOUNT_SUSPENDED */
  async authenticate(token: string): Promise<ClientCaller> {
    const claims = await this.tokens.access(token);
    if (!claims) throw invalidToken();
    const state = await this.#known.read(claims.sessionId, (id) => this.#states.load(id));
    if (state?.status !== 'active' || state.version !== claims.version) throw invalidToken();
    if (state.account_status !== 'active') throw suspendedAccount();
    if (state.device_status !== 'active') throw blockedDevice();
    return callerOf(claims);
  }

  async #read(sessionIds: readonly string[]): Promise<(SessionState | undefined)[]> {
    const ids = [...new Set(sessionIds.map(uuidOf))];
    const { rows } = await this.pool.query<SessionState>({ ...STATES, values: [ids] });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return sessionIds.map((id) => byId.get(uuidOf(id)));
  }

  close(): void {
    this.#known.close();
  }
}

function callerOf(claims: TokenClaims): ClientCaller {
  const { accountId, gameId, deviceId, identityId, sessionId, testMode, version } = claims;
  return { kind: 'client', accountId, gameId, deviceId, identityId, sessionId, testMode, version };
}
