import { useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { Card, Chip } from '../../parts/card.js';
import { Button } from '../../parts/controls.js';
import { Failed, Waiting } from '../../parts/states.js';
import { t } from '../../texts.js';
import { DELIVERY_TONES } from './operations.js';
import { WEBHOOK_TEXTS } from './texts.js';

const TestResultQuery = graphql(`
  query WebhookTestResult($id: ID!) {
    webhookDelivery(id: $id) { id status attempts responseStatus responseMillis responseHead lastError settledAt }
  }
`);

const text = WEBHOOK_TEXTS;
const EVERY_MS = 1_000;

interface TestResultProps {
  deliveryId: string;
  /** Name of the endpoint. */
  name: string;
  onClose(): void;
}

/** What became of a test: queued until it was sent, then status, time and body of the response. */
export function TestResult({ deliveryId, name, onClose }: TestResultProps) {
  const { data, fault, again } = useRead(TestResultQuery, { id: deliveryId }, { every: EVERY_MS });
  const side = (
    <Button look="quiet" onClick={onClose}>
      {t.close}
    </Button>
  );
  if (fault) return <Failed fault={fault} again={again} />;
  if (!data) return <Waiting />;
  const { status, attempts, responseStatus, responseMillis, responseHead, lastError } = data.webhookDelivery;
  return (
    <Card title={text.testResult(name)} side={side} padded>
      <div role="status">
        <p>
          <Chip tone={DELIVERY_TONES[status]}>{text.delivery[status]}</Chip>{' '}
          {responseStatus !== null && text.answered(responseStatus, responseMillis)}
          {attempts === 0 && text.notSentYet}
        </p>
        {lastError && <p className="soft">{lastError}</p>}
      </div>
      {responseHead ? (
        <pre className="small">{responseHead}</pre>
      ) : (
        attempts > 0 && <p className="hint">{text.noBody}</p>
      )}
    </Card>
  );
}
