import { useState } from 'react';
import { useClient } from 'urql';
import type { Fault } from '../api/fault.js';
import { signInByPasskey } from '../api/passkey.js';
import { ownKey, signIn } from '../api/session.js';
import { ActionFault, Button } from '../parts/controls.js';
import { t } from '../texts.js';

/** Sign-in by a passkey alone. */
export function ByPasskey() {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const enter = async () => {
    setBusy(true);
    const entered = await signInByPasskey(client);
    setBusy(false);
    if (!('key' in entered)) return setFault(entered);
    ownKey.set(entered.id);
    signIn(entered.key);
  };
  return (
    <div className="stack">
      <Button className="full" busy={busy} wait={fault?.retryAfter} onClick={() => void enter()}>
        {t.signIn.byPasskey}
      </Button>
      <ActionFault fault={fault} />
    </div>
  );
}
