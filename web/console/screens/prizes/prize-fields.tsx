import { useRef } from 'react';
import type { PrizeTies } from '../../generated/graphql.js';
import { Button, SelectField, TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { type LineDraft, lineNames, newLine, type PrizeDraft } from './prize-draft.js';
import { PrizeLine } from './prize-line.js';
import { type PlayedBoard, PrizePreview } from './prize-preview.js';
import { PRIZE_TEXTS as text } from './texts.js';
import './prizes.css';

interface PrizeFieldsProps {
  prizes: PrizeDraft;
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
  const { lines } = prizes;
  const names = lineNames(lines);
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
        {errors[at] && <p className="error">{errors[at]}</p>}
        <div className="prize-row prize-heads" aria-hidden="true">
          <span>{text.kind}</span>
          <span>{text.lineTitle}</span>
          <span>{text.item}</span>
        </div>
        <ul className="prize-lines">
          {lines.map((line, index) => (
            <PrizeLine
              key={line.key}
              line={line}
              madeName={names[index]!}
              onChange={setLine}
              onRemove={() => remove(line.key)}
              errors={errors}
              at={`${at}.lines.${index}`}
            />
          ))}
        </ul>
        {errors[`${at}.lines`] && <p className="error">{errors[`${at}.lines`]}</p>}
        <div>
          <Button ref={adds} onClick={() => set({ lines: [...lines, newLine(lines)] })}>
            {text.addLine}
          </Button>{' '}
          <Button look="quiet" onClick={() => onChange(null)}>
            {text.remove}
          </Button>
        </div>
        <Conditions prizes={prizes} set={set} errors={errors} at={at} />
      </div>
      {played && <PrizePreview prizes={prizes} view={view} played={played} />}
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
    <Fold
      title={text.conditions}
      side={conditionsOf(prizes)}
      faulty={CONDITIONS.some((field) => errors[`${at}.${field}`])}
    >
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
    </Fold>
  );
}

const CONDITIONS = ['minimumEntries', 'expiresDays', 'ties', 'tieLimit'];

/** Those that are not as usual. */
function conditionsOf({ minimumEntries, expiresDays, ties }: PrizeDraft): string {
  const tie = text.tieKinds.find(([kind]) => kind === ties)![1];
  return [
    minimumEntries !== '1' && text.from(minimumEntries),
    expiresDays !== '' && text.expiresAfter(expiresDays),
    ties !== 'RANK' && tie,
  ]
    .filter(Boolean)
    .join(' · ');
}
