import { type FieldKind, kind } from '../../graphql/records/kinds.js';
import { Rule } from '../../graphql/rules.js';

const MOST_AUDIENCES = 20;
const LONGEST_KEY = 4_000;

export const keyText: FieldKind<string> = {
  ...kind.text,
  limits: `PEM of at most ${LONGEST_KEY.toLocaleString('en')} characters.`,
  rules: [
    Rule(
      'key',
      'must be a public key as PEM, from BEGIN PUBLIC KEY to END PUBLIC KEY',
      (value) =>
        typeof value === 'string' &&
        value.length <= LONGEST_KEY &&
        /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/.test(value),
      { maxLength: LONGEST_KEY },
    ),
  ],
  stored: (given) => `${given.trim()}\n`,
};

export const audiences: FieldKind<string[]> = {
  type: () => [String],
  limits: `Up to ${MOST_AUDIENCES}, of 1 to 200 printable characters.`,
  rules: [
    Rule(
      'audiences',
      `must be at most ${MOST_AUDIENCES} different texts of 1 to 200 printable characters`,
      (value) =>
        Array.isArray(value) &&
        value.length <= MOST_AUDIENCES &&
        new Set(value).size === value.length &&
        value.every((text) => typeof text === 'string' && /^[\x21-\x7e]{1,200}$/.test(text)),
      { maxItems: MOST_AUDIENCES },
    ),
  ],
};
