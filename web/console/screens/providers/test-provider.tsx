import { useState } from 'react';
import { useAct } from '../../api/hooks.js';
import type { TestPlayerProviderMutation as Answer } from '../../generated/graphql.js';
import { Field } from '../../parts/controls.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { type ProviderRow, TestPlayerProviderMutation } from './operations.js';
import { PROVIDER_TEXTS } from './texts.js';

const text = PROVIDER_TEXTS;

/** Shows what a provider says of a token, and why it refuses one. */
export function TestProvider({ row, onClose }: { row: ProviderRow; onClose(): void }) {
  const [token, setToken] = useState('');
  const [said, setSaid] = useState<Answer['testPlayerProvider']>();
  const test = useAct(TestPlayerProviderMutation);
  const submit = async () => {
    setSaid(undefined);
    const answer = await test.run({ input: { id: row.id, token: token.trim() } });
    setSaid(answer?.testPlayerProvider);
  };
  return (
    <FormDialog
      title={text.testOf(row.slug)}
      action={text.check}
      act={test}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <Field label={text.token} hint={text.testHint} error={test.fault?.fields.token}>
        {(ids) => (
          <textarea
            {...ids}
            className="input mono"
            rows={5}
            required
            spellCheck={false}
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      {said && (
        <p className={said.isAccepted ? 'note good' : 'note bad'} role="status">
          <span>
            {said.isAccepted ? text.accepted(said.subject ?? '') : text.rejected(said.reason ?? '')}
          </span>
        </p>
      )}
    </FormDialog>
  );
}
