/**
 * Limits concurrent work; those who wait get their turns one after the other, so that one account with much work does
 * not delay another with little.
 */
export class Rounds {
  #busy = 0;
  /** Waiting calls by account; the first account is next. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(private readonly atATime: number) {}

  /** Runs the work when it is the account's turn. */
  async run<T>(account: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy < this.atATime) this.#busy += 1;
    else await this.#turn(account);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  /** Resolves when a finished one passes on its slot. */
  #turn(account: string): Promise<void> {
    return new Promise((resolve) => {
      const calls = this.#waiting.get(account);
      if (calls) calls.push(resolve);
      else this.#waiting.set(account, [resolve]);
    });
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#busy -= 1;
      return;
    }
    const [account, calls] = next;
    const call = calls.shift()!;
    this.#waiting.delete(account);
    if (calls.length > 0) this.#waiting.set(account, calls);
    call();
  }
}
