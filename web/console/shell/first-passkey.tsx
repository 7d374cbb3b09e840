import { Head } from '../parts/card.js';
import { Button } from '../parts/controls.js';
import { PasskeyList } from '../screens/security/passkeys.js';
import { t } from '../texts.js';
import { useLeave } from './leave.js';

/** All that a sign-in by a mailed code may do where passkeys are required. */
export function FirstPasskey() {
  const leave = useLeave();
  return (
    <main id="main" tabIndex={-1}>
      <Head
        title={t.passkeys.title}
        meta={t.passkeys.first}
        actions={<Button onClick={leave}>{t.signOut}</Button>}
      />
      <PasskeyList />
    </main>
  );
}
