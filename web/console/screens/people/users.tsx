import { useMemo, useState } from 'react';
import { useAct, useList } from '../../api/hooks.js';
import { useAccountId, useMe } from '../../api/me.js';
import { HAS_PASSKEYS } from '../../api/place.js';
import { useRemoval } from '../../api/removal.js';
import { graphql } from '../../generated/gql.js';
import type { UserListQuery, UserStatus } from '../../generated/graphql.js';
import { Chip } from '../../parts/card.js';
import { ActionFault, Button } from '../../parts/controls.js';
import type { Column } from '../../parts/data-table.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { ListCard } from '../../parts/list-card.js';
import { Menu } from '../../parts/menu.js';
import { Ago } from '../../parts/time.js';
import { say } from '../../parts/toast.js';
import { t } from '../../texts.js';
import { ChangeRole } from './change-role.js';
import { InviteDialog } from './invite.js';
import { AccessLine } from './role-fields.js';
import { PEOPLE_TEXTS } from './texts.js';

const UserListText = graphql(`
  query UserList($accountId: ID!, $after: String) {
    users(accountId: $accountId, first: 50, after: $after) {
      nodes { id displayName email emailVerifiedAt status superAdmin role gameIds hasPasskey lastSignInAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const UpdateUserMutation = graphql(`
  mutation UpdateUser($input: UpdateUserInput!) {
    updateUser(input: $input) { user { id status } }
  }
`);

const ResetPasskeysMutation = graphql(`
  mutation ResetPasskeys($id: ID!) {
    resetPasskeys(input: { id: $id }) { user { id } }
  }
`);

type UserRow = UserListQuery['users']['nodes'][number];
const text = PEOPLE_TEXTS;

const PASSKEY: Column<UserRow> = {
  id: 'passkey',
  title: t.passkeys.has,
  wide: true,
  by: (row) => Number(row.hasPasskey ?? false),
  cell: (row) => (row.hasPasskey ? t.passkeys.yes : <span className="faint-text">{t.passkeys.no}</span>),
};

/** People of the account, and invitations. */
export function Users() {
  const me = useMe();
  const [inviting, setInviting] = useState(false);
  const list = useList(UserListText, { accountId: useAccountId() }, (data) => data.users);
  const update = useAct(UpdateUserMutation);
  const removal = useRemoval('User');
  const [resetting, setResetting] = useState<UserRow>();
  const reset = useAct(ResetPasskeysMutation);
  const [changing, setChanging] = useState<UserRow>();
  const { run } = update;
  const { remove: erase, restore } = removal;
  const { reload } = list;
  const columns = useMemo((): Column<UserRow>[] => {
    const set = async (row: UserRow, status: UserStatus) => {
      if (!(await run({ input: { id: row.id, status } }))) return;
      say(text.changed[status](row.displayName), () => void set(row, row.status));
      reload();
    };
    const remove = async (row: UserRow) => {
      if (!(await erase({ id: row.id }))) return;
      say(text.deleted(row.displayName), () => void restore({ id: row.id }).then(reload));
      reload();
    };
    return [
      {
        id: 'name',
        title: text.person,
        by: (row) => row.displayName.toLowerCase(),
        cell: (row) => (
          <>
            <span className="name">{row.displayName}</span>{' '}
            {row.superAdmin && <Chip>{t.roles.superadmin}</Chip>}
            <div className="small soft">{row.email}</div>
          </>
        ),
      },
      {
        id: 'role',
        title: t.roles.role,
        by: (row) => row.role,
        cell: (row) => <AccessLine role={row.role} gameIds={row.gameIds ?? null} />,
      },
      {
        id: 'status',
        title: t.boards.state,
        by: (row) => row.status,
        cell: (row) => (
          <Chip tone={row.status === 'ACTIVE' ? 'good' : row.status === 'INVITED' ? 'warn' : 'bad'}>
            {text.status[row.status]}
          </Chip>
        ),
      },
      ...(HAS_PASSKEYS ? [PASSKEY] : []),
      {
        id: 'signedIn',
        title: t.passkeys.lastSignIn,
        wide: true,
        by: (row) => row.lastSignInAt ?? '',
        cell: (row) =>
          row.lastSignInAt ? (
            <Ago at={row.lastSignInAt} className="soft" />
          ) : (
            <span className="faint-text">{t.keys.never}</span>
          ),
      },
      {
        id: 'act',
        title: '',
        number: true,
        cell: (row) => (
          <Menu
            label={t.accounts.actionsOf(row.displayName)}
            items={[
              !row.superAdmin && { text: text.change, onPick: () => setChanging(row) },
              row.id !== me.user?.id &&
                row.status === 'ACTIVE' && {
                  text: t.accounts.suspend,
                  danger: true,
                  onPick: () => void set(row, 'SUSPENDED'),
                },
              row.status === 'SUSPENDED' && {
                text: t.accounts.activate,
                onPick: () => void set(row, 'ACTIVE'),
              },
              HAS_PASSKEYS &&
                row.id !== me.user?.id && {
                  text: t.passkeys.reset,
                  danger: true,
                  onPick: () => setResetting(row),
                },
              row.id !== me.user?.id && { text: t.delete, danger: true, onPick: () => void remove(row) },
            ]}
          />
        ),
      },
    ];
  }, [me.user, run, erase, restore, reload]);
  return (
    <>
      <ActionFault fault={update.fault ?? removal.fault} />
      <ListCard
        title={text.people}
        label={text.people}
        side={<Button onClick={() => setInviting(true)}>{text.invite}</Button>}
        list={list}
        columns={columns}
        keyOf={(row) => row.id}
        empty={text.noPeople}
      />
      {resetting && (
        <FormDialog
          title={t.passkeys.resetOf(resetting.displayName)}
          action={t.passkeys.reset}
          look="danger"
          act={reset}
          onClose={() => setResetting(undefined)}
          onSubmit={async () => {
            if (!(await reset.run({ id: resetting.id }))) return;
            say(t.passkeys.resetDone(resetting.displayName));
            setResetting(undefined);
          }}
        >
          <p>{t.passkeys.resetHint}</p>
        </FormDialog>
      )}
      {changing && (
        <ChangeRole
          user={{ ...changing, gameIds: changing.gameIds ?? null }}
          onClose={(done) => {
            setChanging(undefined);
            if (done) list.reload();
          }}
        />
      )}
      {inviting && (
        <InviteDialog
          onClose={(done) => {
            setInviting(false);
            if (done) list.reload();
          }}
        />
      )}
    </>
  );
}
