import type { Knex } from 'knex';
import { Account } from '../../accounts/account.js';
import { ApiKey } from '../../accounts/keys/api-key.js';
import { User } from '../../accounts/users/user.js';
import type { Clock } from '../../base/clock.js';
import { DomainError, unavailable } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { runStatement } from '../../db/pool.js';
import { saveRecord } from '../../db/save.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import type { Seal } from '../../mail/outbox.js';
import type { SignInIssuer } from './flow.js';
import { type FollowedGroups, followGroups, isOutdated, ROLE_FOLLOWED } from './groups.js';
import type { SaidGroups } from './issuer/claims.js';
import { groupsNow } from './issuer/said.js';
import type { Issuers } from './issuers.js';
import { ProviderLink } from './record/provider-link.js';
import { providerOfLink } from './record/read.js';
import { CHECK_MS } from './sessions.js';

interface CheckParts {
  db: Knex;
  clock: Clock;
  log: Log;
  issuers: Issuers;
  seal: Seal;
  /** The issuer of a connection, as it is set up now; undefined: no longer. */
  issuerOf(link: ProviderLink): Promise<SignInIssuer | undefined>;
  /** Tells readers everywhere that a key has changed. */
  changed(topic: string): void;
}

/** Longer than an exchange takes. */
const LEASE_MS = 30_000;
/** Until an issuer that did not respond is asked again for a session. */
const PAUSE_MS = 10_000;
const MOST_PAUSES = 10_000;
/** What issuers call a refresh token that they do not accept any more: Dex, the second; Entra ID and Okta, the others. */
const REFUSALS = new Set([
  ...['invalid_grant', 'invalid_request', 'access_denied'],
  ...['interaction_required', 'login_required', 'consent_required'],
]);
/** Until an issuer that did not say the groups of a person is asked for them again. */
const AGAIN_MS = 60_000;

const TAKE = `
  update provider_sessions s set leased_until = ?::timestamptz
  from api_keys k where s.key_id = ? and k.id = s.key_id and k.check_due_at <= ?::timestamptz
    and (s.leased_until is null or s.leased_until <= ?::timestamptz)
  returning s.link_id, s.sealed_refresh`;
const KEEP = `
  with session as (update provider_sessions set sealed_refresh = ?, leased_until = null where key_id = ? returning key_id)
  update api_keys set check_due_at = ? where id in (select key_id from session)`;
const GIVE_BACK = 'update provider_sessions set leased_until = null where key_id = ?';

/** What an issuer says when it confirms a session. */
interface Confirmed {
  link: ProviderLink;
  /** The next one. */
  refreshToken: string;
  /** Undefined: not known, or without a meaning here. */
  groups?: SaidGroups | undefined;
  /** False: its groups could not be read. */
  isWhole: boolean;
}

function changedRole(): DomainError {
  return new DomainError('INVALID_API_KEY', 'Your role has changed at the identity provider. Sign in again.');
}

function endedSession(): DomainError {
  return new DomainError(
    'INVALID_API_KEY',
    'This sign-in has ended at the identity provider. Sign in again.',
  );
}

const away = () =>
  unavailable('The identity provider could not confirm this sign-in. Try again in a moment.');

/**
 * Asks issuers whether sessions of the console go on. One process asks for one session at a time; what an issuer refuses ends
 * everywhere.
 */
export class SessionChecks {
  readonly #running = new Map<string, Promise<void>>();
  /** Sessions whose issuer did not respond, with the time from which it is asked again. */
  readonly #paused = new Map<string, number>();

  constructor(private readonly parts: CheckParts) {}

  /**
   * Resolves when the session is confirmed.
   * @param keyId prefixed
   * @throws DomainError INVALID_API_KEY (it has ended), UNAVAILABLE (the issuer is away)
   */
  check(keyId: string): Promise<void> {
    const running = this.#running.get(keyId);
    if (running) return running;
    if ((this.#paused.get(keyId) ?? 0) > this.parts.clock()) return Promise.reject(away());
    const checking = this.#ask(keyId).finally(() => this.#running.delete(keyId));
    this.#running.set(keyId, checking);
    return checking;
  }

  async #ask(keyId: string): Promise<void> {
    const { db, clock, log } = this.parts;
    const now = new Date(clock());
    const until = new Date(now.getTime() + LEASE_MS);
    const taken = await runStatement<{ link_id: string; sealed_refresh: Buffer | null }>(db, TAKE, [
      ...[until, uuidOf(keyId), now, now],
    ]);
    const session = taken.rows[0];
    // Another process asks, or has asked.
    if (!session) return this.#recheck(keyId, now);
    try {
      const confirmed = await this.#refresh(keyId, session.link_id, session.sealed_refresh);
      if (!confirmed) return await this.#end(keyId, now);
      const sealed = this.parts.seal.close(keyId, confirmed.refreshToken);
      const due = now.getTime() + (confirmed.isWhole ? CHECK_MS : AGAIN_MS);
      await runStatement(db, KEEP, [sealed, uuidOf(keyId), new Date(due)]);
      this.#paused.delete(keyId);
      if (confirmed.groups) await this.#follow(keyId, confirmed.link, confirmed.groups, now);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'INVALID_API_KEY') throw error;
      log.warn({ err: error, key: keyId }, 'an identity provider could not confirm a sign-in');
      if (this.#paused.size >= MOST_PAUSES) this.#paused.clear();
      this.#paused.set(keyId, now.getTime() + PAUSE_MS);
      await runStatement(db, GIVE_BACK, [uuidOf(keyId)]);
      throw away();
    }
  }

  /** @throws DomainError UNAVAILABLE unless another process has confirmed it meanwhile */
  async #recheck(keyId: string, now: Date): Promise<void> {
    const key = await ApiKey.query(this.parts.db).findById(uuidOf(keyId));
    if (key?.status !== 'active') throw endedSession();
    const { rows } = await runStatement(
      this.parts.db,
      'select from api_keys where id = ? and check_due_at > ?',
      [uuidOf(keyId), now],
    );
    if (rows.length === 0) throw away();
  }

  /** @returns undefined: the issuer refuses */
  async #refresh(keyId: string, linkId: string, sealed: Buffer | null): Promise<Confirmed | undefined> {
    const { db, seal, issuers, issuerOf } = this.parts;
    const link = await ProviderLink.query(db).findById(linkId).whereNull('deleted_at');
    const from = link && (await issuerOf(link));
    if (!link || !from || !sealed || from.issuer !== link.issuer) return undefined;
    const present = seal.open(keyId, sealed);
    const provider = await providerOfLink(db, link);
    return issuers.exchange(from, async (client, config) => {
      const refused = (error: unknown) => {
        if (error instanceof client.ResponseBodyError && REFUSALS.has(error.error)) return undefined;
        throw error;
      };
      const tokens = await client.refreshTokenGrant(config, present).catch(refused);
      if (!tokens || (tokens.claims()?.sub ?? link.subject) !== link.subject) return undefined;
      const confirmed = { link, refreshToken: tokens.refresh_token ?? present };
      if (!provider?.groupRoles.length) return { ...confirmed, isWhole: true };
      // The issuer has taken the former refresh token back: the new one must be kept, whatever comes next.
      return groupsNow(client, config, from.groupsClaim, tokens, link.subject).then(
        (groups) => ({ ...confirmed, groups, isWhole: true }),
        (error: unknown) => {
          this.parts.log.warn(
            { err: error, key: keyId },
            'an identity provider did not say the groups of a user',
          );
          return { ...confirmed, isWhole: false };
        },
      );
    });
  }

  /** Gives the user the role of its groups. @throws DomainError INVALID_API_KEY: another one, so its sessions have ended */
  async #follow(keyId: string, link: ProviderLink, groups: SaidGroups, now: Date): Promise<void> {
    const { db, changed, log } = this.parts;
    if (groups.groupsUnknown) log.warn({ user: link.userId, reason: groups.groupsNote }, ROLE_FOLLOWED);
    const [known, provider] = [
      await User.query(db).findById(uuidOf(link.userId)),
      await providerOfLink(db, link),
    ];
    if (!known || !provider || !isOutdated(known, provider, groups)) return;
    const acting = { db, ...workOf('job', 'single-sign-on', now) };
    const { ended, told } = await auditedWrite(acting, async (trx): Promise<FollowedGroups> => {
      // Accounts are locked before their users, as everywhere.
      await Account.query(trx).findById(uuidOf(link.accountId)).forNoKeyUpdate();
      const user = await User.query(trx).findById(uuidOf(link.userId)).whereNull('deleted_at').forUpdate();
      return user ? followGroups(trx, acting, user, provider, groups) : { ended: [] };
    });
    if (told) log.info(told, ROLE_FOLLOWED);
    for (const id of ended) changed(id);
    if (ended.includes(keyId)) throw changedRole();
  }

  async #end(keyId: string, now: Date): Promise<never> {
    const { db, changed } = this.parts;
    await endKeys(db, [uuidOf(keyId)], 'single-sign-on', now);
    changed(keyId);
    throw endedSession();
  }
}

/** Ends sessions because their issuer says so. @param ids bare uuids @returns prefixed ids of those that had not ended */
export function endKeys(db: Knex, ids: string[], agent: string, now: Date): Promise<string[]> {
  return auditedWrite({ db, ...workOf('job', agent, now) }, async (trx) => {
    const keys = await ApiKey.query(trx)
      .whereIn('id', ids)
      .where('status', 'active')
      .whereNull('deleted_at')
      .orderBy('id')
      .forUpdate();
    for (const key of keys) await saveRecord(trx, key, { status: 'revoked' }, now);
    return keys.map(({ id }) => id);
  });
}
