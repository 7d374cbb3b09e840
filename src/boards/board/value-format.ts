import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { MOST_DECIMALS } from '../../base/value-format.js';
import { enumOf } from '../../graphql/enums.js';
import { Rule } from '../../graphql/rules.js';

const ValueFormatKind = enumOf('ValueFormatKind', 'How values are shown.', {
  number: 'As numbers, with the unit: `1,234.5 points`.',
  time: 'As minutes and seconds, with hours where needed: `1:12.340`.',
  percent: 'Times a hundred, with a percent sign: 0.452 is `45.2 %`.',
  compact: 'Large numbers shortened, with the unit: `1.23 M coins`.',
});
type ValueFormatKind = (typeof ValueFormatKind)[keyof typeof ValueFormatKind];

const TimeUnit = enumOf('TimeUnit', 'The unit of values that are times.', {
  seconds: '72.34 is `1:12.340`.',
  milliseconds: '72,340 is `1:12.340`.',
});
type TimeUnit = (typeof TimeUnit)[keyof typeof TimeUnit];

@ObjectType({
  description: 'How the values of a board are shown. Values in requests and responses stay numbers.',
  simpleResolvers: true,
})
export class ValueFormat {
  @Field(() => ValueFormatKind, { description: 'The kind.' })
  kind!: ValueFormatKind;

  @Field(() => Int, {
    nullable: true,
    description:
      'Displayed decimals, 0 to 6. Null: 3 for `TIME`; for others as many as a value has, at most 3 (`COMPACT`: 2).',
  })
  decimals!: number | null;

  @Field(() => TimeUnit, { nullable: true, description: 'The unit of the values. Null unless `TIME`.' })
  timeUnit!: TimeUnit | null;
}

export function AreDecimals(): PropertyDecorator {
  const sentence = `must be 0 to ${MOST_DECIMALS}`;
  return Rule('range', sentence, (value) => Number(value) >= 0 && Number(value) <= MOST_DECIMALS, {
    minimum: 0,
    maximum: MOST_DECIMALS,
  });
}

@InputType({ description: 'How the values of a board are shown.' })
export class ValueFormatInput {
  @Field(() => ValueFormatKind, { description: 'The kind.' })
  kind!: ValueFormatKind;

  @AreDecimals()
  @Field(() => Int, {
    nullable: true,
    description:
      'Displayed decimals, 0 to 6. If absent, 3 for `TIME`; for others as many as a value has, at most 3 (`COMPACT`: 2).',
  })
  decimals?: number | null;

  @Field(() => TimeUnit, {
    nullable: true,
    description: 'The unit of the values, only with `TIME`; seconds if absent.',
  })
  timeUnit?: TimeUnit | null;
}

/** The format as it is stored. @throws DomainError VALIDATION_FAILED */
export function checkedFormat({ kind, decimals, timeUnit }: ValueFormatInput): ValueFormat {
  if (kind === 'time') return { kind, decimals: decimals ?? null, timeUnit: timeUnit ?? 'seconds' };
  if (timeUnit != null) throw invalidField(['format', 'timeUnit'], 'is only allowed with TIME');
  return { kind, decimals: decimals ?? null, timeUnit: null };
}

/** Ratios are shown by `ratioConfig.display`. @throws DomainError VALIDATION_FAILED */
export function checkFormatFits(
  boardType: string | null | undefined,
  format: ValueFormatInput | null | undefined,
): void {
  if (boardType === 'ratio' && format != null) {
    throw invalidField(['format'], 'is not allowed on ratio boards: use ratio_config.display and decimals');
  }
}
