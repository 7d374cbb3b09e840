import type { Settled } from './options.js';
import type { Needs, Recordings } from './recordings.js';

/** What `./runs` and `./players` add to each client, also to those that were made before, so that games without them don't carry it. */
export const part: {
  recordings?: (settings: Settled, needs: Needs) => Recordings;
} = {};
