import { useMemo, useState } from 'react';
import { useAct, useList } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import type { RedeliverWebhooksInput, WebhookLogQuery } from '../../generated/graphql.js';
import { Chip } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { Dialog } from '../../parts/dialog.js';
import { ListCard } from '../../parts/list-card.js';
import { Ago } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { DELIVERY_TONES, type WebhookRow } from './operations.js';
import { SendSpan } from './send-span.js';
import { WEBHOOK_TEXTS } from './texts.js';

const WebhookLogText = graphql(`
  query WebhookLog($id: ID!, $after: String) {
    webhookEndpoint(id: $id) {
      deliveries(first: 20, after: $after) {
        nodes { id type number status attempts responseStatus responseMillis responseHead lastError createdAt request }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

const RedeliverMutation = graphql(`
  mutation Redeliver($input: RedeliverWebhooksInput!) {
    redeliverWebhooks(input: $input) { count }
  }
`);

type Delivery = WebhookLogQuery['webhookEndpoint']['deliveries']['nodes'][number];
const text = WEBHOOK_TEXTS;
/** A test shows its result as soon as there is one. */
const EVERY_MS = 2_000;

/** What an endpoint was sent, newest first; each can be sent again. */
export function DeliveryLog({ endpoint }: { endpoint: WebhookRow }) {
  const list = useList(WebhookLogText, { id: endpoint.id }, (data) => data.webhookEndpoint.deliveries, {
    every: EVERY_MS,
  });
  const again = useAct(RedeliverMutation);
  const [opened, setOpened] = useState<Delivery>();
  const [picking, setPicking] = useState(false);
  const { reload } = list;
  const { run } = again;
  const send = useMemo(
    () => async (which: Omit<RedeliverWebhooksInput, 'id'>) => {
      const answer = await run({ input: { id: endpoint.id, ...which } });
      if (!answer) return;
      say(text.sentAgain(answer.redeliverWebhooks.count));
      reload();
      setPicking(false);
    },
    [run, reload, endpoint.id],
  );
  const columns = useMemo(
    (): Column<Delivery>[] => [
      {
        id: 'type',
        title: text.event,
        cell: (row) => (
          <Button look="quiet" onClick={() => setOpened(row)}>
            {row.type}
            {row.number !== null && ` #${row.number}`}
          </Button>
        ),
      },
      {
        id: 'status',
        title: t.boards.state,
        cell: (row) => (
          <>
            <Chip tone={DELIVERY_TONES[row.status]}>{text.delivery[row.status]}</Chip>
            {row.lastError && <div className="small soft">{row.lastError}</div>}
          </>
        ),
      },
      { id: 'attempts', title: text.attempts, number: true, wide: true, cell: (row) => row.attempts },
      {
        id: 'answer',
        title: text.answer,
        wide: true,
        cell: (row) => row.responseStatus !== null && text.answered(row.responseStatus, row.responseMillis),
      },
      { id: 'at', title: text.created, wide: true, cell: (row) => <Ago at={row.createdAt} /> },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) =>
          (row.status === 'DELIVERED' || row.status === 'FAILED') && (
            <Button look="quiet" onClick={() => void send({ ids: [row.id] })}>
              {text.again}
            </Button>
          ),
      },
    ],
    [send],
  );
  return (
    <>
      {!picking && <ActionFault fault={again.fault} />}
      <ListCard
        title={text.logOf(endpoint.name)}
        label={text.logOf(endpoint.name)}
        side={
          <>
            <Button look="quiet" onClick={reload}>
              {text.refresh}
            </Button>
            <Button look="quiet" onClick={() => setPicking(true)}>
              {text.span}
            </Button>
            <Button onClick={() => void send({ failedSince: new Date(0).toISOString() })}>
              {text.allFailed}
            </Button>
          </>
        }
        list={list}
        columns={columns}
        keyOf={(row) => row.id}
        empty={text.noDeliveries}
      />
      {picking && (
        <SendSpan act={again} onClose={() => setPicking(false)} onSubmit={(span) => void send(span)} />
      )}
      {opened && (
        <Dialog
          title={opened.type}
          onClose={() => setOpened(undefined)}
          onSubmit={() => setOpened(undefined)}
          footer={
            <Button look="primary" type="submit">
              {t.keys.noted}
            </Button>
          }
        >
          {opened.responseStatus !== null && (
            <p>
              {text.answer}: {text.answered(opened.responseStatus, opened.responseMillis)}
            </p>
          )}
          {opened.responseHead && <pre className="small">{opened.responseHead}</pre>}
          <pre className="small">{JSON.stringify(opened.request, null, 2)}</pre>
        </Dialog>
      )}
    </>
  );
}
