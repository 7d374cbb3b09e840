import { createHmac, timingSafeEqual } from 'node:crypto';

const MINUTES = 10;
const MAC_BYTES = 16;

/** Signs addresses of recordings: whoever has one may read the file until it ends. */
export class RecordingAddresses {
  readonly #key: Buffer;

  constructor({ keySecret }: { keySecret: string }) {
    // A derived key: no other use of the secret can sign an address.
    this.#key = createHmac('sha256', keySecret).update('recording').digest();
  }

  /**
   * The path of a recording, with its query.
   * @param now epoch milliseconds
   * @param minutes that it works
   */
  pathOf(eventId: string, now: number, minutes = MINUTES): string {
    const until = Math.ceil(now / 1_000) + minutes * 60;
    const signature = this.#sign(eventId, until).toString('base64url');
    return `/v1/score-events/${eventId}/recording?until=${until}&signature=${signature}`;
  }

  /** Seconds that an address still works; undefined: it doesn't. @param until epoch seconds */
  secondsLeft(eventId: string, until: unknown, signature: unknown, now: number): number | undefined {
    if (typeof until !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(until))
      return undefined;
    const given = Buffer.from(signature, 'base64url');
    const expected = this.#sign(eventId, Number(until));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const left = Number(until) - now / 1_000;
    return left > 0 ? Math.floor(left) : undefined;
  }

  #sign(eventId: string, until: number): Buffer {
    return createHmac('sha256', this.#key).update(`${eventId} ${until}`).digest().subarray(0, MAC_BYTES);
  }
}
