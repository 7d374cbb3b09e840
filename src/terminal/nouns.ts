import type { Noun } from './noun.js';
import { playNouns } from './play-nouns.js';
import { studioNouns } from './studio-nouns.js';

/** Everything that has a command. */
export const nouns: Noun[] = [...studioNouns, ...playNouns];
