import { useAct, useRead } from '../../api/hooks.js';
import { useAccountId } from '../../api/me.js';
import { graphql } from '../../generated/gql.js';
import { Card } from '../../parts/card.js';
import { ActionFault, Check } from '../../parts/controls.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';

const DemandQuery = graphql(`
  query PasskeyDemand($id: ID!) { account(id: $id) { id demandsPasskeys } }
`);

const DemandMutation = graphql(`
  mutation DemandPasskeys($input: UpdateAccountInput!) {
    updateAccount(input: $input) { account { id demandsPasskeys } }
  }
`);

const text = t.passkeys;

/** Whether the account requires passkeys. */
export function PasskeyDemand() {
  const id = useAccountId();
  const { data } = useRead(DemandQuery, { id });
  const save = useAct(DemandMutation);
  const set = async (demandsPasskeys: boolean) => {
    if (await save.run({ input: { id, demandsPasskeys } })) say(demandsPasskeys ? text.demanded : text.free);
  };
  if (!data) return null;
  return (
    <Card title={text.title} padded>
      <Check label={text.demand} checked={data.account.demandsPasskeys} onPick={(on) => void set(on)} />
      <p className="hint">{text.demandHint}</p>
      <ActionFault fault={save.fault} />
    </Card>
  );
}
