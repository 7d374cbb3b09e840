import { useRef } from 'react';
import type { PrizeTies } from '../../generated/graphql.js';
import { Button, SelectField, TextField } from '../../parts/controls.js';
import { type LineDraft, newLine, newPrizes, type PrizeDraft } from './prize-draft.js';
import { PrizeLine } from './prize-line.js';
import { type PlayedBoard, PrizePreview } from './prize-preview.js';
import { PRIZE_TEXTS as text } from './texts.js';
import './prizes.css';

interface PrizeFieldsProps {
  prizes: PrizeDraft | null;
  onChange(prizes: PrizeDraft | null): void;
  /** Empty: the board's own ranking. */
  view: string;
  played: PlayedBoard | undefined;
  errors: Record<string, string>;
  /** Where the service names its fields: `closingRules.0.prizes`. */
  at: string;
}

/** What the places of one ranking are given, beside who would get it now. */
export function PrizeFields({ prizes, onChange, view, played, errors, at }: PrizeFieldsProps) {
  const adds = useRef<HTMLButtonElement>(null);
  if (!prizes) {
    return (
      <div className="whole-row">
        <Button onClick={() => onChange(newPrizes())}>{text.add}</Button>
        {errors[at] && <p className="error">{errors[at]}</p>}
      </div>
    );
  }
  const { lines } = prizes;
  const set = (changes: Partial<PrizeDraft>) => onChange({ ...prizes, ...changes });
  const setLine = (changed: LineDraft) =>
    set({ lines: lines.map((line) => (line.key === changed.key ? changed : line)) });
  const remove = (key: number) => {
    set({ lines: lines.filter((line) => line.key !== key) });
    adds.current?.focus();
  };
  return (
    <div className="prizes whole-row">
      <div className="stack">
        <h3>{text.title}</h3>
        <p className="hint">{text.hint}</p>
        {errors[at] && <p className="error">{errors[at]}</p>}
        <div className="folds">
          {lines.map((line, index) => (
            <PrizeLine
              key={line.key}
              line={line}
              onChange={setLine}
              onRemove={() => remove(line.key)}
              errors={errors}
              at={`${at}.lines.${index}`}
            />
          ))}
        </div>
        {errors[`${at}.lines`] && <p className="error">{errors[`${at}.lines`]}</p>}
        <div>
          <Button ref={adds} onClick={() => set({ lines: [...lines, newLine(lines)] })}>
            {text.addLine}
          </Button>
        </div>
        <Conditions prizes={prizes} set={set} errors={errors} at={at} />
        <div>
          <Button look="danger" onClick={() => onChange(null)}>
            {text.remove}
          </Button>
        </div>
      </div>
      <PrizePreview prizes={prizes} view={view} played={played} />
    </div>
  );
}

interface ConditionsProps {
  prizes: PrizeDraft;
  set(changes: Partial<PrizeDraft>): void;
  errors: Record<string, string>;
  at: string;
}

function Conditions({ prizes, set, errors, at }: ConditionsProps) {
  return (
    <div className="pair-fields">
      <TextField
        label={text.minimum}
        type="number"
        min={1}
        max={1_000_000}
        required
        value={prizes.minimumEntries}
        onText={(minimumEntries) => set({ minimumEntries })}
        hint={text.minimumHint}
        error={errors[`${at}.minimumEntries`]}
      />
      <TextField
        label={text.expires}
        type="number"
        min={1}
        max={3_650}
        value={prizes.expiresDays}
        onText={(expiresDays) => set({ expiresDays })}
        hint={text.expiresHint}
        error={errors[`${at}.expiresDays`]}
      />
      <SelectField<PrizeTies>
        label={text.ties}
        value={prizes.ties}
        options={text.tieKinds}
        onPick={(ties) => set({ ties })}
        error={errors[`${at}.ties`]}
      />
      {prizes.ties === 'ALL' && (
        <TextField
          label={text.tieLimit}
          type="number"
          min={0}
          max={1_000_000}
          required
          value={prizes.tieLimit}
          onText={(tieLimit) => set({ tieLimit })}
          hint={text.tieLimitHint}
          error={errors[`${at}.tieLimit`]}
        />
      )}
    </div>
  );
}
