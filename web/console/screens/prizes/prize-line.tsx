import { Button, Field, SelectField, TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { grantFault, type LineDraft, type LineKind, lineRule } from './prize-draft.js';
import { PRIZE_TEXTS as text } from './texts.js';

interface PrizeLineProps {
  line: LineDraft;
  onChange(line: LineDraft): void;
  onRemove(): void;
  errors: Record<string, string>;
  /** Where the service names its fields: `closingRules.0.prizes.lines.0`. */
  at: string;
}

const KINDS = Object.entries(text.kinds) as [LineKind, string][];

/** One line of a prize table: who gets it, and what. */
export function PrizeLine({ line, onChange, onRemove, errors, at }: PrizeLineProps) {
  const { name, title, kind } = line;
  const set = (changes: Partial<LineDraft>) => onChange({ ...line, ...changes });
  const error = (field: string) => errors[`${at}.${field}`];
  const shown = title || name || text.newLine;
  return (
    <Fold
      title={shown}
      side={lineRule(line)}
      open={name === ''}
      faulty={Object.keys(errors).some((field) => field.startsWith(`${at}.`))}
    >
      <div className="pair-fields">
        <TextField
          label={text.lineTitle}
          value={title}
          onText={(title) => set({ title })}
          required
          maxLength={100}
          hint={text.titleHint}
          error={error('title')}
        />
        <TextField
          label={text.name}
          value={name}
          onText={(name) => set({ name })}
          required
          maxLength={64}
          hint={text.nameHint}
          error={error('name')}
        />
        <SelectField<LineKind>
          label={text.kind}
          value={kind}
          options={KINDS}
          onPick={(kind) => set({ kind })}
        />
        {kind === 'RANK' && (
          <div className="two-numbers">
            <TextField
              label={text.first}
              type="number"
              min={1}
              max={1_000_000}
              required
              value={line.firstRank}
              onText={(firstRank) => set({ firstRank })}
              error={error('firstRank')}
            />
            <TextField
              label={text.last}
              type="number"
              min={line.firstRank || 1}
              max={1_000_000}
              value={line.lastRank}
              onText={(lastRank) => set({ lastRank })}
              hint={text.lastHint}
              error={error('lastRank')}
            />
          </div>
        )}
        {kind === 'SHARE' && (
          <TextField
            label={text.percent}
            type="number"
            min={0.001}
            max={100}
            step="any"
            required
            value={line.percent}
            onText={(percent) => set({ percent })}
            error={error('percent')}
          />
        )}
        {kind === 'VALUE' && (
          <TextField
            label={text.reached}
            type="number"
            step="any"
            required
            value={line.reached}
            onText={(reached) => set({ reached })}
            error={error('reached')}
          />
        )}
        <div className="two-numbers">
          <TextField
            label={text.runs}
            type="number"
            min={1}
            max={1_000}
            value={line.minimumRuns}
            onText={(minimumRuns) => set({ minimumRuns })}
            hint={text.anyHint}
            error={error('minimumRuns')}
          />
          <TextField
            label={text.age}
            type="number"
            min={1}
            max={8_760}
            value={line.minimumAgeHours}
            onText={(minimumAgeHours) => set({ minimumAgeHours })}
            hint={text.ageHint}
            error={error('minimumAgeHours')}
          />
        </div>
      </div>
      <TextField
        label={text.picture}
        type="url"
        pattern="https://.*"
        maxLength={2_000}
        value={line.pictureUrl}
        onText={(pictureUrl) => set({ pictureUrl })}
        hint={text.pictureHint}
        error={error('pictureUrl')}
      />
      <Grant json={line.grant} onChange={(grant) => set({ grant })} error={error('grant')} />
      <div>
        <Button look="danger" onClick={onRemove}>
          {text.removeLine(shown)}
        </Button>
      </div>
    </Fold>
  );
}

interface GrantProps {
  json: string;
  onChange(json: string): void;
  error: string | undefined;
}

function Grant({ json, onChange, error }: GrantProps) {
  const fault = grantFault(json);
  return (
    <Field label={text.grant} hint={text.grantHint} error={fault || error}>
      {(ids) => (
        <textarea
          {...ids}
          // The browser does not send the form while it is wrong.
          ref={(area) => area?.setCustomValidity(fault)}
          className="input mono"
          rows={Math.min(12, Math.max(2, json.split('\n').length))}
          spellCheck={false}
          value={json}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
