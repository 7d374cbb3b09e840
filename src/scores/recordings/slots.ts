import { DomainError } from '../../base/errors.js';

interface UploadLimits {
  /** Uploads at a time in this process. */
  atATime: number;
  ofAccount: number;
  /** Bytes a second of files that Postgres stores. */
  bytesPerSecond: number;
}

const AT_A_TIME = 32;
const OF_ACCOUNT = 8;
const WAIT_SECONDS = 1;

/**
 * Uploads under way in this process: one of a device, a share of each account. One beyond a limit is refused at once, before anything of
 * it is read.
 */
export class UploadSlots {
  readonly #accounts = new Map<string, number>();
  readonly #devices = new Set<string>();
  /** Bytes of Postgres' share that are not used yet, and since when. */
  #room: number;
  #at = performance.now();

  constructor(private readonly limits: UploadLimits) {
    this.#room = limits.bytesPerSecond;
  }

  static of(bytesPerSecond: number): UploadSlots {
    return new UploadSlots({ atATime: AT_A_TIME, ofAccount: OF_ACCOUNT, bytesPerSecond });
  }

  get busy(): number {
    return this.#devices.size;
  }

  /** @returns leaves the slot @throws DomainError RATE_LIMITED */
  enter(account: string, device: string): () => void {
    const { atATime, ofAccount } = this.limits;
    if (this.#devices.has(device)) throw refusal('This device is sending a recording already.');
    const busy = this.#accounts.get(account) ?? 0;
    if (busy >= ofAccount || this.#devices.size >= atATime)
      throw refusal('Too many recordings are being sent at the moment.');
    this.#accounts.set(account, busy + 1);
    this.#devices.add(device);
    return () => {
      this.#devices.delete(device);
      const left = this.#accounts.get(account)! - 1;
      if (left > 0) this.#accounts.set(account, left);
      else this.#accounts.delete(account);
    };
  }

  /** Takes bytes of this second. A file may be larger than a second's: the next ones wait. @throws DomainError RATE_LIMITED */
  take(bytes: number): void {
    const { bytesPerSecond } = this.limits;
    const now = performance.now();
    this.#room = Math.min(bytesPerSecond, this.#room + ((now - this.#at) / 1_000) * bytesPerSecond);
    this.#at = now;
    if (this.#room <= 0) throw refusal('Too many recordings are being stored at the moment.');
    this.#room -= bytes;
  }

  /** Gives back what was taken for a file that is not stored. */
  give(bytes: number): void {
    this.#room += bytes;
  }
}

export interface DownloadLimits {
  /** Downloads at a time in this process. */
  atATime: number;
  ofAccount: number;
  /** Of readers at one address. */
  ofAddress: number;
  /** Longest download of an empty file, milliseconds. */
  startMs: number;
  /** The slowest reader whose download is finished. */
  bytesPerSecond: number;
}

/** One address reads as many as a game shows ghosts. */
const DOWNLOADS: DownloadLimits = {
  atATime: 64,
  ofAccount: 32,
  ofAddress: 10,
  startMs: 30_000,
  bytesPerSecond: 100_000,
};

/**
 * Files of the bucket that are being sent by this process: each has a connection to the store for as long as its reader takes, up to a
 * deadline.
 */
export class DownloadSlots {
  readonly #busy = new Map<string, number>();

  constructor(private readonly limits: DownloadLimits = DOWNLOADS) {}

  /**
   * @param address of the reader; undefined: it can't be told from others
   * @returns leaves the slot @throws DomainError RATE_LIMITED
   */
  enter(account: string, address: string | undefined): () => void {
    const { atATime, ofAccount, ofAddress } = this.limits;
    const shares: [owner: string, most: number][] = [
      ['', atATime],
      [account, ofAccount],
    ];
    if (address !== undefined) shares.push([address, ofAddress]);
    if (shares.some(([owner, most]) => (this.#busy.get(owner) ?? 0) >= most))
      throw refusal('Too many recordings are being read at the moment.');
    for (const [owner] of shares) this.#busy.set(owner, (this.#busy.get(owner) ?? 0) + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      for (const [owner] of shares) {
        const left = this.#busy.get(owner)! - 1;
        if (left > 0) this.#busy.set(owner, left);
        else this.#busy.delete(owner);
      }
    };
  }

  /** Calls when the reader of a file of so many bytes has had its time. @returns to be called once it is read */
  deadline(bytes: number, passed: () => void): () => void {
    const { startMs, bytesPerSecond } = this.limits;
    const timer = setTimeout(passed, startMs + (bytes / bytesPerSecond) * 1_000).unref();
    return () => clearTimeout(timer);
  }
}

function refusal(sentence: string): DomainError {
  return new DomainError('RATE_LIMITED', `${sentence} Try again in a moment.`, undefined, WAIT_SECONDS);
}
