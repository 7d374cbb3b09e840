import { type FormEvent, useState } from 'react';
import { makeClient } from '../api/client.js';
import { type Fault, faultOf } from '../api/fault.js';
import { ownKey, signIn } from '../api/session.js';
import { graphql } from '../generated/gql.js';
import { ActionFault, Button, TextField } from '../parts/controls.js';
import { t } from '../texts.js';

const CodeMutation = graphql(`
  mutation ConsoleCode($email: String!, $requestToken: String) {
    sendSignInCode(input: { email: $email, requestToken: $requestToken }) { message codeExpiresIn requestToken }
  }
`);

const SignInMutation = graphql(`
  mutation ConsoleSignIn($email: String!, $code: String!, $requestToken: String) {
    signIn(input: { email: $email, code: $code, requestToken: $requestToken }) { key apiKey { id } }
  }
`);

/** Sign-in by a code of a mail: makes a key of twelve hours, which signing out ends. */
export function ByMail() {
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [sent, setSent] = useState<{ message: string; requestToken: string }>();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const client = makeClient(undefined);
  const ask = async () => {
    setBusy(true);
    const variables = { email: email.trim(), requestToken: sent?.requestToken };
    const { data, error } = await client.mutation(CodeMutation, variables).toPromise();
    setBusy(false);
    setFault(error && faultOf(error));
    if (data) setSent(data.sendSignInCode);
  };
  const enter = async () => {
    setBusy(true);
    const variables = { email: email.trim(), code: code.trim(), requestToken: sent?.requestToken };
    const { data, error } = await client.mutation(SignInMutation, variables).toPromise();
    setBusy(false);
    setFault(error && faultOf(error));
    if (!data) return;
    ownKey.set(data.signIn.apiKey.id);
    signIn(data.signIn.key);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void (sent ? enter() : ask());
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label={t.signIn.email}
        type="email"
        value={email}
        onText={(text) => {
          setEmail(text);
          setSent(undefined);
        }}
        required
        error={fault?.fields.email}
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
            required
            hint={t.signIn.codeHint}
          />
        </>
      )}
      <ActionFault fault={fault} />
      <Button look="primary" type="submit" className="full" busy={busy} wait={fault?.retryAfter}>
        {sent ? t.signIn.button : t.signIn.send}
      </Button>
      {sent && (
        <Button look="quiet" className="full" busy={busy} onClick={() => void ask()}>
          {t.signIn.sendAgain}
        </Button>
      )}
    </form>
  );
}
