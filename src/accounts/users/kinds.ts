import { ID } from 'type-graphql';
import { canonicalEmail, EMAIL_SENTENCE } from '../../base/email-address.js';
import { isId, prefixes } from '../../base/ids.js';
import { type FieldKind, kind } from '../../graphql/records/kinds.js';
import { Rule } from '../../graphql/rules.js';

const MOST_GAMES = 100;

/** Stored in canonical form. */
export function IsEmail(): PropertyDecorator {
  return Rule(
    'email',
    EMAIL_SENTENCE,
    (value) => typeof value === 'string' && canonicalEmail(value) !== undefined,
    { format: 'email', maxLength: 254 },
  );
}

export const email: FieldKind<string> = { ...kind.text, rules: [IsEmail()] };

/** The games that a user is limited to. */
export const games: FieldKind<string[]> = {
  type: () => [ID],
  id: 'game',
  rules: [
    Rule(
      'ids',
      `must be 1 to ${MOST_GAMES} ids like ${prefixes.game}_<uuid>, or null for all games`,
      (value) =>
        Array.isArray(value) &&
        value.length > 0 &&
        value.length <= MOST_GAMES &&
        value.every((id) => isId('game', id)),
      { minItems: 1, maxItems: MOST_GAMES },
    ),
  ],
};
