import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { useRemoval } from '../../api/removal.js';
import { graphql } from '../../generated/gql.js';
import { ActionFault, TextField } from '../../parts/controls.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { Menu } from '../../parts/menu.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { EndpointFields, useEndpoint } from './endpoint-fields.js';
import { UpdateWebhookMutation, type WebhookRow } from './operations.js';
import { SecretDialog } from './secret-dialog.js';
import { WEBHOOK_TEXTS } from './texts.js';

const RotateMutation = graphql(`
  mutation RotateWebhook($input: RotateWebhookSecretInput!) {
    rotateWebhookSecret(input: $input) { secret }
  }
`);

const text = WEBHOOK_TEXTS;
/** As the service does where no time is given. */
const OVERLAP_HOURS = '24';

interface EndpointActionsProps {
  row: WebhookRow;
  onChange(): void;
}

/** Edit, rotate and delete. */
export function EndpointActions({ row, onChange }: EndpointActionsProps) {
  const [shown, setShown] = useState<'edit' | 'rotate'>();
  const { remove, restore, fault } = useRemoval('WebhookEndpoint');
  const close = () => setShown(undefined);
  const drop = async () => {
    if (!(await remove({ id: row.id }))) return;
    onChange();
    say(text.deleted(row.name), () => void restore({ id: row.id }).then(onChange));
  };
  return (
    <>
      <Menu
        label={text.actionsOf(row.name)}
        items={[
          { text: text.edit, onPick: () => setShown('edit') },
          row.format === 'JSON' && { text: text.rotate, onPick: () => setShown('rotate') },
          { text: text.delete, danger: true, onPick: () => void drop() },
        ]}
      />
      <ActionFault fault={fault} />
      {shown === 'edit' && <EditEndpoint row={row} onClose={close} onChange={onChange} />}
      {shown === 'rotate' && <RotateSecret row={row} onClose={close} />}
    </>
  );
}

function EditEndpoint({ row, onClose, onChange }: EndpointActionsProps & { onClose(): void }) {
  const { written, set, input } = useEndpoint(row);
  const update = useAct(UpdateWebhookMutation);
  const submit = async () => {
    // Filters that stay as they are may name a deleted game.
    const given = Object.entries(input) as [keyof typeof input, unknown][];
    const changes = given.filter(([name, value]) => String(row[name]) !== String(value));
    if (!(await update.run({ input: { id: row.id, ...Object.fromEntries(changes) } }))) return;
    say(t.saved);
    onClose();
    onChange();
  };
  return (
    <FormDialog
      title={row.name}
      action={text.save}
      act={update}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <EndpointFields written={written} set={set} errors={update.fault?.fields ?? {}} />
    </FormDialog>
  );
}

function RotateSecret({ row, onClose }: { row: WebhookRow; onClose(): void }) {
  const [hours, setHours] = useState(OVERLAP_HOURS);
  const [secret, setSecret] = useState<string>();
  const rotate = useAct(RotateMutation);
  const submit = async () => {
    const answer = await rotate.run({ input: { id: row.id, overlapHours: Number(hours) } });
    if (answer) setSecret(answer.rotateWebhookSecret.secret);
  };
  if (secret) return <SecretDialog name={row.name} secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={text.rotateOf(row.name)}
      action={text.rotate}
      act={rotate}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p>{text.rotateHint}</p>
      <TextField
        label={text.overlap}
        type="number"
        value={hours}
        onText={setHours}
        required
        error={rotate.fault?.fields.overlapHours}
      />
    </FormDialog>
  );
}
