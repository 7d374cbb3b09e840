import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useRead } from '../api/hooks.js';
import { useAccountId, useMe } from '../api/me.js';
import { chosenAccount, lastGame } from '../api/session.js';
import { graphql } from '../generated/gql.js';
import { initials } from '../parts/format.js';
import { Menu, type MenuItem } from '../parts/menu.js';
import { t } from '../texts.js';
import { useLeave } from './leave.js';
import { changeTheme } from './theme.js';

const AccountNamesQuery = graphql(`
  query AccountNames {
    accounts(orderBy: {field: NAME}, first: 100) { nodes { id name } }
  }
`);

function useAccounts() {
  const { superAdmin } = useMe();
  const { data } = useRead(AccountNamesQuery, {}, { pause: !superAdmin });
  return data?.accounts.nodes ?? [];
}

/** The name of the account that is looked at. */
export function useAccountName(): string {
  const { account, accountId } = useMe();
  const chosen = useAccountId();
  const accounts = useAccounts();
  if (chosen === accountId && account) return account.name;
  return accounts.find(({ id }) => id === chosen)?.name ?? '';
}

/** Shows another account from now on. */
export function useChooseAccount(): (id: string) => void {
  const navigate = useNavigate();
  return (id) => {
    lastGame.set(null);
    chosenAccount.set(id);
    void navigate({ to: '/' });
  };
}

const DigestDialog = lazy(async () => ({ default: (await import('./digest-dialog.js')).DigestDialog }));

/** The dialog of email notifications, where it is opened. */
export function useDigestDialog() {
  const { user } = useMe();
  const [shown, setShown] = useState(false);
  const dialog = shown && (
    <Suspense>
      <DigestDialog onClose={() => setShown(false)} />
    </Suspense>
  );
  return { dialog, open: user ? () => setShown(true) : undefined };
}

export function AccountMenu() {
  const me = useMe();
  const chosen = useAccountId();
  const name = useAccountName();
  const accounts = useAccounts();
  const choose = useChooseAccount();
  const leave = useLeave();
  const digest = useDigestDialog();
  const others: MenuItem[] = accounts.map((account) => ({
    text: account.name,
    on: account.id === chosen,
    onPick: () => choose(account.id),
  }));
  const role = me.superAdmin ? t.roles.superadmin : t.roles.administrator;
  return (
    <>
      {digest.dialog}
      <Menu
        label={t.nav.account}
        items={[
          ...(others.length > 1 ? others : []),
          digest.open && { text: t.digest.title, onPick: digest.open },
          { text: t.changeTheme, onPick: changeTheme },
          { text: t.signOut, onPick: leave },
        ]}
        trigger={
          <button type="button" className="who">
            <span className="badge" aria-hidden="true">
              {initials(name)}
            </span>
            <span>
              {name}
              <small>
                {me.user?.displayName}, {role}
              </small>
            </span>
          </button>
        }
      />
    </>
  );
}

/** Says whose account a superadmin looks at, where it is not the own one. */
export function ForeignAccount() {
  const { accountId } = useMe();
  const chosen = useAccountId();
  const name = useAccountName();
  const choose = useChooseAccount();
  if (chosen === accountId) return null;
  return (
    <aside className="foreign" aria-label={t.nav.account}>
      {t.foreign(name)}
      <button type="button" onClick={() => choose(accountId)}>
        {t.ownAccount}
      </button>
    </aside>
  );
}
