import { Matches } from '../../graphql/rules.js';

const MOST_TOKEN = 10_000;

/** What a provider gives to a game. */
export function IsProofToken(): PropertyDecorator {
  return Matches(
    'token',
    new RegExp(`^[\\x20-\\x7e]{1,${MOST_TOKEN}}$`),
    `must be 1 to ${MOST_TOKEN} printable characters`,
  );
}
