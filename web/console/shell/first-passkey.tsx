import { signOut } from '../api/session.js';
import { Head } from '../parts/card.js';
import { Button } from '../parts/controls.js';
import { PasskeyList } from '../screens/security/passkeys.js';
import { t } from '../texts.js';

/** All that a sign-in by a mailed code may do where passkeys are required. */
export function FirstPasskey() {
  return (
    <main id="main" tabIndex={-1}>
      <Head
        title={t.passkeys.title}
        meta={t.passkeys.first}
        actions={<Button onClick={signOut}>{t.signOut}</Button>}
      />
      <PasskeyList />
    </main>
  );
}
