import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { uuid7Bytes, uuidOf, uuidText } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';

/**
 * Nonces are self-authenticating: issuing one costs no write. The 16 bytes of a uuid (which is stored when the nonce is
 * used, next to those issued with it), 6 bytes of expiry in epoch milliseconds, 16 bytes of HMAC-SHA256 over both and
 * the device and game.
 */
const UUID_BYTES = 16;
const EXPIRY_BYTES = 6;
const BODY_BYTES = UUID_BYTES + EXPIRY_BYTES;
const MAC_BYTES = 16;
// The last character has two spare bits: only with zeros there it is the issued text.
const TEXT = /^[A-Za-z0-9_-]{50}[AEIMQUYcgkosw048]$/;

export interface NonceSettings {
  /** Keys the HMAC; the same on all nodes. */
  keySecret: string;
  nonceSeconds: number;
}

export interface IssuedNonce {
  nonceValue: string;
  expiresAt: Date;
}

export interface ReadNonce {
  uuid: string;
  expiresAt: Date;
}

type NonceFault = 'NONCE_REQUIRED' | 'NONCE_INVALID' | 'NONCE_EXPIRED';

/** @param header name of the header that carries the nonce */
export function nonceRefusal(fault: NonceFault, header: string): DomainError {
  const sentences = {
    NONCE_REQUIRED:
      `A nonce is required. Get one from the nonce endpoint, then send it in the header ${header} ` +
      `(in GraphQL: \`nonce\` of the input; in a batch: \`nonce\` of the item).`,
    NONCE_INVALID: 'Invalid nonce: it was not issued to this device. Get a new one.',
    NONCE_EXPIRED: 'This nonce has expired. Get a new one.',
  };
  return new DomainError(fault, sentences[fault]);
}

export function nonceUsed(): DomainError {
  return new DomainError('NONCE_USED', 'This nonce was already used. Get a new one.');
}

const USE =
  'insert into nonce_uses (nonce, expires_at, account_id) values (?, ?, ?) on conflict (nonce) do nothing';

/**
 * Notes the use of what may be used once: a nonce, a proof.
 * @param once what it is known by, a bare uuid
 * @param until when it expires by itself
 * @returns false: it was used before
 */
export async function noteUse(
  trx: Knex.Transaction,
  once: string,
  until: Date,
  accountId: string,
): Promise<boolean> {
  const { rowCount } = await runStatement(trx, USE, [once, until, uuidOf(accountId)]);
  return rowCount === 1;
}

/** Of SHA-256: RFC 2104 pads keys to it. */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const UUID_CHARACTERS = 36;

/** HMAC's two messages, each with its key in front; the rest is written by each call. */
function padded(key: Buffer, pad: number, length: number): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES + length, 0);
  bytes.set(key);
  for (let i = 0; i < BLOCK_BYTES; i += 1) bytes[i]! ^= pad;
  return bytes;
}

export class Nonces {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(private readonly settings: NonceSettings) {
    // A derived key: no other use of the secret can sign a valid nonce.
    const key = createHmac('sha256', settings.keySecret).update('nonce').digest();
    this.#inner = padded(key, 0x36, BODY_BYTES + 2 * UUID_CHARACTERS);
    this.#outer = padded(key, 0x5c, DIGEST_BYTES);
  }

  /** @param now epoch milliseconds */
  issue(deviceId: string, gameId: string, now: number): IssuedNonce {
    const expiry = now + this.settings.nonceSeconds * 1_000;
    const bytes = Buffer.alloc(BODY_BYTES + MAC_BYTES);
    bytes.set(uuid7Bytes());
    bytes.writeUIntBE(expiry, UUID_BYTES, EXPIRY_BYTES);
    bytes.set(this.#mac(bytes.subarray(0, BODY_BYTES), deviceId, gameId), BODY_BYTES);
    return { nonceValue: bytes.toString('base64url'), expiresAt: new Date(expiry) };
  }

  /**
   * True if this service issued the nonce for this device and game and it has not expired. The database decides whether
   * it was used.
   */
  read(
    text: string | undefined,
    deviceId: string,
    gameId: string,
    now: number,
  ): ReadNonce | { fault: NonceFault } {
    if (!text) return { fault: 'NONCE_REQUIRED' };
    if (!TEXT.test(text)) return { fault: 'NONCE_INVALID' };
    const bytes = Buffer.from(text, 'base64url');
    const body = bytes.subarray(0, BODY_BYTES);
    if (!timingSafeEqual(bytes.subarray(BODY_BYTES), this.#mac(body, deviceId, gameId))) {
      return { fault: 'NONCE_INVALID' };
    }
    const expiry = body.readUIntBE(UUID_BYTES, EXPIRY_BYTES);
    if (expiry <= now) return { fault: 'NONCE_EXPIRED' };
    return { uuid: uuidText(body), expiresAt: new Date(expiry) };
  }

  /** HMAC-SHA256 as two hashes at once: an object for it takes three times as long. */
  #mac(body: Buffer, deviceId: string, gameId: string): Buffer {
    this.#inner.set(body, BLOCK_BYTES);
    this.#inner.write(uuidOf(deviceId), BLOCK_BYTES + BODY_BYTES, UUID_CHARACTERS, 'latin1');
    this.#inner.write(uuidOf(gameId), BLOCK_BYTES + BODY_BYTES + UUID_CHARACTERS, UUID_CHARACTERS, 'latin1');
    this.#outer.set(hash('sha256', this.#inner, 'buffer'), BLOCK_BYTES);
    return hash('sha256', this.#outer, 'buffer').subarray(0, MAC_BYTES);
  }
}
