import { invalidField } from '../../base/errors.js';
import { enumOf } from '../../graphql/enums.js';
import { type FieldKind, kind } from '../../graphql/records/kinds.js';
import {
  type Created,
  maybe,
  newColumns,
  newInput,
  PartType,
  preset,
  required,
  withFields,
} from '../../graphql/records/record.js';
import { Matches, Rule } from '../../graphql/rules.js';
import { isTagValue } from './tag-value.js';

/** Independent of settings. */
const MOST_DIMENSIONS = 16;
const MOST_VALUES = 500;

export const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const NAME_SENTENCE = 'must start with a lowercase letter, followed by up to 31 of a-z, 0-9 and _';

/** Tags that every submission has by itself. */
export const SESSION_TAGS = ['country', 'platform'];

const TagSource = enumOf('TagSource', 'Where the value of a tag comes from.', {
  submission: 'Each submission has its own value. Players appear in every group they played in.',
  player:
    "Each player has one value, which is set on the player. It applies to all of the player's submissions, including past ones.",
});

const TagSetter = enumOf('TagSetter', 'Who can set the value of a tag.', {
  client: 'Game clients (for their own player, with any value) and administrators.',
  server: 'Administrators and game servers only.',
});

/** Names of tags and views. */
export const ruleName = {
  ...kind.text,
  limits: 'A lowercase letter, then up to 31 of a-z, 0-9 and _.',
  rules: [Matches('name', NAME, NAME_SENTENCE)],
};

const tagValues = {
  type: () => [String],
  rules: [
    Rule(
      'values',
      `must be 1 to ${MOST_VALUES} different values of 1 to 64 characters without comma and colon`,
      (value) =>
        Array.isArray(value) &&
        value.length >= 1 &&
        value.length <= MOST_VALUES &&
        value.every(isTagValue) &&
        new Set(value).size === value.length,
      { minItems: 1, maxItems: MOST_VALUES, items: { minLength: 1, maxLength: 64, pattern: '^[^,:]*$' } },
    ),
  ],
} as FieldKind<string[]>;

const fields = {
  name: required(ruleName, 'Name of the tag.'),
  source: preset(kind.oneOf(TagSource), 'submission', 'Where its values come from.', {
    whenNew: 'Cannot be changed once the board has submissions.',
  }),
  setBy: preset(kind.oneOf(TagSetter), 'client', 'Who can set its values.'),
  values: maybe(tagValues, 'Allowed values. Null: any.'),
};

const ABOUT = "A tag that a board's submissions or players can have.";

@PartType(fields, ABOUT)
export class Dimension extends withFields(fields) {}

/** The tags of a board as they are stored. @throws DomainError VALIDATION_FAILED */
function checkedDimensions(inputs: readonly Created<typeof fields>[]): Dimension[] {
  const names = new Set(SESSION_TAGS);
  return inputs.map((input, index) => {
    const { name } = input;
    if (SESSION_TAGS.includes(name)) {
      throw invalidField(
        ['dimensions', index, 'name'],
        `must not be ${name}: every submission already has it`,
      );
    }
    if (names.has(name)) throw invalidField(['dimensions', index, 'name'], 'must be unique on the board');
    names.add(name);
    return newColumns(fields, input);
  });
}

const areFew = Rule(
  'items',
  `must be at most ${MOST_DIMENSIONS}`,
  (value) => Array.isArray(value) && value.length <= MOST_DIMENSIONS,
  { maxItems: MOST_DIMENSIONS },
);

export const dimensions = kind.objects(
  Dimension,
  newInput('DimensionInput', ABOUT, fields),
  checkedDimensions,
  [areFew],
);
