/** Epoch milliseconds. Injected everywhere, so that a test can hold or turn the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
