import { type FormEvent, useState } from 'react';
import type { Fault } from '../api/fault.js';
import { ActionFault, Button, TextField } from '../parts/controls.js';
import { t } from '../texts.js';

interface Sent {
  message: string;
  /** Undefined: not known any more. */
  requestToken: string | undefined;
}

interface CodeFormProps {
  /** Sends a code. @param requestToken of the last code that was sent from here */
  send(email: string, requestToken: string | undefined): Promise<Sent | undefined>;
  enter(email: string, code: string, requestToken: string | undefined): Promise<void>;
  busy: boolean;
  fault: Fault | undefined;
  /** Text of the button that enters the code. */
  button: string;
  emailHint?: string | undefined;
  codeHint?: string | undefined;
}

/** A mail of before is left where no more are sent for the moment. */
const OF_BEFORE: Sent = { message: '', requestToken: undefined };

/** Proves an address: first it, then the code that was sent there. */
export function CodeForm({ send, enter, busy, fault, button, emailHint, codeHint }: CodeFormProps) {
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [sent, setSent] = useState<Sent>();
  const ask = async () => {
    const answer = await send(email.trim(), sent?.requestToken);
    if (answer) setSent(answer);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void (sent ? enter(email.trim(), code.trim(), sent.requestToken) : ask());
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label={t.signIn.email}
        type="email"
        autoComplete="email"
        autoFocus
        value={email}
        onText={(text) => {
          setEmail(text);
          setSent(undefined);
        }}
        required
        error={fault?.fields.email}
        hint={emailHint}
      />
      {sent && (
        <>
          <p role="status">{sent.message}</p>
          <TextField
            label={t.signIn.code}
            className="code-input"
            value={code}
            onText={setCode}
            autoComplete="one-time-code"
            autoFocus
            required
            hint={codeHint}
          />
        </>
      )}
      <ActionFault fault={fault} />
      <Button
        look="primary"
        type="submit"
        className="full"
        busy={busy}
        wait={sent ? undefined : fault?.retryAfter}
      >
        {sent ? button : t.signIn.send}
      </Button>
      {sent ? (
        <Button look="quiet" className="full" busy={busy} onClick={() => void ask()}>
          {t.signIn.sendAgain}
        </Button>
      ) : (
        <Button look="quiet" className="full" onClick={() => setSent(OF_BEFORE)}>
          {t.signIn.haveCode}
        </Button>
      )}
    </form>
  );
}
