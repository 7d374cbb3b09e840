import { useMemo, useState } from 'react';
import { useAct, useList } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import { Chip, Head } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { ListCard } from '../../parts/list-card.js';
import { Ago } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';
import { DeliveryLog } from './delivery-log.js';
import { EndpointActions } from './endpoint-actions.js';
import { NewEndpoint } from './new-endpoint.js';
import { UpdateWebhookMutation, WebhookListText, type WebhookRow } from './operations.js';
import { TestResult } from './test-result.js';
import { WEBHOOK_TEXTS } from './texts.js';

const TestWebhookMutation = graphql(`
  mutation TestWebhook($input: SendWebhookTestInput!) {
    sendWebhookTest(input: $input) { webhookDelivery { id } }
  }
`);

const text = WEBHOOK_TEXTS;
const TONES = { ACTIVE: 'good', PAUSED: 'plain', DISABLED: 'bad' } as const;

/** Addresses that are told of events, and their logs. */
export function Webhooks() {
  const [making, setMaking] = useState(false);
  const [shown, setShown] = useState<WebhookRow>();
  const [tested, setTested] = useState<{ id: string; name: string }>();
  const list = useList(WebhookListText, { accountId: useAccountId() }, (data) => data.webhookEndpoints);
  const update = useAct(UpdateWebhookMutation);
  const test = useAct(TestWebhookMutation);
  const { reload } = list;
  const columns = useMemo((): Column<WebhookRow>[] => {
    const pause = async (row: WebhookRow) => {
      const paused = row.status === 'ACTIVE';
      if (!(await update.run({ input: { id: row.id, paused } }))) return;
      say(paused ? text.paused(row.name) : text.resumed(row.name));
      reload();
    };
    const sendTest = async (row: WebhookRow) => {
      const sent = await test.run({ input: { id: row.id } });
      if (!sent) return;
      setTested({ id: sent.sendWebhookTest.webhookDelivery.id, name: row.name });
      setShown(row);
    };
    return [
      {
        id: 'name',
        title: text.endpoint,
        by: (row) => row.name.toLowerCase(),
        cell: (row) => (
          <>
            <span className="name">{row.name}</span>
            <div className="small faint-text mono">{new URL(row.url).host}</div>
          </>
        ),
      },
      {
        id: 'events',
        title: text.events,
        wide: true,
        cell: (row) => (
          <>
            <span className="soft">{row.events.join(', ')}</span>
            <div className="small faint-text">{text.only(row.gameIds.length, row.boardIds.length)}</div>
          </>
        ),
      },
      {
        id: 'status',
        title: t.boards.state,
        by: (row) => row.status,
        cell: (row) => (
          <>
            <Chip tone={TONES[row.status]}>{text.status[row.status]}</Chip>
            {row.statusReason && <div className="small soft">{row.statusReason}</div>}
            {row.failingSince && (
              <div className="small soft">
                {text.failing} <Ago at={row.failingSince} />
              </div>
            )}
          </>
        ),
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) => (
          <>
            <Button look="quiet" aria-label={text.logOf(row.name)} onClick={() => setShown(row)}>
              {text.log}
            </Button>
            {row.status === 'ACTIVE' && (
              <Button look="quiet" aria-label={text.testOf(row.name)} onClick={() => void sendTest(row)}>
                {text.test}
              </Button>
            )}
            <Button look="quiet" onClick={() => void pause(row)}>
              {row.status === 'ACTIVE' ? text.pause : text.resume}
            </Button>
            <EndpointActions row={row} onChange={reload} />
          </>
        ),
      },
    ];
  }, [update.run, test.run, reload]);
  return (
    <Page title={t.nav.webhooks} crumbs={[[t.nav.webhooks]]} needs="CONFIGURE_ACCOUNT">
      <Head
        title={t.nav.webhooks}
        actions={
          <Button look="primary" onClick={() => setMaking(true)}>
            {text.create}
          </Button>
        }
      />
      <div className="stack">
        <ActionFault fault={update.fault ?? test.fault} />
        <ListCard
          label={t.nav.webhooks}
          list={list}
          columns={columns}
          keyOf={(row) => row.id}
          empty={text.empty}
        />
        {tested && (
          <TestResult
            key={tested.id}
            deliveryId={tested.id}
            name={tested.name}
            onClose={() => setTested(undefined)}
          />
        )}
        {shown && <DeliveryLog key={shown.id} endpoint={shown} />}
      </div>
      {making && (
        <NewEndpoint
          onClose={() => {
            setMaking(false);
            reload();
          }}
        />
      )}
    </Page>
  );
}
