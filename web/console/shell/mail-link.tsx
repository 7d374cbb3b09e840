import type { Fault } from '../api/fault.js';
import { ActionFault, Button } from '../parts/controls.js';
import { t } from '../texts.js';

interface MailLink {
  email: string;
  code: string;
}

function linkOf(hash: string): MailLink | undefined {
  const given = new URLSearchParams(hash.slice(1));
  const [email, code] = [given.get('email'), given.get('code')];
  return email && code ? { email, code } : undefined;
}

/** What the link of a mail that opened this page carries. The service has not seen it: it is behind the `#`. */
export const mailLink = linkOf(location.hash);

/** The code has been used, and is not to stay in the history. */
export function forgetMailLink(): void {
  history.replaceState(null, '', location.pathname + location.search);
}

interface FromMailProps {
  email: string;
  button: string;
  busy: boolean;
  fault: Fault | undefined;
  act(): void;
  /** Goes on without the link. */
  onOther(): void;
}

/** Programs that follow the links of mails press no buttons: opening the page uses nothing up. */
export function FromMail({ email, button, busy, fault, act, onOther }: FromMailProps) {
  return (
    <div className="stack">
      <p>{t.signIn.fromMail(email)}</p>
      <ActionFault fault={fault} />
      <Button look="primary" className="full" busy={busy} onClick={act}>
        {button}
      </Button>
      <Button look="quiet" className="full" onClick={onOther}>
        {t.signIn.otherWay}
      </Button>
    </div>
  );
}
