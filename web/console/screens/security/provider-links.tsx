import { useMemo, useState } from 'react';
import { useClient } from 'urql';
import type { Fault } from '../../api/fault.js';
import { useAct, useRead } from '../../api/hooks.js';
import { connectAtIssuer } from '../../api/provider.js';
import { graphql } from '../../generated/gql.js';
import type { ProviderLinksQuery as Answer } from '../../generated/graphql.js';
import { Card } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Empty, Failed, Waiting } from '../../parts/states.js';
import { Ago, When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';

const LinksQuery = graphql(`
  query ProviderLinks {
    me { user { id providerLinks { id issuer signedInAt createdAt } } }
  }
`);

const RemoveMutation = graphql(`
  mutation RemoveProviderLink($id: ID!) {
    removeProviderLink(input: { id: $id }) { providerLink { id } }
  }
`);

type LinkRow = NonNullable<NonNullable<Answer['me']['user']>['providerLinks']>[number];
const text = t.provider;

/** The caller's own connections with single sign-on. */
export function ProviderLinks() {
  const client = useClient();
  const { data, fault, loading, again } = useRead(LinksQuery, {});
  const [connecting, setConnecting] = useState(false);
  const [refused, setRefused] = useState<Fault>();
  const removal = useAct(RemoveMutation);
  const { run } = removal;
  const rows = data?.me.user?.providerLinks ?? [];
  const connect = async () => {
    setConnecting(true);
    const found = await connectAtIssuer(client);
    setRefused(found);
    if (found) setConnecting(false);
  };
  const columns = useMemo((): Column<LinkRow>[] => {
    const remove = async (row: LinkRow) => {
      if (!(await run({ id: row.id }))) return;
      say(text.removed(row.issuer));
      again();
    };
    return [
      { id: 'issuer', title: text.issuer, cell: (row) => <span className="name">{row.issuer}</span> },
      {
        id: 'added',
        title: t.passkeys.added,
        wide: true,
        cell: (row) => <When at={row.createdAt} className="soft" />,
      },
      {
        id: 'used',
        title: t.keys.lastUse,
        wide: true,
        cell: (row) => (row.signedInAt ? <Ago at={row.signedInAt} className="soft" /> : t.keys.never),
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) => (
          <Button look="quiet" aria-label={text.removeOf(row.issuer)} onClick={() => void remove(row)}>
            {t.passkeys.remove}
          </Button>
        ),
      },
    ];
  }, [run, again]);
  return (
    <Card
      title={text.title}
      side={
        <Button busy={connecting} onClick={() => void connect()}>
          {text.connect}
        </Button>
      }
    >
      <ActionFault fault={refused ?? removal.fault} />
      {fault && <Failed fault={fault} again={again} />}
      {loading && <Waiting />}
      {data && rows.length === 0 && <Empty>{text.none}</Empty>}
      {rows.length > 0 && (
        <DataTable label={text.title} rows={rows} columns={columns} keyOf={(row) => row.id} />
      )}
    </Card>
  );
}
