import { useState } from 'react';
import { useAct } from '../api/hooks.js';
import { useMe } from '../api/me.js';
import { graphql } from '../generated/gql.js';
import type { FlagDigest } from '../generated/graphql.js';
import { Choices } from '../parts/controls.js';
import { FormDialog } from '../parts/form-dialog.js';
import { say } from '../parts/toast.js';
import { t } from '../texts.js';

const SetDigestMutation = graphql(`
  mutation SetDigest($input: UpdateUserInput!) {
    updateUser(input: $input) { user { id flagDigest } }
  }
`);

const text = t.digest;

/** Emails about new flags, as the person wants them. */
export function DigestDialog({ onClose }: { onClose(): void }) {
  const { user } = useMe();
  const [digest, setDigest] = useState<FlagDigest>(user?.flagDigest ?? 'NONE');
  const save = useAct(SetDigestMutation);
  if (!user) return null;
  const submit = async () => {
    if (!(await save.run({ input: { id: user.id, flagDigest: digest } }))) return;
    say(text.saved[digest]);
    onClose();
  };
  return (
    <FormDialog
      title={text.title}
      action={t.save}
      act={save}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p className="hint">{text.hint(user.email)}</p>
      <Choices<FlagDigest> legend={text.title} value={digest} options={text.options} onPick={setDigest} />
    </FormDialog>
  );
}
