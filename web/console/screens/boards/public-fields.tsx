import type { PublicField } from '../../generated/graphql.js';
import { Check } from '../../parts/controls.js';
import { t } from '../../texts.js';

const FIELDS = [
  'DATE',
  'GAP',
  'COUNTRY',
  'PLATFORM',
  'METADATA',
  'HISTORY',
  'SPLITS',
] as const satisfies PublicField[];

interface PublicFieldsProps {
  shown: readonly PublicField[];
  onPick(shown: PublicField[]): void;
}

/** What visitors see in addition to name and value. */
export function PublicFields({ shown, onPick }: PublicFieldsProps) {
  const pick = (field: PublicField, checked: boolean) =>
    onPick(FIELDS.filter((other) => (other === field ? checked : shown.includes(other))));
  return (
    <fieldset className="checks">
      <legend>{t.publicFields.title}</legend>
      <p className="hint">{t.publicFields.hint}</p>
      {FIELDS.map((field) => (
        <Check
          key={field}
          label={t.publicFields.names[field]}
          checked={shown.includes(field)}
          onPick={(checked) => pick(field, checked)}
        />
      ))}
    </fieldset>
  );
}

/** True if both hold the same facts. */
export function sameFields(one: readonly PublicField[], other: readonly PublicField[]): boolean {
  return one.join() === other.join();
}
