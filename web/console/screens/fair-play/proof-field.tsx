import type { BoardProof } from '../../generated/graphql.js';
import { Check } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { t } from '../../texts.js';
import { MissingProvider } from '../providers/missing-provider.js';

interface ProofFieldProps {
  value: BoardProof;
  onChange(value: BoardProof): void;
}

/** Whether a board takes runs only of players who have signed in. */
export function ProofField({ value, onChange }: ProofFieldProps) {
  return (
    <Fold
      title={t.proof.title}
      side={value === 'REQUIRED' ? t.proof.on : t.proof.off}
      open={value === 'REQUIRED'}
      faulty={false}
    >
      <p className="hint">{t.proof.hint}</p>
      <Check
        label={t.proof.required}
        checked={value === 'REQUIRED'}
        onPick={(isRequired) => onChange(isRequired ? 'REQUIRED' : 'OFF')}
      />
      {value === 'REQUIRED' && <MissingProvider />}
    </Fold>
  );
}
