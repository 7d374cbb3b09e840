import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useRead } from '../api/hooks.js';
import { useAccountId, useMe } from '../api/me.js';
import { chosenAccount, lastGame } from '../api/session.js';
import { graphql } from '../generated/gql.js';
import { initials } from '../parts/format.js';
import { Menu } from '../parts/menu.js';
import { t } from '../texts.js';
import { useLeave } from './leave.js';
import { changeTheme } from './theme.js';

const AccountNameQuery = graphql(`
  query AccountName($id: ID!) {
    account(id: $id) { id name }
  }
`);

/** The name of the account that is looked at. */
export function useAccountName(): string {
  const { account, accountId } = useMe();
  const chosen = useAccountId();
  const isOwn = chosen === accountId && account != null;
  const { data } = useRead(AccountNameQuery, { id: chosen }, { pause: isOwn });
  return isOwn ? account.name : (data?.account.name ?? '');
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

const AccountPicker = lazy(async () => ({ default: (await import('./account-picker.js')).AccountPicker }));

/** The dialog that chooses another account, for superadmins. */
export function useAccountPicker() {
  const { superAdmin } = useMe();
  const choose = useChooseAccount();
  const [shown, setShown] = useState(false);
  const dialog = shown && (
    <Suspense>
      <AccountPicker choose={choose} onClose={() => setShown(false)} />
    </Suspense>
  );
  return { dialog, open: superAdmin ? () => setShown(true) : undefined };
}

export function AccountMenu() {
  const me = useMe();
  const name = useAccountName();
  const picker = useAccountPicker();
  const leave = useLeave();
  const digest = useDigestDialog();
  const navigate = useNavigate();
  const role = me.superAdmin ? t.roles.superadmin : t.roles.names[me.role ?? 'ADMIN'];
  return (
    <>
      {digest.dialog}
      {picker.dialog}
      <Menu
        label={t.nav.account}
        items={[
          picker.open && { text: t.accountPicker.title, onPick: picker.open },
          digest.open && { text: t.digest.title, onPick: digest.open },
          { text: t.security.title, onPick: () => void navigate({ to: '/security' }) },
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
