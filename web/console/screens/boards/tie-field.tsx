import type { TiePolicy } from '../../generated/graphql.js';
import { SelectField } from '../../parts/controls.js';
import { t } from '../../texts.js';

/** Policies that a stored view changes between; others are another order of its entries. */
const DISPLAYED: readonly TiePolicy[] = ['EARLIEST', 'COMPETITION'];

interface TieFieldProps {
  value: TiePolicy;
  /** The policy of a stored view. */
  stored?: TiePolicy | undefined;
  onPick(policy: TiePolicy): void;
  hint?: string;
  error: string | undefined;
}

/** The ranks of equal values. */
export function TieField({ value, stored, onPick, hint, error }: TieFieldProps) {
  const open = Object.keys(t.ties.policies) as TiePolicy[];
  const policies = stored === undefined ? open : DISPLAYED.includes(stored) ? DISPLAYED : [stored];
  return (
    <SelectField<TiePolicy>
      label={t.ties.label}
      value={value}
      options={policies.map((policy) => [policy, t.ties.policies[policy]] as const)}
      onPick={onPick}
      disabled={policies.length === 1}
      hint={hint}
      error={error}
    />
  );
}
