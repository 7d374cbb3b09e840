import type { Noun } from './noun.js';
import { playNouns } from './play.js';
import { studioNouns } from './studio.js';

/** Everything that has a command. */
export const nouns: Noun[] = [...studioNouns, ...playNouns];
