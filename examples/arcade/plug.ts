const NAME = 'arcade:plug';

/** The game's only way to the service, with a plug. Pulled, it refuses every request and breaks those that are under way. */
export class Plug {
  #isIn = sessionStorage.getItem(NAME) !== 'out';
  #breaking = new AbortController();

  get isIn(): boolean {
    return this.#isIn;
  }

  set isIn(isIn: boolean) {
    this.#isIn = isIn;
    sessionStorage.setItem(NAME, isIn ? 'in' : 'out');
    if (isIn) this.#breaking = new AbortController();
    else this.#breaking.abort();
  }

  readonly fetch: typeof fetch = (address, init) => {
    if (!this.#isIn) return Promise.reject(new TypeError('The plug is pulled.'));
    const signals = [this.#breaking.signal, ...(init?.signal ? [init.signal] : [])];
    return fetch(address, { ...init, signal: AbortSignal.any(signals) });
  };
}
