import { invalidField } from '../../base/errors.js';
import { MOST_DECIMALS } from '../../base/value-format.js';
import { enumOf } from '../../graphql/enums.js';
import { kind } from '../../graphql/records/kinds.js';
import { maybe, PartType, partKind, required, withFields } from '../../graphql/records/record.js';

const ValueFormatKind = enumOf('ValueFormatKind', 'How values are shown.', {
  number: 'As numbers, with the unit: `1,234.5 points`.',
  time: 'As minutes and seconds, with hours where needed: `1:12.340`.',
  percent: 'Times a hundred, with a percent sign: 0.452 is `45.2 %`.',
  compact: 'Large numbers shortened, with the unit: `1.23 M coins`.',
});

const TimeUnit = enumOf('TimeUnit', 'The unit of values that are times.', {
  seconds: '72.34 is `1:12.340`.',
  milliseconds: '72,340 is `1:12.340`.',
});

export const decimals = kind.whole(0, MOST_DECIMALS);

const fields = {
  kind: required(kind.oneOf(ValueFormatKind), 'The kind.'),
  decimals: maybe(
    decimals,
    'Displayed decimals. Null: 3 for `TIME`; for others as many as a value has, at most 3 (`COMPACT`: 2).',
  ),
  timeUnit: maybe(kind.oneOf(TimeUnit), 'The unit of the values, only with `TIME`; there null is seconds.'),
};

const ABOUT = 'How the values of a board are shown. Values in requests and responses stay numbers.';

@PartType(fields, ABOUT)
class ValueFormat extends withFields(fields) {}

export const valueFormat = partKind(ValueFormat, ['ValueFormatInput', ABOUT], fields, (format) => {
  if (format.kind === 'time') return { ...format, timeUnit: format.timeUnit ?? 'seconds' };
  if (format.timeUnit !== null) throw invalidField(['format', 'timeUnit'], 'is only allowed with TIME');
  return format;
});

/** Ratios are shown by `ratioConfig.display`. @throws DomainError VALIDATION_FAILED */
export function checkFormatFits(
  boardType: string | null | undefined,
  format: object | null | undefined,
): void {
  if (boardType === 'ratio' && format != null) {
    throw invalidField(['format'], 'is not allowed on ratio boards: use ratio_config.display and decimals');
  }
}
