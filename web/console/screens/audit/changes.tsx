import { exact } from '../../parts/format.js';
import { t } from '../../texts.js';
import { type Entry, fieldName, valueText } from './sentence.js';

/** Actions whose sentence says all of their fields. */
const TOLD = new Set([
  'RECORD_DELETED',
  'RECORD_RESTORED',
  'FLAG_REVIEWED',
  'RUNS_REVIEWED',
  'RUNS_REVIEW_UNDONE',
]);

const shown = (value: unknown) => valueText(value, exact);

/** The changed fields of an entry, before and after, and where it came from. */
export function Changes({ entry }: { entry: Entry & { ipAddress?: string | null } }) {
  const { action, before, after, ipAddress } = entry;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const isTold = TOLD.has(action) || names.length === 0;
  if (isTold && !ipAddress) return null;
  return (
    <details className="small soft">
      <summary>{t.audit.details}</summary>
      <dl className="changes">
        {(isTold ? [] : names).map((name) => (
          <div key={name}>
            <dt>{fieldName(name)}</dt>
            <dd>
              {before && name in before && (
                <>
                  <del>{shown(before[name])}</del>{' '}
                </>
              )}
              {after && name in after && <ins>{shown(after[name])}</ins>}
            </dd>
          </div>
        ))}
        {ipAddress && (
          <div>
            <dt>{t.audit.fromAddress}</dt>
            <dd>{ipAddress}</dd>
          </div>
        )}
      </dl>
    </details>
  );
}
