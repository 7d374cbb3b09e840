import type { Nonces } from './nonces.js';
import type { Settled } from './options.js';
import type { Recordings } from './recordings.js';
import type { Sessions } from './session.js';

/** What `./runs` adds to each client, so that games without it don't carry it. */
export const part: {
  recordings?: (settings: Settled, sessions: Sessions, nonces: Nonces, name: string) => Recordings;
} = {};
