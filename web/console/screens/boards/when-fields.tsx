import { Choices, SelectField, TextField } from '../../parts/controls.js';
import { toLocalInput } from '../../parts/format.js';
import { t } from '../../texts.js';

type Kind = 'always' | 'once' | 'again';

/** When a new board is open; times as their fields hold them. */
export interface When {
  kind: Kind;
  starts: string;
  ends: string;
  interval: string;
  next: string;
  pattern: string;
}

const text = t.newBoard;

/** The next Monday at midnight, in the viewer's zone. */
function nextMonday(): string {
  const at = new Date();
  at.setHours(0, 0, 0, 0);
  at.setDate(at.getDate() + ((8 - at.getDay()) % 7 || 7));
  return toLocalInput(at.toISOString());
}

export function alwaysOpen(): When {
  return {
    kind: 'always',
    starts: '',
    ends: '',
    interval: '1 weeks',
    next: nextMonday(),
    pattern: '{name}, week {week}',
  };
}

interface WhenFieldsProps {
  value: When;
  onChange(when: When): void;
  /** Ratio boards have no templates. */
  mayRepeat: boolean;
  errors: Record<string, string>;
}

export function WhenFields({ value, onChange, mayRepeat, errors }: WhenFieldsProps) {
  const kind = value.kind === 'again' && !mayRepeat ? 'always' : value.kind;
  const set = (changes: Partial<When>) => onChange({ ...value, ...changes });
  return (
    <section className="section">
      <header>
        <h2>{text.when}</h2>
      </header>
      <Choices<Kind>
        legend={text.when}
        columns
        value={kind}
        onPick={(kind) => set({ kind })}
        options={[
          ['always', ...text.always],
          ['once', ...text.once],
          ...(mayRepeat ? [['again', ...text.again] as [Kind, string, string]] : []),
        ]}
      />
      {kind === 'once' && (
        <div className="pair-fields">
          <TextField
            label={text.starts}
            type="datetime-local"
            value={value.starts}
            onText={(starts) => set({ starts })}
            error={errors.startsAt}
          />
          <TextField
            label={text.ends}
            type="datetime-local"
            value={value.ends}
            onText={(ends) => set({ ends })}
            error={errors.endsAt}
          />
        </div>
      )}
      {kind === 'again' && (
        <div className="pair-fields">
          <SelectField
            label={text.interval}
            value={value.interval}
            options={text.intervals}
            onPick={(interval) => set({ interval })}
          />
          <TextField
            label={text.next}
            type="datetime-local"
            value={value.next}
            onText={(next) => set({ next })}
            required
            hint={text.nextHint}
            error={errors.nextRunAt}
          />
          <TextField
            label={text.pattern}
            value={value.pattern}
            onText={(pattern) => set({ pattern })}
            hint={text.patternHint}
            error={errors.nameTemplate}
          />
        </div>
      )}
    </section>
  );
}
