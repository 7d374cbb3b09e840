import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';

/** Time to answer a browser's dialogue. */
const LIFETIME_MS = 5 * 60_000;

/** `add`: bound to the user who adds a passkey. */
type ChallengeUse = { kind: 'sign-in' } | { kind: 'add'; userId: string };

const TIME_BYTES = 6;
const NUMBER_BYTES = 16;
const BODY_BYTES = TIME_BYTES + NUMBER_BYTES;

export function wrongPasskey(sentence = 'This passkey could not be verified. Try again.'): DomainError {
  return new DomainError('INVALID_CODE', sentence);
}

const USE = `
  insert into used_challenges (id, account_id, expires_at) values (?, ?, ?) on conflict (id) do nothing returning id`;

const FORGET = `delete from used_challenges where id in (
  select id from used_challenges where expires_at < ? order by expires_at limit 100 for update skip locked)`;

/** A challenge that was issued and has not expired. */
interface Opened {
  /** A bare uuid. */
  id: string;
  expiresAt: Date;
}

/** Notes something that works once. @returns false when it was used before */
export async function useOnce(
  trx: Knex.Transaction,
  { id, expiresAt }: Opened,
  accountId: string,
  now: Date,
): Promise<boolean> {
  await runStatement(trx, FORGET, [now]);
  const { rows } = await runStatement(trx, USE, [id, uuidOf(accountId), expiresAt]);
  return rows.length > 0;
}

/**
 * Challenges of passkeys. They prove themselves, so that issuing one writes nothing and any process knows it; the one that
 * was answered is noted in the transaction of what it allows, so that it works once.
 */
export class Challenges {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'challenges of passkeys', 32));
  }

  issue(use: ChallengeUse, now: number): Buffer {
    const body = Buffer.concat([Buffer.alloc(TIME_BYTES), randomBytes(NUMBER_BYTES)]);
    body.writeUIntBE(now + LIFETIME_MS, 0, TIME_BYTES);
    return Buffer.concat([body, this.#proof(use, body)]);
  }

  /** @param text base64url @returns undefined: expired, of another use or user, or never issued */
  open(use: ChallengeUse, text: string, now: number): Opened | undefined {
    const bytes = Buffer.from(text, 'base64url');
    const body = bytes.subarray(0, BODY_BYTES);
    const proof = this.#proof(use, body);
    const given = bytes.subarray(BODY_BYTES);
    if (given.length !== proof.length || !timingSafeEqual(given, proof)) return undefined;
    const expires = body.readUIntBE(0, TIME_BYTES);
    if (expires <= now) return undefined;
    const hex = body.subarray(TIME_BYTES).toString('hex');
    const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    return { id, expiresAt: new Date(expires) };
  }

  /** @throws DomainError INVALID_CODE when it was used before */
  async use(trx: Knex.Transaction, opened: Opened, accountId: string, now: Date): Promise<void> {
    if (!(await useOnce(trx, opened, accountId, now))) throw wrongPasskey();
  }

  #proof(use: ChallengeUse, body: Buffer): Buffer {
    const bound = use.kind === 'add' ? uuidOf(use.userId) : '';
    return createHmac('sha256', this.#key).update(`${use.kind}\0${bound}\0`).update(body).digest();
  }
}
