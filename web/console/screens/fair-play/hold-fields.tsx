import { useState } from 'react';
import type { Fault } from '../../api/fault.js';
import { TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { t } from '../../texts.js';

/** How a board holds flagged runs at the top, as the form holds it. */
interface Hold {
  top: string;
  /** Empty: until they are reviewed. */
  hours: string;
}

interface StoredHold {
  holdTop: number;
  holdHours?: number | null;
}

/** What a new board has when nothing is chosen. */
export const NO_HOLD: StoredHold = { holdTop: 0, holdHours: 48 };

const inputOf = ({ top, hours }: Hold): Required<StoredHold> => ({
  holdTop: Number(top),
  holdHours: hours.trim() === '' ? null : Number(hours),
});

export function useHold({ holdTop, holdHours }: StoredHold) {
  return useState<Hold>({ top: String(holdTop), hours: String(holdHours ?? '') });
}

/** The part of the input that differs from what is stored. */
export function holdChanges(hold: Hold, stored: StoredHold): Partial<Required<StoredHold>> {
  const { holdTop, holdHours } = inputOf(hold);
  return {
    ...(holdTop !== stored.holdTop && { holdTop }),
    ...(holdHours !== (stored.holdHours ?? null) && { holdHours }),
  };
}

interface HoldFieldsProps {
  value: Hold;
  onChange(value: Hold): void;
  errors: NonNullable<Fault['fields']>;
}

/** Only for boards that rank runs. */
export function HoldFields({ value, onChange, errors }: HoldFieldsProps) {
  return (
    <Fold
      title={t.hold.title}
      side={value.top === '0' ? t.hold.off : t.hold.on(value.top)}
      open={value.top !== '0'}
      faulty={Boolean(errors.holdTop || errors.holdHours)}
    >
      <p className="hint">{t.hold.hint}</p>
      <div className="pair-fields">
        <TextField
          label={t.hold.top}
          type="number"
          min={0}
          max={100}
          required
          value={value.top}
          onText={(top) => onChange({ ...value, top })}
          hint={t.hold.topHint}
          error={errors.holdTop}
        />
        <TextField
          label={t.hold.hours}
          type="number"
          min={1}
          max={8760}
          value={value.hours}
          onText={(hours) => onChange({ ...value, hours })}
          hint={t.hold.hoursHint}
          error={errors.holdHours}
        />
      </div>
    </Fold>
  );
}
