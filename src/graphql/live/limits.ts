import { DomainError } from '../../base/errors.js';
import { administers } from '../access.js';
import type { Caller, Context } from '../context.js';

/** Most concurrent live subscriptions and streams of this process. */
export interface LiveLimits {
  perDevice: number;
  /** Of all subscribers to the account's boards. */
  perAccount: number;
  /** Of all anonymous subscribers at one address: without a credential, or with one of another account. */
  perAddress: number;
}

function tooMany(most: number, whose: string): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    `${whose} may watch at most ${most} things live at a time: end what is no longer needed, then try again`,
  );
}

/** True for a credential of another account: it must not use up the account's own allowance. */
function isForeign(caller: Caller, accountId: string): boolean {
  if (caller.kind === 'client') return caller.accountId !== accountId;
  return !administers({ caller }, accountId);
}

/** Counts the subscribers. */
export class LiveCounts {
  readonly #counts = new Map<string, number>();

  constructor(private readonly limits: LiveLimits) {}

  get total(): number {
    return this.#total;
  }

  #total = 0;

  /**
   * @param accountId the account that is watched
   * @returns ends the count of this subscriber
   * @throws DomainError RATE_LIMITED
   */
  enter({ caller, ip }: Pick<Context, 'caller' | 'ip'>, accountId: string): () => void {
    const { perDevice, perAccount, perAddress } = this.limits;
    const keys = [accountId];
    this.#check(accountId, perAccount, 'An account');
    if (caller.kind === 'client') {
      this.#check(caller.deviceId, perDevice, 'A device');
      keys.push(caller.deviceId);
    }
    if (isForeign(caller, accountId)) {
      const address = ip ?? '';
      this.#check(address, perAddress, 'Visitors of one address');
      keys.push(address);
    }
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#total += 1;
    return () => {
      this.#total -= 1;
      for (const key of keys) {
        const left = this.#counts.get(key)! - 1;
        if (left > 0) this.#counts.set(key, left);
        else this.#counts.delete(key);
      }
    };
  }

  #check(key: string, most: number, whose: string): void {
    if ((this.#counts.get(key) ?? 0) >= most) throw tooMany(most, whose);
  }
}
