import { useState } from 'react';
import { useAct, useRead } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import { Card } from '../../parts/card.js';
import { ActionFault, Check, TextField } from '../../parts/controls.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';

const DemandQuery = graphql(`
  query PasskeyDemand($id: ID!) { account(id: $id) { id demandsPasskeys passkeyHours usersWithoutPasskey } }
`);

const DemandMutation = graphql(`
  mutation DemandPasskeys($input: UpdateAccountInput!) {
    updateAccount(input: $input) { account { id demandsPasskeys passkeyHours } }
  }
`);

const text = t.passkeys;

/** Whether the account requires passkeys: of how many that have none, for how long they may add one, and the way back. */
export function PasskeyDemand() {
  const id = useAccountId();
  const { data, again } = useRead(DemandQuery, { id });
  const save = useAct(DemandMutation);
  const [hours, setHours] = useState<string>();
  if (!data) return null;
  const { demandsPasskeys, passkeyHours, usersWithoutPasskey } = data.account;
  const without = text.without(usersWithoutPasskey ?? 0);
  const set = async (demand: boolean, passkeyHours?: number) => {
    if (!(await save.run({ input: { id, demandsPasskeys: demand, passkeyHours } }))) return;
    say(demand ? text.demanded : text.free, () => void set(!demand));
    setHours(undefined);
    again();
  };
  const pick = (on: boolean) => (on ? setHours(String(passkeyHours)) : void set(false));
  return (
    <Card title={text.title} padded>
      <Check label={text.demand} checked={demandsPasskeys} onPick={pick} />
      <p className="hint">
        {without} {demandsPasskeys ? text.within(passkeyHours) : text.demandHint}
      </p>
      {hours === undefined && <ActionFault fault={save.fault} />}
      {hours !== undefined && (
        <FormDialog
          title={text.require}
          action={text.require}
          act={save}
          onClose={() => setHours(undefined)}
          onSubmit={() => void set(true, Number(hours))}
        >
          <p>{without}</p>
          <TextField
            label={text.hours}
            type="number"
            min={1}
            max={720}
            required
            value={hours}
            onText={setHours}
            error={save.fault?.fields.passkeyHours}
          />
          <p className="hint">
            {text.demandHint} {text.requireHint}
          </p>
        </FormDialog>
      )}
    </Card>
  );
}
