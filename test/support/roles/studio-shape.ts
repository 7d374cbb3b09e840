import type { Caller } from '../http.js';
import type { Player } from '../make.js';

/** The names of a studio that a row of the matrix can use: REST's path parameters, and texts to find records by. */
export type Names = Record<string, string>;

/**
 * Classes of texts by who may read them: each text of a class contains its name, after the studio's word and a
 * hyphen.
 */
export const CLASSES = ['private', 'inside', 'public', 'account', 'own', 'sibling', 'gone'] as const;
export type TextClass = (typeof CLASSES)[number];

/** A complete account: its records, its callers, and who may see which texts and ids. */
export interface Studio {
  word: string;
  live: Names;
  /** Records deleted one by one in a live account. */
  deleted: Names;
  /** Ids by who may read them. */
  ids: Record<TextClass, string[]>;
  owner: Caller;
  player: Player;
  /** A game client of the studio's other game. */
  sibling: Player;
}
