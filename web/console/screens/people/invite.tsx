import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { useAccountId, useMe } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import { ActionFault, Button, TextField } from '../../parts/controls.js';
import { Dialog } from '../../parts/dialog.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { type Access, RoleFields } from './role-fields.js';
import { PEOPLE_TEXTS } from './texts.js';

const InviteMutation = graphql(`
  mutation Invite($input: InviteUserInput!) {
    inviteUser(input: $input) { user { id } }
  }
`);

const text = PEOPLE_TEXTS;

export function InviteDialog({ onClose }: { onClose(done: boolean): void }) {
  const accountId = useAccountId();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const { gameIds } = useMe();
  const [access, setAccess] = useState<Access>({ role: 'MODERATOR', gameIds: gameIds ? [] : null });
  const invite = useAct(InviteMutation);
  const errors = invite.fault?.fields ?? {};
  const submit = async () => {
    const { role, gameIds } = access;
    const input = {
      accountId,
      email: email.trim(),
      displayName: name.trim() || null,
      role,
      gameIds: gameIds && [...gameIds],
    };
    if (!(await invite.run({ input }))) return;
    say(text.invited(email.trim()));
    onClose(true);
  };
  return (
    <Dialog
      title={text.invite}
      onClose={() => onClose(false)}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button look="quiet" onClick={() => onClose(false)}>
            {t.cancel}
          </Button>
          <Button look="primary" type="submit" busy={invite.busy} wait={invite.fault?.retryAfter}>
            {text.send}
          </Button>
        </>
      }
    >
      <TextField
        label={text.email}
        type="email"
        value={email}
        onText={setEmail}
        required
        error={errors.email}
      />
      <TextField
        label={text.name}
        value={name}
        onText={setName}
        hint={text.nameHint}
        error={errors.displayName}
      />
      <RoleFields value={access} onChange={setAccess} error={errors.gameIds} />
      <p className="hint">{text.inviteHint}</p>
      <ActionFault fault={invite.fault} />
    </Dialog>
  );
}
