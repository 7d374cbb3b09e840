import { Check, SelectField, TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import type { RecordingDraft } from './recording-draft.js';
import { RECORDING_TEXTS as text } from './texts.js';

interface RecordingFieldsProps {
  value: RecordingDraft;
  onChange(value: RecordingDraft): void;
  errors: Record<string, string>;
}

/** Which runs are recorded. Not for ratio boards. */
export function RecordingFields({ value, onChange, errors }: RecordingFieldsProps) {
  const set = (changes: Partial<RecordingDraft>) => onChange({ ...value, ...changes });
  return (
    <Fold
      title={text.title}
      side={value.takes ? text.some(value.keepBest, value.keepTop) : text.none}
      faulty={Object.keys(errors).some((field) => field.startsWith('recordings'))}
    >
      <p className="hint">{text.hint}</p>
      <Check label={text.takes} checked={value.takes} onPick={(takes) => set({ takes })} />
      {value.takes && (
        <>
          <div className="pair-fields">
            <TextField
              label={text.keepTop}
              type="number"
              min={0}
              max={1_000}
              required
              value={value.keepTop}
              onText={(keepTop) => set({ keepTop })}
              error={errors['recordings.keepTop']}
            />
            <TextField
              label={text.demandTop}
              hint={text.demandHint}
              type="number"
              min={0}
              max={100}
              required
              value={value.demandTop}
              onText={(demandTop) => set({ demandTop })}
              error={errors['recordings.demandTop']}
            />
            <TextField
              label={text.size}
              hint={text.sizeHint}
              type="number"
              min={1}
              step="any"
              required
              value={value.size}
              onText={(size) => set({ size })}
              error={errors['recordings.maxBytes']}
            />
            <SelectField<RecordingDraft['readers']>
              label={text.readers}
              value={value.readers}
              options={text.who as [RecordingDraft['readers'], string][]}
              onPick={(readers) => set({ readers })}
            />
          </div>
          <TextField
            label={text.watchUrl}
            hint={text.watchHint}
            type="url"
            value={value.watchUrl}
            onText={(watchUrl) => set({ watchUrl })}
            error={errors['recordings.watchUrl']}
          />
          <Check
            label={text.demandFlagged}
            checked={value.demandFlagged}
            onPick={(demandFlagged) => set({ demandFlagged })}
          />
          <Check label={text.keepBest} checked={value.keepBest} onPick={(keepBest) => set({ keepBest })} />
          {value.keepBest && <p className="hint">{text.bestHint}</p>}
        </>
      )}
    </Fold>
  );
}
