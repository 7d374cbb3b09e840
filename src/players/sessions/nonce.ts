import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { uuidOf, uuidText } from '../../base/ids.js';

/**
 * Nonces are self-authenticating: issuing one costs no write. 16 random bytes (as a uuid, which is stored when the
 * nonce is used), 6 bytes of expiry in epoch milliseconds, 16 bytes of HMAC-SHA256 over both and the device and game.
 */
const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 6;
const MAC_BYTES = 16;
const NONCE_BYTES = RANDOM_BYTES + EXPIRY_BYTES + MAC_BYTES;
const TEXT = /^[A-Za-z0-9_-]{51}$/;

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

export type NonceFault = 'NONCE_REQUIRED' | 'NONCE_INVALID' | 'NONCE_EXPIRED';

export class Nonces {
  readonly #key: Buffer;

  constructor(private readonly settings: NonceSettings) {
    // A derived key: no other use of the secret can sign a valid nonce.
    this.#key = createHmac('sha256', settings.keySecret).update('nonce').digest();
  }

  /** @param now epoch milliseconds */
  issue(deviceId: string, gameId: string, now: number): IssuedNonce {
    const expiry = now + this.settings.nonceSeconds * 1_000;
    const body = Buffer.alloc(RANDOM_BYTES + EXPIRY_BYTES);
    randomBytes(RANDOM_BYTES).copy(body);
    body.writeUIntBE(expiry, RANDOM_BYTES, EXPIRY_BYTES);
    const nonceValue = Buffer.concat([body, this.#mac(body, deviceId, gameId)]).toString('base64url');
    return { nonceValue, expiresAt: new Date(expiry) };
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
    // The last character holds spare bits: another encoding of the same bytes is not the issued nonce.
    if (bytes.length !== NONCE_BYTES || bytes.toString('base64url') !== text)
      return { fault: 'NONCE_INVALID' };
    const body = bytes.subarray(0, RANDOM_BYTES + EXPIRY_BYTES);
    const mac = bytes.subarray(RANDOM_BYTES + EXPIRY_BYTES);
    if (!timingSafeEqual(mac, this.#mac(body, deviceId, gameId))) return { fault: 'NONCE_INVALID' };
    const expiry = body.readUIntBE(RANDOM_BYTES, EXPIRY_BYTES);
    if (expiry <= now) return { fault: 'NONCE_EXPIRED' };
    return { uuid: uuidText(body), expiresAt: new Date(expiry) };
  }

  #mac(body: Buffer, deviceId: string, gameId: string): Buffer {
    const mac = createHmac('sha256', this.#key).update(body).update(uuidOf(deviceId)).update(uuidOf(gameId));
    return mac.digest().subarray(0, MAC_BYTES);
  }
}
