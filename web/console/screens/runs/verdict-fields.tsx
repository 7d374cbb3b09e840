import type { ReactNode } from 'react';
import { Check, SelectField, TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { VERDICT_TEXTS as text } from './texts.js';
import type { VerdictDraft } from './verdict-draft.js';

interface VerdictFieldsProps {
  value: VerdictDraft;
  onChange(value: VerdictDraft): void;
  errors: Record<string, string>;
  /** How the stored settings do. */
  children?: ReactNode;
}

/** What the verdicts of the studio's verifier do. Only for boards with recordings. */
export function VerdictFields({ value, onChange, errors, children }: VerdictFieldsProps) {
  const set = (changes: Partial<VerdictDraft>) => onChange({ ...value, ...changes });
  return (
    <Fold
      title={text.title}
      side={value.takes ? text.short[value.mode] : text.none}
      faulty={Object.keys(errors).some((field) => field.startsWith('verdicts'))}
    >
      <p className="hint">{text.hint}</p>
      <Check label={text.takes} checked={value.takes} onPick={(takes) => set({ takes })} />
      {errors.verdicts && <p className="error">{errors.verdicts}</p>}
      {value.takes && (
        <>
          <SelectField<VerdictDraft['mode']>
            label={text.mode}
            value={value.mode}
            options={text.modes as [VerdictDraft['mode'], string][]}
            onPick={(mode) => set({ mode })}
          />
          {value.mode !== 'LOG' && (
            <div className="pair-fields">
              <TextField
                label={text.verifyTop}
                hint={text.verifyHint}
                type="number"
                min={0}
                max={100}
                required
                value={value.verifyTop}
                onText={(verifyTop) => set({ verifyTop })}
                error={errors['verdicts.verifyTop']}
              />
              <TextField
                label={text.hours}
                hint={text.hoursHint}
                type="number"
                min={1}
                max={720}
                required
                value={value.hours}
                onText={(hours) => set({ hours })}
                error={errors['verdicts.hours']}
              />
            </div>
          )}
          {value.mode === 'DECIDE' && (
            <Check
              label={text.confirmed}
              checked={value.confirmed}
              onPick={(confirmed) => set({ confirmed })}
            />
          )}
        </>
      )}
      {children}
    </Fold>
  );
}
