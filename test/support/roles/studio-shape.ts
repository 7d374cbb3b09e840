import type { Caller } from '../http.js';
import type { Player } from '../make.js';

/** The names that a row of the matrix can use of a studio: REST's path parameters, and words by which records are found. */
export type Names = Record<string, string>;

/** Classes of texts by their readers: each is a part of every text of its class, after the studio's word and a hyphen. */
export const CLASSES = ['private', 'inside', 'public', 'account', 'own', 'sibling', 'gone'] as const;
export type TextClass = (typeof CLASSES)[number];

/** A whole account: what it owns, who calls for it, and which texts and ids of it are for whom. */
export interface Studio {
  word: string;
  live: Names;
  /** Records that were deleted one by one, below an account that lives. */
  deleted: Names;
  /** Ids by who may read them. */
  ids: Record<TextClass, string[]>;
  owner: Caller;
  player: Player;
  /** A game client of the studio's other game. */
  sibling: Player;
}
