import type { BoardProof } from '../../generated/graphql.js';
import { Check } from '../../parts/controls.js';
import { t } from '../../texts.js';

interface ProofFieldProps {
  value: BoardProof;
  onChange(value: BoardProof): void;
}

/** Whether a board takes runs only of players who have signed in. */
export function ProofField({ value, onChange }: ProofFieldProps) {
  return (
    <section className="section">
      <header>
        <h2>{t.proof.title}</h2>
        <p className="soft">{t.proof.hint}</p>
      </header>
      <Check
        label={t.proof.required}
        checked={value === 'REQUIRED'}
        onPick={(isRequired) => onChange(isRequired ? 'REQUIRED' : 'OFF')}
      />
    </section>
  );
}
