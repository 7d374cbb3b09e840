import type { Noun } from './noun.js';
import { playNouns } from './play.js';
import { studioNouns } from './studio.js';

/** All nouns that have a command. */
export const nouns: Noun[] = [...studioNouns, ...playNouns];
