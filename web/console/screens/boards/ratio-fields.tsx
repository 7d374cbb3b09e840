import type { CreateRatioConfigInput, RatioDisplay, ZeroDenominatorPolicy } from '../../generated/graphql.js';
import { SelectField, TextField } from '../../parts/controls.js';
import { t } from '../../texts.js';

/** The rules of a ratio board as the form holds them. */
export interface Ratio {
  numerator: string;
  denominator: string;
  minDenominator: string;
  decimals: string;
  display: RatioDisplay;
  zero: ZeroDenominatorPolicy;
}

export const noRatio: Ratio = {
  numerator: '',
  denominator: '',
  minDenominator: '5',
  decimals: '2',
  display: 'RAW',
  zero: 'NULL',
};

interface StoredRatio {
  numeratorBoardId: string;
  denominatorBoardId: string;
  minDenominator: number;
  decimals: number;
  display: RatioDisplay;
  zeroDenominatorPolicy: ZeroDenominatorPolicy;
}

/** The form's state of a stored ratio. */
export function ratioDraft(stored: StoredRatio): Ratio {
  return {
    numerator: stored.numeratorBoardId,
    denominator: stored.denominatorBoardId,
    minDenominator: String(stored.minDenominator),
    decimals: String(stored.decimals),
    display: stored.display,
    zero: stored.zeroDenominatorPolicy,
  };
}

export function ratioInput(ratio: Ratio): CreateRatioConfigInput {
  return {
    numeratorBoardId: ratio.numerator,
    denominatorBoardId: ratio.denominator,
    minDenominator: Number(ratio.minDenominator || 0),
    decimals: Number(ratio.decimals || 0),
    display: ratio.display,
    zeroDenominatorPolicy: ratio.zero,
  };
}

interface RatioFieldsProps {
  counters: { id: string; name: string }[];
  value: Ratio;
  onChange(value: Ratio): void;
}

const text = t.ratio;

export function RatioFields({ counters, value, onChange }: RatioFieldsProps) {
  const set = (changes: Partial<Ratio>) => onChange({ ...value, ...changes });
  const boards = [['', text.pick] as const, ...counters.map(({ id, name }) => [id, name] as const)];
  return (
    <div className="pair-fields">
      <SelectField
        label={text.numerator}
        value={value.numerator}
        options={boards}
        onPick={(numerator) => set({ numerator })}
        hint={counters.length < 2 ? text.tooFew : undefined}
      />
      <SelectField
        label={text.denominator}
        value={value.denominator}
        options={boards.filter(([id]) => id === '' || id !== value.numerator)}
        onPick={(denominator) => set({ denominator })}
      />
      <TextField
        label={text.min}
        type="number"
        min={0}
        value={value.minDenominator}
        onText={(minDenominator) => set({ minDenominator })}
        hint={text.minHint(value.minDenominator || '0')}
      />
      <TextField
        label={text.decimals}
        type="number"
        min={0}
        max={6}
        value={value.decimals}
        onText={(decimals) => set({ decimals })}
      />
      <SelectField<RatioDisplay>
        label={text.display}
        value={value.display}
        options={text.displays}
        onPick={(display) => set({ display })}
      />
      <SelectField<ZeroDenominatorPolicy>
        label={text.zero}
        value={value.zero}
        options={text.zeros}
        onPick={(zero) => set({ zero })}
      />
    </div>
  );
}
