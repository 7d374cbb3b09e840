import DataLoader from 'dataloader';
import type { Clock } from '../clock.js';
import type { Changes } from '../db/changes.js';
import type { Queryable } from '../db/pool.js';
import { DomainError } from '../errors.js';
import type { ClientCaller } from '../graph/context.js';
import { kindOf, uuidOf } from '../ids.js';
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

/** Reads may be this much behind other nodes; writes read again under the board's lock (review.md 1.19). */
const KNOWN_MS = 1_000;
const REMEMBERED = 10_000;

/** Kinds of records whose change can end a session. */
const WATCHED = new Set(['account', 'game', 'device', 'deviceSession', 'identity']);

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
  readonly #known = new Map<string, { state: SessionState | undefined; readAt: number }>();
  readonly #stopListening: () => void;
  /** Goes up with every change here: what was read across a change is not kept. */
  #epoch = 0;

  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
    private readonly tokens: Tokens,
    changes: Changes,
  ) {
    this.#states = new DataLoader((ids) => this.#read(ids), { cache: false });
    this.#stopListening = changes.listen((topic) => {
      const kind = kindOf(topic);
      if (kind && WATCHED.has(kind)) this.#forget();
    });
  }

  /** @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, ACCOUNT_SUSPENDED */
  async authenticate(token: string): Promise<ClientCaller> {
    const claims = await this.tokens.access(token);
    if (!claims) throw invalidToken();
    const state = await this.#state(claims.sessionId);
    if (state?.status !== 'active' || state.version !== claims.version) throw invalidToken();
    if (state.account_status !== 'active') throw suspendedAccount();
    if (state.device_status !== 'active') throw blockedDevice();
    return callerOf(claims);
  }

  async #state(sessionId: string): Promise<SessionState | undefined> {
    const known = this.#known.get(sessionId);
    const now = this.clock();
    if (known && now - known.readAt < KNOWN_MS && now >= known.readAt) return known.state;
    const epoch = this.#epoch;
    const state = await this.#states.load(sessionId);
    if (epoch === this.#epoch) {
      if (this.#known.size >= REMEMBERED) this.#known.clear();
      this.#known.set(sessionId, { state, readAt: now });
    }
    return state;
  }

  async #read(sessionIds: readonly string[]): Promise<(SessionState | undefined)[]> {
    const ids = [...new Set(sessionIds.map(uuidOf))];
    const { rows } = await this.pool.query<SessionState>({ ...STATES, values: [ids] });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return sessionIds.map((id) => byId.get(uuidOf(id)));
  }

  #forget(): void {
    this.#epoch += 1;
    this.#known.clear();
  }

  close(): void {
    this.#stopListening();
  }
}

function callerOf(claims: TokenClaims): ClientCaller {
  const { accountId, gameId, deviceId, identityId, sessionId, testMode, version } = claims;
  return { kind: 'client', accountId, gameId, deviceId, identityId, sessionId, testMode, version };
}
