import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../base/errors.js';
import { uuid7Bytes, uuidOf, uuidText } from '../../base/ids.js';

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
    NONCE_REQUIRED: `A nonce is required. Get one from the nonce endpoint, then send it in the header ${header} (in GraphQL: \`nonce\` of the input; in a batch: \`nonce\` of the item).`,
    NONCE_INVALID: 'Invalid nonce: it was not issued to this device. Get a new one.',
    NONCE_EXPIRED: 'This nonce has expired. Get a new one.',
  };
  return new DomainError(fault, sentences[fault]);
}

export function nonceUsed(): DomainError {
  return new DomainError('NONCE_USED', 'This nonce was already used. Get a new one.');
}

export class Nonces {
  readonly #key: Buffer;

  constructor(private readonly settings: NonceSettings) {
    // A derived key: no other use of the secret can sign a valid nonce.
    this.#key = createHmac('sha256', settings.keySecret).update('nonce').digest();
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

  #mac(body: Buffer, deviceId: string, gameId: string): Buffer {
    const mac = createHmac('sha256', this.#key).update(body).update(uuidOf(deviceId)).update(uuidOf(gameId));
    return mac.digest().subarray(0, MAC_BYTES);
  }
}
