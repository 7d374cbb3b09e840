import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { say } from '../../parts/toast.js';
import { type Access, RoleFields } from './role-fields.js';
import { PEOPLE_TEXTS } from './texts.js';

const ChangeRoleMutation = graphql(`
  mutation ChangeRole($input: UpdateUserInput!) {
    updateUser(input: $input) { user { id role gameIds } }
  }
`);

const text = PEOPLE_TEXTS;

interface ChangeRoleProps {
  user: Access & { id: string; displayName: string };
  onClose(done: boolean): void;
}

export function ChangeRole({ user, onClose }: ChangeRoleProps) {
  const [access, setAccess] = useState<Access>({ role: user.role, gameIds: user.gameIds ?? null });
  const change = useAct(ChangeRoleMutation);
  const submit = async () => {
    const { role, gameIds } = access;
    const input = { id: user.id, role, gameIds: gameIds && [...gameIds] };
    if (!(await change.run({ input }))) return;
    say(text.changedRole(user.displayName));
    onClose(true);
  };
  return (
    <FormDialog
      title={text.changeOf(user.displayName)}
      action={text.change}
      act={change}
      onClose={() => onClose(false)}
      onSubmit={() => void submit()}
    >
      <RoleFields value={access} onChange={setAccess} error={change.fault?.fields.gameIds} />
      <p className="hint">{text.changeHint}</p>
    </FormDialog>
  );
}
