import { Store } from './store.js';

/** The decision that was saved last in this tab, for the sentence after a refusal. */
export const lastDecision = new Store<{ player: string; verdict: string; at: number } | null>(null);
