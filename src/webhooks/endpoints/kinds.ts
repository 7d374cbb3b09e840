import { ID } from 'type-graphql';
import { isId } from '../../base/ids.js';
import { type FieldKind, kind } from '../../graphql/records/kinds.js';
import { Rule } from '../../graphql/rules.js';
import { EVENT_NAMES } from '../events/event-types.js';

const MOST_FILTERED = 100;

const NAMES: readonly string[] = EVENT_NAMES;

export const eventNames: FieldKind<string[]> = {
  type: () => [String],
  rules: [
    Rule(
      'events',
      `must be 1 to ${NAMES.length} of ${NAMES.join(', ')}, each once`,
      (value) =>
        Array.isArray(value) &&
        value.length > 0 &&
        new Set(value).size === value.length &&
        value.every((name) => NAMES.includes(name as string)),
      { minItems: 1, maxItems: NAMES.length },
    ),
  ],
};

export function filterOf(what: 'game' | 'board'): FieldKind<string[]> {
  const rule = Rule(
    'ids',
    `must be at most ${MOST_FILTERED} different ids of ${what}s`,
    (value) =>
      Array.isArray(value) &&
      value.length <= MOST_FILTERED &&
      new Set(value).size === value.length &&
      value.every((id) => isId(what, id)),
    { maxItems: MOST_FILTERED },
  );
  return { type: () => [ID], rules: [rule], id: what };
}

export const endpointUrl: FieldKind<string> = {
  ...kind.text,
  rules: [
    Rule(
      'url',
      'must be an https URL of at most 2,000 characters, without user and password',
      (value) => {
        if (typeof value !== 'string' || value.length > 2_000 || !URL.canParse(value)) return false;
        const { protocol, username, password } = new URL(value);
        return /^https?:$/.test(protocol) && username === '' && password === '';
      },
      { format: 'uri', maxLength: 2_000 },
    ),
  ],
  limits: '`https://…`.',
  stored: (given) => new URL(given).href,
};
