import type { Format } from '../../../src/base/value-format.js';
import type { TimeUnit, ValueFormatInput, ValueFormatKind } from '../generated/graphql.js';
import { t } from '../texts.js';
import { SelectField, TextField } from './controls.js';
import { amount, type Measured } from './format.js';

/** A format as forms hold it; kind empty: none. */
export interface FormatDraft {
  kind: ValueFormatKind | '';
  decimals: string;
  timeUnit: TimeUnit;
}

export const NO_FORMAT: FormatDraft = { kind: '', decimals: '', timeUnit: 'SECONDS' };

export function formatDraft(of: Measured): FormatDraft {
  const { kind, decimals, timeUnit } = of?.format ?? {};
  if (!kind) return NO_FORMAT;
  return {
    kind: kind as ValueFormatKind,
    decimals: decimals == null ? '' : String(decimals),
    timeUnit: (timeUnit ?? 'SECONDS') as TimeUnit,
  };
}

export function formatInput({ kind, decimals, timeUnit }: FormatDraft): ValueFormatInput | null {
  if (kind === '') return null;
  return {
    kind,
    ...(decimals !== '' && { decimals: Number(decimals) }),
    ...(kind === 'TIME' && { timeUnit }),
  };
}

export function isSameFormat(one: FormatDraft, other: FormatDraft): boolean {
  return JSON.stringify(formatInput(one)) === JSON.stringify(formatInput(other));
}

/** A board as the form would make it. */
export function measuredDraft(unit: string, draft: FormatDraft): Measured {
  const format = formatInput(draft) as Format | null;
  return { unit: unit.trim(), format };
}

const SAMPLES: Record<ValueFormatKind | '', number> = {
  '': 1234.5,
  NUMBER: 1234.5,
  TIME: 83.456,
  PERCENT: 0.4523,
  COMPACT: 1_234_567,
};

interface FormatFieldsProps {
  value: FormatDraft;
  onChange(value: FormatDraft): void;
  unit: string;
  errors: Record<string, string>;
}

const text = t.format;

/** How a board shows its values, with an example. */
export function FormatFields({ value, onChange, unit, errors }: FormatFieldsProps) {
  const set = (changes: Partial<FormatDraft>) => onChange({ ...value, ...changes });
  const millis = value.kind === 'TIME' && value.timeUnit === 'MILLISECONDS';
  const sample = SAMPLES[value.kind] * (millis ? 1_000 : 1);
  return (
    <>
      <SelectField<ValueFormatKind | ''>
        label={text.kind}
        value={value.kind}
        options={text.kinds}
        onPick={(kind) => set({ kind })}
        hint={text.example(String(sample), amount(measuredDraft(unit, value), sample))}
        error={errors.format ?? errors['format.kind']}
      />
      {value.kind === 'TIME' && (
        <SelectField<TimeUnit>
          label={text.timeUnit}
          value={value.timeUnit}
          options={text.timeUnits}
          onPick={(timeUnit) => set({ timeUnit })}
          error={errors['format.timeUnit']}
        />
      )}
      {value.kind !== '' && (
        <TextField
          label={text.decimals}
          type="number"
          min={0}
          max={6}
          value={value.decimals}
          onText={(decimals) => set({ decimals })}
          hint={text.decimalsHint}
          error={errors['format.decimals']}
        />
      )}
    </>
  );
}
