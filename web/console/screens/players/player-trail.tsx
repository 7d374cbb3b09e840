import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { Card } from '../../parts/card.js';
import { Loaded } from '../../parts/states.js';
import { When } from '../../parts/time.js';
import { t } from '../../texts.js';
import { AuditQuery, EntryLine } from '../audit/entry-line.js';

/** Decisions about the player itself. */
export function PlayerTrail({ id }: { id: string }) {
  const { data, fault, again } = useRead(AuditQuery, {
    accountId: useAccountId(),
    filter: { subjectId: id },
  });
  const entries = data?.auditEntries.nodes ?? [];
  return (
    <Card
      title={t.audit.title}
      side={
        <Link to="/audit" search={{ subject: id }}>
          {t.audit.ofThis}
        </Link>
      }
    >
      <Loaded data={data} fault={fault} again={again} rows={1}>
        {() =>
          entries.length === 0 ? (
            <p className="empty">{t.overview.noDecisions}</p>
          ) : (
            <ul className="rows">
              {entries.map((entry) => (
                <li key={entry.id}>
                  <EntryLine entry={entry} />
                  <When at={entry.createdAt} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
