import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { EndpointFields, useEndpoint } from './endpoint-fields.js';
import { SecretDialog } from './secret-dialog.js';
import { WEBHOOK_TEXTS } from './texts.js';

const CreateWebhookMutation = graphql(`
  mutation CreateWebhook($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { webhookEndpoint { id name } secret }
  }
`);

const text = WEBHOOK_TEXTS;

/** Its secret is shown once. */
export function NewEndpoint({ onClose }: { onClose(): void }) {
  const accountId = useAccountId();
  const { written, set, input } = useEndpoint();
  const [secret, setSecret] = useState<string>();
  const create = useAct(CreateWebhookMutation);
  const submit = async () => {
    const answer = await create.run({ input: { accountId, ...input } });
    if (!answer) return;
    if (input.format === 'JSON') setSecret(answer.createWebhookEndpoint.secret);
    else onClose();
  };
  if (secret) return <SecretDialog name={input.name} secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={text.create}
      action={text.create}
      act={create}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <EndpointFields written={written} set={set} errors={create.fault?.fields ?? {}} />
    </FormDialog>
  );
}
