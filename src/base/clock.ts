/** Returns epoch milliseconds. Injected everywhere, so that a test can stop or set the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
