import { type FormEvent, useState } from 'react';
import { useClient } from 'urql';
import type { Fault } from '../api/fault.js';
import { useAct } from '../api/hooks.js';
import { CONSOLE_PATH, HAS_PASSKEYS, REGISTRATION } from '../api/place.js';
import { signInAtIssuer } from '../api/provider.js';
import { signIn } from '../api/session.js';
import { graphql } from '../generated/gql.js';
import { ActionFault, Button, TextField } from '../parts/controls.js';
import { CopyButton } from '../parts/copy-button.js';
import { t } from '../texts.js';
import { CodeForm } from './code-form.js';
import { Door } from './door.js';
import { FromMail, forgetMailLink, mailLink } from './mail-link.js';

const SendMutation = graphql(`
  mutation SendRegistrationCode($email: String!) {
    initiateRegistration(input: { email: $email }) { message requestToken }
  }
`);

const VerifyMutation = graphql(`
  mutation VerifyRegistration($input: VerifyRegistrationInput!) {
    verifyRegistration(input: $input) { verificationToken type }
  }
`);

const CompleteMutation = graphql(`
  mutation CompleteRegistration($input: CompleteRegistrationInput!) {
    completeRegistration(input: $input) { key }
  }
`);

interface Verified {
  verificationToken: string;
  type: string;
}

interface LinkedProps {
  email: string;
  code: string;
  onVerified(verified: Verified): void;
  onOther(): void;
}

const text = t.register;

/** The page /register: address, code, studio, and the key of the new account, shown once. */
export function Register() {
  const [verified, setVerified] = useState<Verified>();
  const [apiKey, setApiKey] = useState<string>();
  const [link, setLink] = useState(mailLink);
  const restart = () => {
    setVerified(undefined);
    setLink(undefined);
  };
  const step = () => {
    if (REGISTRATION === 'closed') return <p>{text.closed}</p>;
    if (apiKey) return <NewKey apiKey={apiKey} />;
    if (!verified && link) {
      return <Linked {...link} onVerified={setVerified} onOther={() => setLink(undefined)} />;
    }
    if (!verified) return <Address onVerified={setVerified} />;
    return <Studio {...verified} onDone={setApiKey} onLate={restart} />;
  };
  // Who leaves while the key is shown has lost it.
  const foot = !apiKey && (
    <>
      {text.known} <a href={`${CONSOLE_PATH}/`}>{t.signIn.button}</a>
    </>
  );
  return (
    <Door title={text.title} foot={foot}>
      {step()}
    </Door>
  );
}

function Linked({ email, code, onVerified, onOther }: LinkedProps) {
  const entry = useAct(VerifyMutation);
  const act = async () => {
    const data = await entry.run({ input: { email, code } });
    if (!data) return;
    forgetMailLink();
    onVerified(data.verifyRegistration);
  };
  return (
    <FromMail
      email={email}
      button={text.next}
      busy={entry.busy}
      fault={entry.fault}
      act={() => void act()}
      onOther={onOther}
    />
  );
}

function Address({ onVerified }: { onVerified(verified: Verified): void }) {
  const code = useAct(SendMutation);
  const entry = useAct(VerifyMutation);
  return (
    <CodeForm
      send={async (email) => {
        entry.clear();
        return (await code.run({ email }))?.initiateRegistration;
      }}
      enter={async (email, typed, requestToken) => {
        const data = await entry.run({ input: { email, code: typed, requestToken } });
        if (data) onVerified(data.verifyRegistration);
      }}
      busy={code.busy || entry.busy}
      fault={entry.fault ?? code.fault}
      button={text.next}
      emailHint={REGISTRATION === 'invited' ? text.invitedHint : undefined}
    />
  );
}

type StudioProps = Verified & { onDone(apiKey: string): void; onLate(): void };

function Studio({ verificationToken, type, onDone, onLate }: StudioProps) {
  const isInvited = type === 'INVITE';
  const [studio, setStudio] = useState('');
  const [name, setName] = useState('');
  const [jamCode, setJamCode] = useState('');
  const { run, busy, fault: refused } = useAct(CompleteMutation);
  const client = useClient();
  const [elsewhere, setElsewhere] = useState<Fault>();
  const fault = refused ?? elsewhere;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const own = isInvited ? {} : { accountName: studio.trim(), jamCode: jamCode.trim() || undefined };
    const input = { verificationToken, displayName: name.trim() || undefined, ...own };
    const data = await run({ input });
    if (data) onDone(data.completeRegistration.key);
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      {isInvited ? (
        <p>{text.invited}</p>
      ) : (
        <TextField
          label={text.studio}
          autoComplete="organization"
          autoFocus
          value={studio}
          onText={setStudio}
          required
          maxLength={100}
          error={fault?.fields.accountName}
          hint={text.studioHint}
        />
      )}
      <TextField
        label={text.name}
        autoComplete="name"
        autoFocus={isInvited}
        value={name}
        onText={setName}
        maxLength={100}
        error={fault?.fields.displayName}
        hint={text.nameHint}
      />
      {!isInvited && (
        <TextField
          label={text.jamCode}
          value={jamCode}
          onText={setJamCode}
          error={fault?.fields.jamCode}
          hint={text.jamCodeHint}
        />
      )}
      <ActionFault fault={fault} />
      <Button look="primary" type="submit" className="full" busy={busy} wait={fault?.retryAfter}>
        {isInvited ? text.join : text.create}
      </Button>
      {isInvited && HAS_PASSKEYS && (
        <Button
          className="full"
          onClick={async () => setElsewhere(await signInAtIssuer(client, { verificationToken }))}
        >
          {t.provider.join}
        </Button>
      )}
      {fault?.code === 'INVALID_TOKEN' && (
        <Button look="quiet" className="full" onClick={onLate}>
          {t.signIn.sendAgain}
        </Button>
      )}
    </form>
  );
}

function NewKey({ apiKey }: { apiKey: string }) {
  const enter = () => {
    signIn(apiKey);
    location.assign(`${CONSOLE_PATH}/`);
  };
  return (
    <div className="stack">
      <p role="status">{text.done}</p>
      <div className="secret">
        <code>{apiKey}</code>
        <CopyButton text={apiKey} />
      </div>
      <p className="small soft">{text.keyHint}</p>
      <Button look="primary" className="full" onClick={enter}>
        {text.enter}
      </Button>
    </div>
  );
}
