import { useMemo } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { SessionsQuery as Answer } from '../../generated/graphql.js';
import { Card, Chip } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { Ago, When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { EndSessionMutation } from '../../shell/leave.js';
import { t } from '../../texts.js';
import { browserName } from './browser-name.js';

const SessionsQuery = graphql(`
  query Sessions {
    me { user { id consoleSessions { id method ipAddress userAgent isCurrent lastUsedAt createdAt } } }
  }
`);

type SessionRow = NonNullable<NonNullable<Answer['me']['user']>['consoleSessions']>[number];
const text = t.security;

const nameOf = ({ userAgent }: SessionRow) => (userAgent ? browserName(userAgent) : text.unknown);

/** The caller's own sessions. The one of this tab ends by signing out. */
export function Sessions() {
  const { data, fault, loading, again } = useRead(SessionsQuery, {});
  const end = useAct(EndSessionMutation);
  const { run } = end;
  const rows = data?.me.user?.consoleSessions ?? [];
  const columns = useMemo((): Column<SessionRow>[] => {
    const finish = async (row: SessionRow) => {
      if (!(await run({ id: row.id }))) return;
      say(text.ended(nameOf(row)));
      again();
    };
    return [
      {
        id: 'where',
        title: text.where,
        cell: (row) => (
          <>
            <span className="name">{nameOf(row)}</span> {row.isCurrent && <Chip>{text.current}</Chip>}
            <div className="small faint-text">{row.ipAddress ?? text.unknown}</div>
          </>
        ),
      },
      {
        id: 'how',
        title: text.how,
        wide: true,
        cell: (row) => (row.method ? text.methods[row.method] : text.unknown),
      },
      {
        id: 'since',
        title: text.since,
        wide: true,
        cell: (row) => <When at={row.createdAt} className="soft" />,
      },
      {
        id: 'used',
        title: t.keys.lastUse,
        wide: true,
        cell: (row) => (row.lastUsedAt ? <Ago at={row.lastUsedAt} className="soft" /> : t.keys.never),
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) =>
          !row.isCurrent && (
            <Button look="quiet" aria-label={text.endOf(nameOf(row))} onClick={() => void finish(row)}>
              {text.end}
            </Button>
          ),
      },
    ];
  }, [run, again]);
  return (
    <Card title={text.sessions}>
      <ActionFault fault={end.fault} />
      {fault && <Failed fault={fault} again={again} />}
      {loading && <Waiting />}
      {data && rows.length === 0 && <Empty>{text.none}</Empty>}
      {rows.length > 0 && (
        <DataTable label={text.sessions} rows={rows} columns={columns} keyOf={(row) => row.id} />
      )}
    </Card>
  );
}
