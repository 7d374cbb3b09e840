import { useId, useState } from 'react';
import type { TiePolicy, Weekday } from '../../generated/graphql.js';
import { SelectField, TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { t } from '../../texts.js';
import type { Rankings } from './rankings.js';
import { TieField } from './tie-field.js';

const text = t.calendar;
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const FIELDS = ['timeZone', 'weekStart', 'dayStart', 'tiePolicy'];

interface CalendarFieldsProps {
  value: Pick<Rankings, 'timeZone' | 'weekStart' | 'dayStart' | 'tiePolicy'>;
  onChange(changes: Partial<Rankings>): void;
  errors: Record<string, string>;
}

/** Zone, weeks and days of the periods, and the order of equal values. */
export function CalendarFields({ value, onChange, errors }: CalendarFieldsProps) {
  const zones = useId();
  // Hundreds of elements, where they are wanted.
  const [isChoosing, setChoosing] = useState(false);
  return (
    <Fold
      title={text.title}
      side={text.line(value.timeZone, text.weekdays[value.weekStart], value.dayStart)}
      faulty={FIELDS.some((field) => errors[field])}
    >
      <div className="pair-fields">
        <TextField
          label={text.timeZone}
          list={zones}
          onFocus={() => setChoosing(true)}
          value={value.timeZone}
          onText={(timeZone) => onChange({ timeZone })}
          required
          hint={text.timeZoneHint}
          error={errors.timeZone}
        />
        <datalist id={zones}>
          {isChoosing && ZONES.map((zone) => <option key={zone} value={zone} />)}
        </datalist>
        <SelectField<Weekday>
          label={text.weekStart}
          value={value.weekStart}
          options={Object.entries(text.weekdays) as [Weekday, string][]}
          onPick={(weekStart) => onChange({ weekStart })}
          error={errors.weekStart}
        />
        <TextField
          label={text.dayStart}
          type="time"
          value={value.dayStart}
          onText={(dayStart) => onChange({ dayStart })}
          required
          hint={text.dayStartHint}
          error={errors.dayStart}
        />
        <TieField
          value={value.tiePolicy}
          onPick={(tiePolicy: TiePolicy) => onChange({ tiePolicy })}
          hint={text.tiesHint}
          error={errors.tiePolicy}
        />
      </div>
    </Fold>
  );
}
