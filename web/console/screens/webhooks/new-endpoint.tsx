import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import { Button, Check, SelectField, TextField } from '../../parts/controls.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Dialog } from '../../parts/dialog.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { t } from '../../texts.js';

const CreateWebhookMutation = graphql(`
  mutation CreateWebhook($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { webhookEndpoint { id name } secret }
  }
`);

const text = t.webhooks;
const EVENTS = [
  ...['board.opened', 'board.closing', 'board.closed', 'board.leader_changed', 'player.overtaken'],
  ...['score.flagged', 'score.held', 'score.reviewed', 'runs.reviewed', 'device.banned', 'player.erased'],
  ...[
    'import.finished',
    'template.failed',
    'key.created',
    'key.revoked',
    'user.invited',
    'endpoint.disabled',
  ],
];
type Format = 'JSON' | 'DISCORD' | 'SLACK';
const FORMATS: readonly (readonly [Format, string])[] = [
  ['JSON', 'JSON'],
  ['DISCORD', 'Discord'],
  ['SLACK', 'Slack'],
];

/** Its secret is shown once. */
export function NewEndpoint({ onClose }: { onClose(): void }) {
  const accountId = useAccountId();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [format, setFormat] = useState<Format>('JSON');
  const [ordered, setOrdered] = useState(false);
  const [events, setEvents] = useState<string[]>(['board.closed']);
  const [secret, setSecret] = useState<string>();
  const create = useAct(CreateWebhookMutation);
  const errors = create.fault?.fields ?? {};
  const submit = async () => {
    const isOrdered = ordered && format === 'JSON';
    const input = { accountId, name: name.trim(), url: url.trim(), format, ordered: isOrdered, events };
    const answer = await create.run({ input });
    if (!answer) return;
    if (format === 'JSON') setSecret(answer.createWebhookEndpoint.secret);
    else onClose();
  };
  if (secret) {
    const done = (
      <Button look="primary" type="submit">
        {t.keys.noted}
      </Button>
    );
    return (
      <Dialog title={name} onSubmit={onClose} footer={done}>
        <p>{text.once}</p>
        <div className="secret">
          <code>{secret}</code>
          <CopyButton text={secret} />
        </div>
      </Dialog>
    );
  }
  const pick = (event: string) => (picked: boolean) =>
    setEvents((before) => (picked ? [...before, event] : before.filter((one) => one !== event)));
  return (
    <FormDialog
      title={text.create}
      action={text.create}
      act={create}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <TextField
        label={text.name}
        value={name}
        onText={setName}
        required
        maxLength={100}
        error={errors.name}
      />
      <TextField
        label={text.url}
        type="url"
        value={url}
        onText={setUrl}
        required
        hint={text.urlHint}
        error={errors.url}
      />
      <SelectField<Format> label={text.format} value={format} options={FORMATS} onPick={setFormat} />
      {format === 'JSON' && <Check label={text.ordered} checked={ordered} onPick={setOrdered} />}
      <fieldset>
        <legend>{text.events}</legend>
        {EVENTS.map((event) => (
          <Check key={event} label={event} checked={events.includes(event)} onPick={pick(event)} />
        ))}
      </fieldset>
    </FormDialog>
  );
}
