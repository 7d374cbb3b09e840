import { DomainError } from '../../base/errors.js';
import { subscriberOf } from '../../base/ip-address.js';
import type { Caller, Context } from '../context.js';

/** Limits of one process. */
export interface LiveLimits {
  /** Most subscriptions and streams of a device. */
  perDevice: number;
  /** Most of all callers with a credential of the account, to its own boards. */
  perAccount: number;
  /** Most of all visitors of one network: without a credential, or with one of another account. */
  perAddress: number;
  /** Most bytes of the subscriptions of a credential, and of a network's visitors. */
  bytesPerCaller: number;
  bytesPerAccount: number;
}

/** Memory of a subscription besides the things that it shares with others. */
const SUBSCRIPTION_BYTES = 8_192;

/** An account, a credential or a network that subscriptions count against, with their present amount. */
interface Payer {
  key: string;
  whose: string;
  most: number;
  mostBytes: number;
  count: number;
  bytes: number;
}

/** True for a credential of another account: it must not use up the account's own allowance. */
function isForeign(caller: Caller, accountId: string): boolean {
  if (caller.kind === 'client') return caller.accountId !== accountId;
  return caller.kind !== 'admin' || !(caller.superAdmin || caller.accountId === accountId);
}

function tooMany({ whose, most }: Payer): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    `${whose} can have at most ${most} live subscriptions at a time. End one that is no longer needed, then try again.`,
  );
}

function tooLarge({ whose, mostBytes }: Payer): DomainError {
  return new DomainError(
    'RATE_LIMITED',
    `The live subscriptions of ${whose.toLowerCase()} are limited to ${mostBytes} bytes of memory. End one that ` +
      `is no longer needed, or request fewer fields and shorter lists.`,
  );
}

/** One subscription, among those of its payers. */
class Share {
  constructor(
    readonly payers: readonly Payer[],
    /** Ends the subscription. */
    readonly end: (error: DomainError) => void,
  ) {}

  /** @throws DomainError RATE_LIMITED where its payers' subscriptions take too much memory */
  check(): void {
    for (const payer of this.payers) if (payer.bytes > payer.mostBytes) throw tooLarge(payer);
  }
}

/** Memory that subscriptions share. It counts once for each of their payers, who may be the last to use it. */
export class Shared {
  readonly #users = new Map<Payer, Set<Share>>();

  constructor(private bytes: number) {}

  join(share: Share): void {
    for (const payer of share.payers) {
      const shares = this.#users.get(payer);
      if (shares) shares.add(share);
      else {
        this.#users.set(payer, new Set([share]));
        payer.bytes += this.bytes;
      }
    }
  }

  leave(share: Share): void {
    for (const payer of share.payers) {
      const shares = this.#users.get(payer);
      if (!shares?.delete(share) || shares.size > 0) continue;
      this.#users.delete(payer);
      payer.bytes -= this.bytes;
    }
  }

  /** Ends the subscriptions of those payers for whom it has become too large. */
  resize(bytes: number): void {
    const more = bytes - this.bytes;
    if (more === 0) return;
    this.bytes = bytes;
    for (const payer of this.#users.keys()) payer.bytes += more;
    if (more < 0) return;
    for (const [payer, shares] of [...this.#users]) {
      if (payer.bytes > payer.mostBytes) for (const share of [...shares]) share.end(tooLarge(payer));
    }
  }
}

/** Counts subscriptions and their memory against credential and account, and those of visitors against their network. */
export class Allowances {
  readonly #payers = new Map<string, Payer>();
  #total = 0;

  constructor(private readonly limits: LiveLimits) {}

  /** Number of subscriptions. */
  get total(): number {
    return this.#total;
  }

  /**
   * @param accountId the account that is watched
   * @param end ends the subscription when its payer's take too much memory later
   * @throws DomainError RATE_LIMITED
   */
  enter(
    context: Pick<Context, 'caller' | 'ip'>,
    accountId: string,
    end: (error: DomainError) => void,
  ): Share {
    const payers = this.#payersOf(context, accountId);
    for (const payer of payers) {
      if (payer.count >= payer.most) throw tooMany(payer);
      if (payer.bytes + SUBSCRIPTION_BYTES > payer.mostBytes) throw tooLarge(payer);
    }
    this.#total += 1;
    for (const payer of payers) {
      payer.count += 1;
      payer.bytes += SUBSCRIPTION_BYTES;
      this.#payers.set(payer.key, payer);
    }
    return new Share(payers, end);
  }

  leave({ payers }: Share): void {
    this.#total -= 1;
    for (const payer of payers) {
      payer.count -= 1;
      payer.bytes -= SUBSCRIPTION_BYTES;
      if (payer.count === 0) this.#payers.delete(payer.key);
    }
  }

  #payersOf({ caller, ip }: Pick<Context, 'caller' | 'ip'>, accountId: string): Payer[] {
    const { perDevice, perAccount, perAddress, bytesPerCaller, bytesPerAccount } = this.limits;
    const payers: Payer[] = [];
    const add = (key: string, whose: string, most: number, mostBytes: number) =>
      payers.push(this.#payers.get(key) ?? { key, whose, most, mostBytes, count: 0, bytes: 0 });
    if (isForeign(caller, accountId)) {
      add(
        ip === undefined ? '' : subscriberOf(ip),
        'Visitors from one IP address',
        perAddress,
        bytesPerCaller,
      );
    } else add(accountId, 'An account', perAccount, bytesPerAccount);
    if (caller.kind === 'client') add(caller.deviceId, 'A device', perDevice, bytesPerCaller);
    if (caller.kind === 'admin') add(caller.keyId, 'An API key', Number.POSITIVE_INFINITY, bytesPerCaller);
    return payers;
  }
}
