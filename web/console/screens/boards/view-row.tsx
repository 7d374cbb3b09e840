import { Button, Check, SelectField, TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { SeasonFields } from './season-fields.js';
import { VIEW_TEXTS } from './texts.js';
import { TieField } from './tie-field.js';
import type { ViewDraft, ViewKind } from './view-draft.js';

const text = VIEW_TEXTS;

interface ViewRowProps {
  view: ViewDraft;
  tags: readonly string[];
  /** Its rule cannot change. */
  isFixed: boolean;
  errors: Record<string, string>;
  /** Where the service names its fields: `views.0`. */
  at: string;
  onChange(view: ViewDraft): void;
  onRemove(): void;
}

/** One view with all its fields; of a stored one those that can change. */
export function ViewRow({ view, tags, isFixed, errors, at, onChange, onRemove }: ViewRowProps) {
  const { name, kind, by, stored } = view;
  const set = (changes: Partial<ViewDraft>) => onChange({ ...view, ...changes });
  const error = (field: string) => errors[`${at}.${field}`];
  const faulty = Object.keys(errors).some((field) => field.startsWith(`${at}.`));
  const building = stored?.status === 'BUILDING' ? text.building(stored.progress ?? 0) : '';
  return (
    <Fold
      title={name || text.unnamed}
      side={text.rule(text.kinds[kind], by.join(', ')) + building}
      open={!stored && !name}
      faulty={faulty}
    >
      {!isFixed && (
        <div className="pair-fields">
          <TextField
            label={text.name}
            value={name}
            onText={(name) => set({ name })}
            required
            hint={text.nameHint}
            error={error('name')}
          />
          <SelectField<ViewKind>
            label={text.kind}
            value={kind}
            options={Object.entries(text.kinds) as [ViewKind, string][]}
            onPick={(kind) => set({ kind })}
            error={error('period') ?? error('seasons')}
          />
          {kind === 'EVERY' && (
            <>
              <TextField
                label={text.days}
                type="number"
                min={1}
                max={366}
                value={view.every}
                onText={(every) => set({ every })}
                required
                error={error('every.every')}
              />
              <TextField
                label={text.from}
                type="date"
                value={view.from}
                onText={(from) => set({ from })}
                required
                hint={text.fromHint}
                error={error('every.from')}
              />
            </>
          )}
        </div>
      )}
      {kind === 'SEASONS' && (
        <SeasonFields
          seasons={view.seasons}
          onChange={(seasons) => set({ seasons })}
          errors={errors}
          at={`${at}.seasons`}
        />
      )}
      {!isFixed && (
        <fieldset className="checks">
          <legend>{text.by}</legend>
          <p className="hint">{text.byHint}</p>
          {[...new Set([...tags, ...by])].map((tag) => (
            <Check
              key={tag}
              label={tag}
              checked={by.includes(tag)}
              onPick={(checked) => set({ by: checked ? [...by, tag] : by.filter((one) => one !== tag) })}
            />
          ))}
          {error('by') && <span className="error">{error('by')}</span>}
        </fieldset>
      )}
      <div className="pair-fields">
        <TieField
          value={view.tiePolicy}
          stored={isFixed ? stored?.tiePolicy : undefined}
          onPick={(tiePolicy) => set({ tiePolicy })}
          error={error('tiePolicy')}
        />
        {kind !== 'ALL' && (
          <>
            <TextField
              label={text.keepPeriods}
              type="number"
              min={1}
              max={520}
              value={view.keepPeriods}
              onText={(keepPeriods) => set({ keepPeriods })}
              hint={text.keepPeriodsHint}
              error={error('keepPeriods')}
            />
            <TextField
              label={text.keepPodium}
              type="number"
              min={0}
              max={100}
              value={view.keepPodium}
              onText={(keepPodium) => set({ keepPodium })}
              hint={text.keepPodiumHint}
              error={error('keepPodium')}
            />
          </>
        )}
        {kind !== 'ALL' && !isFixed && (
          <TextField
            label={text.since}
            type="datetime-local"
            value={view.since}
            onText={(since) => set({ since })}
            hint={text.sinceHint}
            error={error('since')}
          />
        )}
      </div>
      {isFixed && <p className="hint">{text.fixed}</p>}
      <div>
        <Button look="danger" onClick={onRemove}>
          {text.remove(name || text.unnamed)}
        </Button>
      </div>
    </Fold>
  );
}
