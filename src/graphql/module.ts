import type { Context } from './context.js';
import type { NodeSource } from './node.js';

export type Feed = (args: Record<string, unknown>, context: Context) => AsyncIterableIterator<unknown>;

/** What a domain module gives to the service. Made by one function of the module, called by app.ts. */
export interface Module {
  /** One instance of each resolver class; its dependencies came through the constructor. */
  resolvers: object[];
  nodes: NodeSource[];
  /** Where each subscription field of the module gets its events, by the field's name. Arguments are coerced only. */
  feeds?: Record<string, Feed>;
  /** Waits for work that goes on beside requests (e.g. noting when a key was used). */
  close?(): Promise<void>;
}

/**
 * The `subscribe` of every subscription field. The schema puts the module's feed of the field's name in its place; where
 * there is none, the field is live: its resolver answers what is to be watched (live/watched.ts).
 */
export function moduleFeed(): never {
  throw new Error('The schema was built without preparing this subscription');
}
