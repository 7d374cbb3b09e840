import { useAct } from '../api/hooks.js';
import { ownKey, signIn } from '../api/session.js';
import { graphql } from '../generated/gql.js';
import { t } from '../texts.js';
import { CodeForm } from './code-form.js';
import { FromMail, forgetMailLink } from './mail-link.js';

const CodeMutation = graphql(`
  mutation ConsoleCode($email: String!, $requestToken: String) {
    sendSignInCode(input: { email: $email, requestToken: $requestToken }) { message requestToken }
  }
`);

const SignInMutation = graphql(`
  mutation ConsoleSignIn($email: String!, $code: String!, $requestToken: String) {
    signIn(input: { email: $email, code: $code, requestToken: $requestToken }) { key apiKey { id } }
  }
`);

/** Sign-in by the link of a mail. */
export function ByLink({ email, code, onOther }: { email: string; code: string; onOther(): void }) {
  const entry = useAct(SignInMutation);
  const act = async () => {
    const data = await entry.run({ email, code });
    if (!data) return;
    forgetMailLink();
    ownKey.set(data.signIn.apiKey.id);
    signIn(data.signIn.key);
  };
  return (
    <FromMail
      email={email}
      button={t.signIn.button}
      busy={entry.busy}
      fault={entry.fault}
      act={() => void act()}
      onOther={onOther}
    />
  );
}

/** Sign-in by a code of a mail: makes a key of twelve hours, which signing out ends. */
export function ByMail() {
  const code = useAct(CodeMutation);
  const entry = useAct(SignInMutation);
  return (
    <CodeForm
      send={async (email, requestToken) => {
        entry.clear();
        return (await code.run({ email, requestToken }))?.sendSignInCode;
      }}
      enter={async (email, typed, requestToken) => {
        const data = await entry.run({ email, code: typed, requestToken });
        if (!data) return;
        ownKey.set(data.signIn.apiKey.id);
        signIn(data.signIn.key);
      }}
      busy={code.busy || entry.busy}
      fault={entry.fault ?? code.fault}
      button={t.signIn.button}
      codeHint={t.signIn.codeHint}
    />
  );
}
