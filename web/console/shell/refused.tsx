import { lastDecision } from '../api/last-decision.js';
import { signOut } from '../api/session.js';
import { useStore } from '../api/store.js';
import { Button } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { moment } from '../parts/format.js';
import { t } from '../texts.js';

/** The key is no longer accepted: says what was saved, and leads to the sign-in alone. */
export function Refused({ code, message }: { code: string; message: string }) {
  const last = useStore(lastDecision);
  const text = t.refused;
  const title =
    code === 'ACCOUNT_SUSPENDED' ? text.account : code === 'USER_SUSPENDED' ? text.user : text.key;
  return (
    <Dialog
      title={title}
      footer={
        <Button look="primary" onClick={signOut}>
          {text.again}
        </Button>
      }
    >
      <p>{text.nothing}</p>
      {last && <p>{text.saved(last.player, last.verdict, moment(last.at))}</p>}
      <p className="small soft">{message}</p>
    </Dialog>
  );
}
