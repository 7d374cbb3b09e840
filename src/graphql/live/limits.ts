import { DomainError } from '../../base/errors.js';
import { administers } from '../access.js';
import type { Caller, Context } from '../context.js';

/** Live subscriptions and streams of this process at a time. */
export interface LiveLimits {
  perDevice: number;
  /** Of whoever watches the account's boards. */
  perAccount: number;
  /** Of all who watch a board as visitors: without a credential, or with one of another account. */
  perAddress: number;
}

function tooMany(most: number, whose: string): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    `${whose} may watch at most ${most} things live at a time: end what is no longer needed, then try again`,
  );
}

/** A credential of another account must not use up what the account itself may have. */
function isForeign(caller: Caller, accountId: string): boolean {
  if (caller.kind === 'client') return caller.accountId !== accountId;
  return !administers({ caller }, accountId);
}

/** Counts who watches. */
export class LiveCounts {
  readonly #counts = new Map<string, number>();

  constructor(private readonly limits: LiveLimits) {}

  get total(): number {
    return this.#total;
  }

  #total = 0;

  /**
   * @param accountId of what is watched
   * @returns what ends it
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
