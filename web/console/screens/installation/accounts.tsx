import { useMemo, useState } from 'react';
import { useAct, useList } from '../../api/hooks.js';
import { useMe } from '../../api/me.js';
import { useRemoval } from '../../api/removal.js';
import { graphql } from '../../generated/gql.js';
import type { AccountListQuery } from '../../generated/graphql.js';
import { Chip, Head } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { ListCard } from '../../parts/list-card.js';
import { Menu } from '../../parts/menu.js';
import { NameDialog } from '../../parts/name-dialog.js';
import { When } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { useChooseAccount } from '../../shell/account-menu.js';
import { Page } from '../../shell/page.js';
import { t } from '../../texts.js';

const AccountListText = graphql(`
  query AccountList($after: String) {
    accounts(first: 50, after: $after) {
      nodes { id name slug status createdAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const CreateAccountMutation = graphql(`
  mutation CreateAccount($input: CreateAccountInput!) {
    createAccount(input: $input) { account { id name } }
  }
`);

const UpdateAccountMutation = graphql(`
  mutation UpdateAccount($input: UpdateAccountInput!) {
    updateAccount(input: $input) { account { id status } }
  }
`);

type AccountRow = AccountListQuery['accounts']['nodes'][number];
const text = t.accounts;

/** All accounts of the installation, for superadmins. */
export function Accounts() {
  const me = useMe();
  const choose = useChooseAccount();
  const [making, setMaking] = useState(false);
  const list = useList(AccountListText, {}, (data) => data.accounts);
  const update = useAct(UpdateAccountMutation);
  const removal = useRemoval('Account');
  const { run } = update;
  const { remove: erase, restore } = removal;
  const { reload } = list;
  const columns = useMemo((): Column<AccountRow>[] => {
    const set = async (row: AccountRow, status: 'ACTIVE' | 'SUSPENDED') => {
      if (!(await run({ input: { id: row.id, status } }))) return;
      say(text.changed[status](row.name), () => void set(row, status === 'ACTIVE' ? 'SUSPENDED' : 'ACTIVE'));
      reload();
    };
    const remove = async (row: AccountRow) => {
      if (!(await erase({ id: row.id }))) return;
      say(text.deleted(row.name), () => void restore({ id: row.id }).then(reload));
      reload();
    };
    return [
      {
        id: 'name',
        title: text.account,
        by: (row) => row.name.toLowerCase(),
        cell: (row) => (
          <>
            <span className="name">{row.name}</span>
            <div className="small faint-text">{row.slug}</div>
          </>
        ),
      },
      {
        id: 'status',
        title: t.boards.state,
        by: (row) => row.status,
        cell: (row) => <Chip tone={row.status === 'ACTIVE' ? 'good' : 'bad'}>{text.status[row.status]}</Chip>,
      },
      {
        id: 'made',
        title: text.since,
        wide: true,
        by: (row) => row.createdAt,
        cell: (row) => <When at={row.createdAt} className="soft" />,
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) => (
          <Menu
            label={text.actionsOf(row.name)}
            items={[
              { text: text.look, onPick: () => choose(row.id) },
              row.id !== me.accountId &&
                (row.status === 'ACTIVE'
                  ? { text: text.suspend, danger: true, onPick: () => void set(row, 'SUSPENDED') }
                  : { text: text.activate, onPick: () => void set(row, 'ACTIVE') }),
              row.id !== me.accountId && { text: t.delete, danger: true, onPick: () => void remove(row) },
            ]}
          />
        ),
      },
    ];
  }, [me.accountId, run, erase, restore, reload, choose]);
  return (
    <Page title={t.nav.accounts} crumbs={[[t.nav.installation], [t.nav.accounts]]} needs="SUPERADMIN">
      <Head
        title={t.nav.accounts}
        actions={
          <Button look="primary" onClick={() => setMaking(true)}>
            {text.create}
          </Button>
        }
      />
      <ActionFault fault={update.fault ?? removal.fault} />
      <ListCard label={t.nav.accounts} list={list} columns={columns} keyOf={(row) => row.id} empty={t.none} />
      {making && (
        <NewAccount
          onClose={(made) => {
            setMaking(false);
            if (made) list.reload();
          }}
        />
      )}
    </Page>
  );
}

function NewAccount({ onClose }: { onClose(made: boolean): void }) {
  const creation = useAct(CreateAccountMutation);
  const create = (name: string) => creation.run({ input: { name } });
  return <NameDialog text={text} act={creation} create={create} onClose={onClose} />;
}
