import type { Context } from './context.js';
import type { NodeSource } from './node.js';

export type Feed = (args: Record<string, unknown>, context: Context) => AsyncIterableIterator<unknown>;

/** The parts of the service that a domain module provides. Made by one function of the module, called by app.ts. */
export interface Module {
  /** One instance of each resolver class; its dependencies came through the constructor. */
  resolvers: object[];
  nodes: NodeSource[];
  /** The event source of each subscription field of the module, by field name. Arguments are coerced only. */
  feeds?: Record<string, Feed>;
  /** Awaits background work (e.g. the update of a key's last use). */
  close?(): Promise<void>;
}

/**
 * The `subscribe` of every subscription field. The schema replaces it with the module's feed of the field's name;
 * without a feed the field is live: its resolver returns the feed to watch (live/watched.ts).
 */
export function moduleFeed(): never {
  throw new Error('The schema was built without preparing this subscription');
}
