import { Button, TextField } from '../../parts/controls.js';
import { VIEW_TEXTS } from './texts.js';
import { newSeason, type SeasonDraft } from './view-draft.js';

const text = VIEW_TEXTS.season;

interface SeasonFieldsProps {
  seasons: readonly SeasonDraft[];
  onChange(seasons: SeasonDraft[]): void;
  errors: Record<string, string>;
  /** Where the service names them: `views.0.seasons`. */
  at: string;
}

/** Periods with names. */
export function SeasonFields({ seasons, onChange, errors, at }: SeasonFieldsProps) {
  const set = (key: number, changes: Partial<SeasonDraft>) =>
    onChange(seasons.map((season) => (season.key === key ? { ...season, ...changes } : season)));
  return (
    <div className="rows-of-fields">
      {seasons.map(({ key, name, starts, ends }, index) => (
        <fieldset className="row-of-fields" key={key}>
          <legend className="hidden-text">{text.of(name, index + 1)}</legend>
          <TextField
            label={text.name}
            value={name}
            onText={(name) => set(key, { name })}
            required
            error={errors[`${at}.${index}.name`]}
          />
          <TextField
            label={text.starts}
            type="datetime-local"
            value={starts}
            onText={(starts) => set(key, { starts })}
            required
            error={errors[`${at}.${index}.startsAt`]}
          />
          <TextField
            label={text.ends}
            type="datetime-local"
            value={ends}
            onText={(ends) => set(key, { ends })}
            required
            error={errors[`${at}.${index}.endsAt`]}
          />
          <Button onClick={() => onChange(seasons.filter((season) => season.key !== key))}>
            {text.remove(name, index + 1)}
          </Button>
        </fieldset>
      ))}
      <div>
        <Button onClick={() => onChange([...seasons, newSeason()])}>{text.add}</Button>
      </div>
    </div>
  );
}
