import { createHmac } from 'node:crypto';
import { TYPED_CODE_ALPHABET } from '../../base/ids.js';
import { Matches } from '../../graphql/rules.js';

/** 40 bits. */
export const LINK_CODE_CHARACTERS = 8;
export const LINK_CODE_SECONDS = 600;

const LETTERS = `[${TYPED_CODE_ALPHABET}${TYPED_CODE_ALPHABET.toLowerCase().replace(/[^a-z]/g, '')}]`;
const HALF = LINK_CODE_CHARACTERS / 2;

/** A code as people type it: in either case, in one piece or as two of four characters. */
export function IsLinkCode(): PropertyDecorator {
  return Matches(
    'code',
    new RegExp(`^${LETTERS}{${HALF}}[ -]?${LETTERS}{${HALF}}$`),
    `must be ${LINK_CODE_CHARACTERS} letters and digits, without 0, 1, I and O`,
  );
}

/** The stored form of a code. Bound to its game: elsewhere it is another one. @param gameId prefixed */
export function hashLinkCode(secret: string, gameId: string, code: string): Buffer {
  const bare = code.toUpperCase().replace(/[ -]/g, '');
  return createHmac('sha256', secret).update(`link code\0${gameId}\0${bare}`).digest();
}
