import { useSyncExternalStore } from 'react';

/** A value that components follow: those that use it render again when it is replaced. */
export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  readonly get = (): T => this.value;

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of this.listeners) listener();
  }

  readonly follow = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.follow, store.get);
}

/** A text of this tab's sessionStorage as a store; null removes it. */
export class TabText extends Store<string | null> {
  constructor(private readonly name: string) {
    super(sessionStorage.getItem(name));
  }

  override set(value: string | null): void {
    if (value === null) sessionStorage.removeItem(this.name);
    else sessionStorage.setItem(this.name, value);
    super.set(value);
  }
}
