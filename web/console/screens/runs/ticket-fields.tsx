import type { ReactNode } from 'react';
import type { KeepStrategy } from '../../generated/graphql.js';
import { Check, SelectField, TextField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import type { Rankings } from '../boards/rankings.js';
import { TICKET_TEXTS as text } from './texts.js';
import type { TicketDraft } from './ticket-draft.js';

interface TicketFieldsProps {
  value: TicketDraft;
  onChange(value: TicketDraft): void;
  errors: Record<string, string>;
  rankings: Rankings;
  keep: KeepStrategy | undefined;
  /** Figures of stored tickets. */
  children?: ReactNode;
}

/** What games get at the start of a run. Not for ratio boards. */
export function TicketFields({ value, onChange, errors, rankings, keep, children }: TicketFieldsProps) {
  const set = (changes: Partial<TicketDraft>) => onChange({ ...value, ...changes });
  const number = (field: keyof TicketDraft & string, label: string, more: Bounds) => (
    <TextField
      label={label}
      type="number"
      value={value[field] as string}
      onText={(typed) => set({ [field]: typed })}
      error={errors[`tickets.${more.at ?? field}`]}
      {...more}
    />
  );
  const ended = rankings.views.filter(({ kind }) => kind !== 'ALL').map(({ name }) => name);
  const views = [...new Set(['', ...ended, value.view])].filter((name, i) => i === 0 || name !== '');
  const mode = text.modes.find(([key]) => key === value.mode)![1]!;
  return (
    <Fold
      title={text.title}
      side={value.mode === 'NONE' ? text.none : mode}
      faulty={Object.keys(errors).some((field) => field.startsWith('tickets'))}
    >
      <p className="hint">{text.hint}</p>
      {children}
      <SelectField<TicketDraft['mode']>
        label={text.mode}
        value={value.mode}
        options={text.modes as [TicketDraft['mode'], string][]}
        onPick={(mode) => set({ mode })}
        error={errors.tickets}
      />
      {value.mode !== 'NONE' && (
        <>
          <div className="pair-fields">
            <SelectField<string>
              label={text.view}
              value={value.view}
              options={views.map((name) => [name, name || text.board] as const)}
              onPick={(view) => set({ view })}
              hint={text.viewHint}
              error={errors['tickets.view']}
            />
            <SelectField<TicketDraft['seed']>
              label={text.seed}
              value={value.seed}
              options={text.seeds as [TicketDraft['seed'], string][]}
              onPick={(seed) => set({ seed })}
            />
            {value.mode === 'REQUIRED' &&
              number('attempts', text.attempts, {
                ...{ min: 1, max: 100 },
                hint: keep === 'LAST' && value.attempts ? text.attemptsLast : text.attemptsHint,
              })}
            {number('hours', text.hours, { min: 1, max: 720, required: true, hint: text.hoursHint })}
            {number('advance', text.advance, { min: 0, max: 100, required: true, hint: text.advanceHint })}
            <TextField
              label={text.content}
              value={value.content}
              onText={(content) => set({ content })}
              maxLength={100}
              hint={text.contentHint}
              error={errors['tickets.content']}
            />
          </div>
          <Check label={text.clock} checked={value.isClocked} onPick={(isClocked) => set({ isClocked })} />
          {value.isClocked && (
            <>
              <div className="pair-fields">
                {number('minSeconds', text.least, {
                  at: 'clock.minSeconds',
                  min: 0,
                  step: 'any',
                  required: true,
                })}
                {number('maxPerSecond', text.most, {
                  ...{ at: 'clock.maxPerSecond', min: 0, step: 'any', hint: text.mostHint },
                })}
                {number('slackSeconds', text.slack, {
                  ...{ at: 'clock.slackSeconds', min: 1, max: 3600, step: 'any', required: true },
                })}
              </div>
              <Check label={text.pauses} checked={value.pauses} onPick={(pauses) => set({ pauses })} />
            </>
          )}
        </>
      )}
    </Fold>
  );
}

interface Bounds {
  min: number;
  max?: number;
  step?: 'any';
  required?: true;
  hint?: string;
  /** Place of the field in the input, where it has another name. */
  at?: string;
}
