import { type FormEvent, useState } from 'react';
import { useClient } from 'urql';
import type { Fault } from '../api/fault.js';
import { useAct } from '../api/hooks.js';
import { CONSOLE_PATH, HAS_PASSKEYS, REGISTRATION } from '../api/place.js';
import { signInAtIssuer } from '../api/provider.js';
import { ownKey, signIn } from '../api/session.js';
import { graphql } from '../generated/gql.js';
import type { VerifyRegistrationMutation } from '../generated/graphql.js';
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
    verifyRegistration(input: $input) {
      verificationToken type
      invitation { accountName invitedBy role gameNames hasSingleSignOn }
    }
  }
`);

const CompleteMutation = graphql(`
  mutation CompleteRegistration($input: CompleteRegistrationInput!) {
    completeRegistration(input: $input) { key apiKeyId }
  }
`);

type Verified = VerifyRegistrationMutation['verifyRegistration'];

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
  const [joined, setJoined] = useState<string>();
  const [link, setLink] = useState(mailLink);
  const restart = () => {
    setVerified(undefined);
    setLink(undefined);
  };
  const step = () => {
    if (REGISTRATION === 'closed') return <p>{text.closed}</p>;
    if (joined) return <Joined studio={joined} />;
    if (apiKey) return <NewKey apiKey={apiKey} />;
    if (!verified && link) {
      return <Linked {...link} onVerified={setVerified} onOther={() => setLink(undefined)} />;
    }
    if (!verified) return <Address onVerified={setVerified} />;
    const { verificationToken, invitation } = verified;
    const late = { verificationToken, onLate: restart };
    if (invitation) return <Invited {...late} invitation={invitation} onDone={setJoined} />;
    return <Studio {...late} onDone={setApiKey} />;
  };
  // Who leaves while the key is shown has lost it.
  const foot = !apiKey && !joined && !verified?.invitation && (
    <>
      {text.known} <a href={`${CONSOLE_PATH}/`}>{t.signIn.button}</a>
    </>
  );
  const title = verified?.invitation ? text.invitation : text.title;
  return (
    <Door title={title} foot={foot}>
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

interface CompletingProps {
  verificationToken: string;
  onDone(made: string): void;
  onLate(): void;
}

function Studio({ verificationToken, onDone, onLate }: CompletingProps) {
  const [studio, setStudio] = useState('');
  const [name, setName] = useState('');
  const [jamCode, setJamCode] = useState('');
  const { run, busy, fault } = useAct(CompleteMutation);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const own = { accountName: studio.trim(), jamCode: jamCode.trim() || undefined };
    const data = await run({ input: { verificationToken, displayName: name.trim() || undefined, ...own } });
    if (data) onDone(data.completeRegistration.key);
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
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
      <OwnName value={name} onText={setName} error={fault?.fields.displayName} />
      <TextField
        label={text.jamCode}
        value={jamCode}
        onText={setJamCode}
        error={fault?.fields.jamCode}
        hint={text.jamCodeHint}
      />
      <ActionFault fault={fault} />
      <Button look="primary" type="submit" className="full" busy={busy} wait={fault?.retryAfter}>
        {text.create}
      </Button>
      <Late fault={fault} onLate={onLate} />
    </form>
  );
}

function OwnName(props: { value: string; onText(text: string): void; error?: string | undefined }) {
  return <TextField label={text.name} autoComplete="name" maxLength={100} hint={text.nameHint} {...props} />;
}

/** The way on when the verified address has to be verified again. */
function Late({ fault, onLate }: { fault: Fault | undefined; onLate(): void }) {
  if (fault?.code !== 'INVALID_TOKEN') return null;
  return (
    <Button look="quiet" className="full" onClick={onLate}>
      {t.signIn.sendAgain}
    </Button>
  );
}

type InvitedProps = CompletingProps & { invitation: NonNullable<Verified['invitation']> };

/** Who invites to what, and the way in: a sign-in, not a key. */
function Invited({ verificationToken, invitation, onDone, onLate }: InvitedProps) {
  const { accountName, role, gameNames, hasSingleSignOn } = invitation;
  const [name, setName] = useState('');
  const { run, busy, fault: refused } = useAct(CompleteMutation);
  const client = useClient();
  const [elsewhere, setElsewhere] = useState<Fault>();
  const fault = refused ?? elsewhere;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { verificationToken, displayName: name.trim() || undefined, signIn: true };
    const data = await run({ input });
    if (!data) return;
    ownKey.set(data.completeRegistration.apiKeyId);
    signIn(data.completeRegistration.key);
    onDone(accountName);
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <p>{text.invites(invitation.invitedBy ?? undefined, accountName)}</p>
      <dl className="facts two">
        <div>
          <dt>{t.roles.role}</dt>
          <dd>
            {t.roles.names[role]} <small>{t.roles.hints[role]}</small>
          </dd>
        </div>
        <div>
          <dt>{t.roles.games}</dt>
          <dd>{gameNames?.join(', ') ?? t.roles.allGames}</dd>
        </div>
      </dl>
      <OwnName value={name} onText={setName} error={fault?.fields.displayName} />
      <ActionFault fault={fault} />
      <Button look="primary" type="submit" className="full" busy={busy} wait={fault?.retryAfter}>
        {text.joins(accountName)}
      </Button>
      {hasSingleSignOn && HAS_PASSKEYS && (
        <Button
          className="full"
          onClick={async () => setElsewhere(await signInAtIssuer(client, { verificationToken }))}
        >
          {t.provider.join}
        </Button>
      )}
      <Late fault={fault} onLate={onLate} />
    </form>
  );
}

/** Signed in, and how the next time. */
function Joined({ studio }: { studio: string }) {
  return (
    <div className="stack">
      <p role="status">{text.joined(studio)}</p>
      <p className="small soft">{HAS_PASSKEYS ? text.nextTime : text.nextTimeByMail}</p>
      <Button look="primary" className="full" onClick={() => location.assign(`${CONSOLE_PATH}/`)}>
        {text.enter}
      </Button>
      {HAS_PASSKEYS && (
        <Button className="full" onClick={() => location.assign(`${CONSOLE_PATH}/security`)}>
          {t.passkeys.add}
        </Button>
      )}
    </div>
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
