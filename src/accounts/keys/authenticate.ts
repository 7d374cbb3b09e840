import type { Clock } from '../../base/clock.js';
import { accountMoved, DomainError } from '../../base/errors.js';
import { idOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { isWellFormed } from '../../base/text.js';
import { MOVED } from '../../db/moved.js';
import type { Queryable } from '../../db/pool.js';
import { BatchedRead } from '../../db/shared-reads.js';
import type { AdminCaller } from '../../graphql/context.js';
import type { AccountStatus } from '../account.js';
import { providerOnly } from '../provider-only.js';
import { gamesOf, type KeyScope, rightsOf, type UserRole } from '../users/role.js';
import type { UserStatus } from '../users/user.js';
import { type ApiKeyStatus, matchesHash, prefixOf } from './api-key.js';
import { demandsPasskey, limitedToPasskey } from './passkey-demand.js';
import type { SignInMethod } from './sign-in-method.js';

interface StoredKey {
  id: string;
  prefix: string;
  hash: Buffer;
  status: ApiKeyStatus;
  expires_at: Date | null;
  last_used_at: Date | null;
  account_id: string;
  user_id: string;
  super_admin: boolean;
  role: UserRole;
  scopes: KeyScope[] | null;
  /** Bare uuids. */
  game_ids: string[] | null;
  only_game_id: string | null;
  user_status: UserStatus;
  account_status: AccountStatus | typeof MOVED;
  signed_in_with: SignInMethod | null;
  created_at: Date;
  passkeys_demanded_at: Date | null;
  is_console: boolean;
  /** When the issuer of a session is asked again; null: never. */
  check_due_at: Date | null;
  /** When keys of a user with single sign-on stop. */
  keys_stop_at: Date | null;
  provider_only: boolean;
}

const KEYS_BY_PREFIX = {
  name: 'keys_by_prefix',
  text: `
  select k.id, k.prefix, k.hash, k.status, k.expires_at, k.last_used_at, k.account_id, k.user_id, k.scopes, k.only_game_id,
    k.signed_in_with, k.created_at,
         k.is_console, k.check_due_at, u.super_admin, u.role, u.game_ids, u.status as user_status, u.keys_stop_at,
           a.status as account_status,
         a.passkeys_demanded_at, a.provider_only
  from unnest($1::text[]) p(prefix)
  cross join lateral (select * from api_keys where prefix = p.prefix and deleted_at is null limit 1) k
  cross join lateral (select * from users where id = k.user_id and deleted_at is null limit 1) u
  cross join lateral (select * from accounts where id = k.account_id and deleted_at is null limit 1) a`,
};

const NOTE_USE = {
  name: 'note_key_use',
  text: 'update api_keys set last_used_at = $1, last_used_from = $4 where id = $2 and (last_used_at is null or last_used_at < $3)',
};

const NOTE_EVERY_MS = 60_000;
const LONGEST_KEY = 200;
const CHECK_GRACE_MS = 60_000;

function invalidKey(): DomainError {
  return new DomainError(
    'INVALID_API_KEY',
    'Invalid API key: it is unknown, revoked or expired. Check the key, or create a new one.',
  );
}

function stoppedKey(): DomainError {
  return new DomainError(
    'INVALID_API_KEY',
    'This API key has stopped, because its user has not signed in with single sign-on for too long. It works again after a sign-in.',
  );
}

/** A superadmin's key with scopes or a game is one of its own account. */
function callerOf({
  id,
  account_id,
  user_id,
  super_admin,
  role,
  scopes,
  game_ids,
  only_game_id,
  is_console,
  signed_in_with,
  created_at,
}: StoredKey): AdminCaller {
  const bare = gamesOf(game_ids, only_game_id);
  return {
    kind: 'admin',
    accountId: idOf('account', account_id),
    userId: idOf('user', user_id),
    keyId: idOf('apiKey', id),
    superAdmin: super_admin && scopes === null && only_game_id === null,
    role,
    rights: rightsOf(role, scopes),
    games: bare === null ? null : bare.map((game) => idOf('game', game)),
    ...(is_console && { signedIn: { method: signed_in_with, at: created_at.getTime() } }),
  };
}

function isDemanded({ passkeys_demanded_at, role, super_admin }: StoredKey): boolean {
  return demandsPasskey({ passkeysDemandedAt: passkeys_demanded_at }, { role, superAdmin: super_admin });
}

/**
 * Finds the user of an API key. Results are never cached, so that a revoked key fails the next call on every node; keys
 * that arrive at the same time are looked up in one statement.
 */
export class KeyAuthenticator {
  readonly #keys: BatchedRead<string, StoredKey | undefined>;
  readonly #noting = new Map<string, Promise<void>>();

  constructor(
    private readonly db: Queryable,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly keySecret: string,
    /** Confirms a session with the issuer that signed in. */
    private readonly checkSession: (keyId: string) => Promise<void>,
  ) {
    this.#keys = new BatchedRead((prefixes) => this.#read(prefixes));
  }

  /**
   * @param inConsole a browser sends it, from a page of this service
   * @throws DomainError INVALID_API_KEY, USER_SUSPENDED, ACCOUNT_SUSPENDED, FORBIDDEN (only single sign-on)
   */
  async authenticate(key: string, ip?: string, inConsole = false): Promise<AdminCaller> {
    if (key.length > LONGEST_KEY || !isWellFormed(key)) throw invalidKey();
    const row = await this.#keys.read(prefixOf(key));
    if (!row || !matchesHash(this.keySecret, key, row.hash)) throw invalidKey();
    const now = this.clock();
    const expired = row.expires_at !== null && row.expires_at.getTime() <= now;
    if (row.account_status === MOVED) throw accountMoved();
    if (row.status !== 'active' || expired || row.user_status === 'invited') throw invalidKey();
    if (row.user_status === 'suspended') throw new DomainError('USER_SUSPENDED', 'This user is suspended.');
    if (row.account_status === 'suspended') {
      throw new DomainError('ACCOUNT_SUSPENDED', 'This account is suspended.');
    }
    if (!row.is_console && !row.super_admin) {
      if (row.keys_stop_at !== null && row.keys_stop_at.getTime() <= now) throw stoppedKey();
      if (inConsole && row.provider_only) throw providerOnly();
    }
    if (row.check_due_at !== null && row.check_due_at.getTime() <= now) await this.#confirm(row, now);
    this.#noteUse(row, now, ip);
    return row.signed_in_with === 'code' && isDemanded(row) ? limitedToPasskey(callerOf(row)) : callerOf(row);
  }

  /** Requests go on while the issuer is asked, for a minute. @throws DomainError INVALID_API_KEY, UNAVAILABLE */
  async #confirm({ id, check_due_at }: StoredKey, now: number): Promise<void> {
    const checking = this.checkSession(idOf('apiKey', id));
    if (now - check_due_at!.getTime() >= CHECK_GRACE_MS) return checking;
    checking.catch(() => undefined);
  }

  async #read(prefixes: readonly string[]): Promise<(StoredKey | undefined)[]> {
    const { rows } = await this.db.query<StoredKey>({ ...KEYS_BY_PREFIX, values: [[...new Set(prefixes)]] });
    const byPrefix = new Map(rows.map((row) => [row.prefix, row]));
    return prefixes.map((prefix) => byPrefix.get(prefix));
  }

  /** Records the last use, at most once a minute for each key; the request does not wait for it. */
  #noteUse(row: StoredKey, now: number, ip: string | undefined): void {
    const stale = now - NOTE_EVERY_MS;
    if (this.#noting.has(row.id) || (row.last_used_at && row.last_used_at.getTime() > stale)) return;
    const noting = this.db
      .query({ ...NOTE_USE, values: [new Date(now), row.id, new Date(stale), ip ?? null] })
      .then(() => undefined)
      .catch((error: unknown) =>
        this.log.warn({ err: error, key: row.id }, 'failed to record when a key was last used'),
      )
      .finally(() => this.#noting.delete(row.id));
    this.#noting.set(row.id, noting);
  }

  /** Resolves when every use is recorded. */
  async close(): Promise<void> {
    await Promise.all(this.#noting.values());
  }
}
