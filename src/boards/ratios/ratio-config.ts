import { Float } from 'type-graphql';
import { enumOf } from '../../graphql/enums.js';
import { type FieldKind, kind } from '../../graphql/records/kinds.js';
import {
  type Created,
  changeInput,
  createdAt,
  idField,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../../graphql/records/record.js';
import { Rule } from '../../graphql/rules.js';
import { decimals } from '../board/value-format.js';

const ZeroDenominatorPolicy = enumOf(
  'ZeroDenominatorPolicy',
  'What a ratio is when its denominator is zero.',
  {
    null: 'Not ranked.',
    zero: 'Zero.',
    infinity:
      'Ranked above every other ratio, with the value 1e15, shown as `∞`. Not ranked while the numerator is negative.',
  },
);

const RatioDisplay = enumOf('RatioDisplay', 'How a ratio is displayed.', {
  raw: 'As it is: `0.75`.',
  percent: 'Times a hundred, with a percent sign: `75.00%`.',
});

const finite: FieldKind<number> = {
  type: () => Float,
  rules: [Rule('number', 'must be a finite number', Number.isFinite)],
  // No negative zero.
  stored: (value) => value + 0,
};

export const ratioConfigFields = {
  id: idField('ratioConfig'),
  numeratorBoardId: required(kind.idOf('board'), 'The counter board of the same game with the numerators.'),
  denominatorBoardId: required(
    kind.idOf('board'),
    'Another counter board of the game, with the denominators.',
  ),
  zeroDenominatorPolicy: preset(
    kind.oneOf(ZeroDenominatorPolicy),
    'null',
    'What a ratio is when its denominator is zero.',
  ),
  minNumerator: preset(finite, 0, 'Players with a smaller numerator are not ranked.'),
  minDenominator: preset(finite, 0, 'Players with a smaller denominator are not ranked.'),
  scale: preset(kind.above0, 1, 'The ratio is multiplied by this factor to get the value.'),
  display: preset(
    kind.oneOf(RatioDisplay),
    'raw',
    'How the ratio is displayed, before the factor is applied.',
  ),
  decimals: preset(decimals, 2, 'Displayed decimals.'),
  createdAt,
  updatedAt,
};

@RecordType(ratioConfigFields, "How a ratio board divides a player's sums on two counter boards.")
export class RatioConfig extends rowOf(ratioConfigFields, { ids: { boardId: 'board' } }) {
  static override tableName = 'ratio_configs';

  boardId!: string;
}

export const CreateRatioConfigInput = newInput(
  'CreateRatioConfigInput',
  'Rules of a new ratio board.',
  ratioConfigFields,
);
export type CreateRatioConfigInput = Created<typeof ratioConfigFields>;

export const UpdateRatioConfigInput = changeInput(
  'UpdateRatioConfigInput',
  "Changes to a ratio board's rules. Absent fields stay unchanged.",
  ratioConfigFields,
  { deletion: null },
);
export type UpdateRatioConfigInput = Updated<typeof ratioConfigFields>;
