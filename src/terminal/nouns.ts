import { isServed } from './document.js';
import type { Noun } from './noun.js';
import { playNouns } from './play-nouns.js';
import { studioNouns } from './studio-nouns.js';

/** Everything that has a command, as far as the OpenAPI document has it. */
export const nouns: Noun[] = [...studioNouns, ...playNouns].filter(({ list }) => isServed('get', list));
