import { exact } from '../../parts/format.js';
import { t } from '../../texts.js';
import { type Entry, fieldName } from './sentence.js';

/** Actions whose sentence says all of their fields. */
const TOLD = new Set([
  'RECORD_DELETED',
  'RECORD_RESTORED',
  'FLAG_REVIEWED',
  'RUNS_REVIEWED',
  'RUNS_REVIEW_UNDONE',
]);

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return t.audit.nothing;
  if (typeof value === 'boolean') return value ? t.audit.on : t.audit.off;
  if (typeof value === 'string') return TIME.test(value) ? exact(value) : value;
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

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
