import type { Clock } from '../../base/clock.js';
import { accountMoved, DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Changes } from '../../db/changes.js';
import { MOVED } from '../../db/moved.js';
import type { Queryable } from '../../db/pool.js';
import { BatchedRead, TtlCache } from '../../db/shared-reads.js';
import type { ClientCaller } from '../../graphql/context.js';
import type { DeviceStatus } from '../devices/device.js';
import type { Tokens, Verified } from './tokens.js';

/** The state on which a session's validity depends, read in one statement for all sessions of a tick. */
interface SessionState {
  id: string;
  version: number;
  /** The player that it acts for: after a merge, another one than older tokens say. A bare uuid. */
  identity_id: string;
  status: 'active' | 'revoked';
  device_status: DeviceStatus;
  account_status: string;
}

/**
 * SQL: the status of a session. What a user's key started ends with the user, so that whoever may start sessions for players leaves
 * none behind.
 */
export const sessionStatus = (session: string) =>
  `case when ${session}.started_by is null or exists (select from users u where u.id = ${session}.started_by and u.status = 'active'
    and u.deleted_at is null) then ${session}.status else 'revoked' end`;

/** Sessions that are no longer valid: nearly always none, so that a check of ten thousand returns almost no rows. */
const INVALID_SESSIONS = {
  name: 'invalid_sessions',
  text: `
  select u.ord, ${sessionStatus('s')} as status, s.version = u.version and s.identity_id = u.identity_id as current,
    d.status as device_status, a.status as account_status
  from unnest($1::uuid[], $2::bigint[], $3::uuid[]) with ordinality u(id, version, identity_id, ord)
  left join lateral (select * from device_sessions where id = u.id and deleted_at is null limit 1) s on true
  left join lateral (select status from devices where id = s.device_id and deleted_at is null limit 1) d on true
  left join lateral (select id from identities where id = s.identity_id and deleted_at is null limit 1) i on true
  left join lateral (select id from games where id = s.game_id and deleted_at is null limit 1) g on true
  left join lateral (select status from accounts where id = s.account_id and deleted_at is null limit 1) a on true
  where (${sessionStatus('s')} = 'active' and s.version = u.version and s.identity_id = u.identity_id
    and d.status = 'active' and a.status = 'active'
    and i.id is not null and g.id is not null) is not true`,
};

interface InvalidRow {
  ord: number;
  status: string | null;
  current: boolean | null;
  device_status: DeviceStatus | null;
  account_status: string | null;
}

// A missing row is deleted, or belongs to a deleted record.
const STATES = {
  name: 'session_states',
  text: `
  select s.id, s.version, s.identity_id, ${sessionStatus('s')} as status, d.status as device_status, a.status as account_status
  from unnest($1::uuid[]) u(id)
  cross join lateral (select * from device_sessions where id = u.id and deleted_at is null limit 1) s
  cross join lateral (select status from devices where id = s.device_id and deleted_at is null limit 1) d
  cross join lateral (select from identities where id = s.identity_id and deleted_at is null limit 1) i
  cross join lateral (select from games where id = s.game_id and deleted_at is null limit 1) g
  cross join lateral (select status from accounts where id = s.account_id and deleted_at is null limit 1) a`,
};

/** Kinds of records, besides the session itself, whose change can end a session. */
const GROUNDS = new Set(['account', 'game', 'device', 'identity', 'user']);

export function invalidToken(): DomainError {
  return new DomainError('INVALID_TOKEN', 'Invalid access token. Refresh it, or start a new session.');
}

export function blockedDevice(): DomainError {
  return new DomainError('DEVICE_BLOCKED', 'This device is banned or suspended.');
}

/** The refusal of an account with this status that is not active. */
export function unservedAccount(status: string): DomainError {
  if (status === MOVED) return accountMoved();
  return new DomainError('ACCOUNT_SUSPENDED', 'The account that owns this game is suspended.');
}

/** Finds the device session of an access token. */
export class TokenAuthenticator {
  readonly #states: BatchedRead<string, SessionState | undefined>;
  readonly #known: TtlCache<SessionState>;

  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
    private readonly tokens: Tokens,
    changes: Changes,
  ) {
    this.#states = new BatchedRead((ids) => this.#read(ids));
    this.#known = new TtlCache(clock, changes, GROUNDS);
  }

  /** @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, ACCOUNT_SUSPENDED */
  async authenticate(token: string): Promise<ClientCaller> {
    const caller = await this.presume(token);
    await this.requireValidSession(caller);
    return caller;
  }

  /** The caller named by a token, without a check of its session. @throws DomainError INVALID_TOKEN */
  async presume(token: string): Promise<ClientCaller> {
    const claims = this.tokens.access(token);
    if (!claims) throw invalidToken();
    return callerOf(claims);
  }

  /**
   * @throws DomainError INVALID_TOKEN, DEVICE_BLOCKED, ACCOUNT_SUSPENDED when the caller's session is no longer valid
   */
  async requireValidSession({ sessionId, version, identityId }: ClientCaller): Promise<void> {
    const state = await this.#known.read(sessionId, (id) => this.#states.read(id));
    const isCurrent = state?.version === version && state.identity_id === uuidOf(identityId);
    if (!isCurrent || state.status !== 'active') throw invalidToken();
    if (state.account_status !== 'active') throw unservedAccount(state.account_status);
    if (state.device_status !== 'active') throw blockedDevice();
  }

  /**
   * The sessions among these that are no longer valid, each with the error its token would now get, by session id. Read
   * from the database, never cached.
   */
  async findInvalid(callers: readonly ClientCaller[]): Promise<Map<string, DomainError>> {
    const now = this.clock();
    const { rows } = await this.pool.query<InvalidRow>({
      ...INVALID_SESSIONS,
      values: [
        callers.map(({ sessionId }) => uuidOf(sessionId)),
        callers.map(({ version }) => version),
        callers.map(({ identityId }) => uuidOf(identityId)),
      ],
    });
    const invalid = new Map(rows.map((row) => [callers[row.ord - 1]!.sessionId, invalidReason(row)]));
    for (const { sessionId, expiresAt } of callers)
      if (expiresAt <= now) invalid.set(sessionId, invalidToken());
    return invalid;
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

/** Checks in the order of `authenticate`. */
function invalidReason(row: InvalidRow): DomainError {
  if (row.status !== 'active' || !row.current || !row.device_status || !row.account_status)
    return invalidToken();
  if (row.account_status !== 'active') return unservedAccount(row.account_status);
  if (row.device_status !== 'active') return blockedDevice();
  return invalidToken();
}

function callerOf(claims: Verified): ClientCaller {
  const { accountId, gameId, deviceId, identityId, sessionId, testMode, version, expiresAt } = claims;
  return { kind: 'client', accountId, gameId, deviceId, identityId, sessionId, testMode, version, expiresAt };
}
