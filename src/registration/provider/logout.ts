import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../base/errors.js';
import { MOVED } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { endKeys } from './check-sessions.js';
import type { SignInIssuer } from './flow.js';
import { storableText } from './issuer/claims.js';
import { CLOCK_TOLERANCE, type Issuers } from './issuers.js';
import { subjectKeyOf } from './record/provider-link.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MOST_AGE_SECONDS = 120;
const MOST_TOKENS = 10_000;

interface LogoutParts {
  db: Knex;
  issuers: Issuers;
  changed(topic: string): void;
}

/** Sessions of a person, or one of the issuer's sessions. */
const SESSIONS = `
  select s.key_id as id from provider_sessions s join provider_links l on l.id = s.link_id
  join accounts a on a.id = s.account_id and a.status <> '${MOVED}'
  where l.issuer = ? and l.provider_id is not distinct from ?::uuid
    and (?::text is null or l.subject_key = ?) and (?::text is null or s.sid = ?)`;

const wrongToken = () =>
  new DomainError('BAD_REQUEST', 'This is not a valid logout token of the identity provider.');

/** Back-channel logout (OpenID Connect Back-Channel Logout 1.0). */
export class BackChannelLogout {
  /** Digests of tokens that were used; on another process a repetition finds the sessions ended. */
  readonly #used = new LRUCache<string, true>({
    max: MOST_TOKENS,
    ttl: (MOST_AGE_SECONDS + CLOCK_TOLERANCE) * 1_000,
  });

  constructor(private readonly parts: LogoutParts) {}

  /**
   * Ends the sessions that a token names.
   * @throws DomainError BAD_REQUEST (not valid), UNAVAILABLE
   */
  async end(from: SignInIssuer, token: string, now: Date): Promise<void> {
    const { issuer, clientId, providerId } = from;
    const claims = await this.parts.issuers.verified(from, token, {
      audience: clientId,
      maxTokenAge: MOST_AGE_SECONDS,
      requiredClaims: ['jti', 'iat', 'events'],
    });
    const { sub, sid, jti, events, nonce } = claims;
    const isLogout = typeof events === 'object' && events !== null && EVENT in events && nonce === undefined;
    const [subject, session] = [storableText(sub), storableText(sid)];
    if (!isLogout || (subject === null && session === null)) throw wrongToken();
    const digest = createHash('sha256')
      .update(`${issuer}\0${String(jti)}`)
      .digest('base64url');
    if (this.#used.has(digest)) return;
    const subjectKey = subject === null ? null : subjectKeyOf({ providerId, issuer, subject });
    const { rows } = await runStatement<{ id: string }>(this.parts.db, SESSIONS, [
      ...[issuer, providerId?.slice(4) ?? null, subjectKey, subjectKey, session, session],
    ]);
    this.#used.set(digest, true);
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    for (const id of await endKeys(this.parts.db, ids, 'back-channel-logout', now)) this.parts.changed(id);
  }
}
