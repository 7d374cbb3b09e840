import { Tabs } from 'radix-ui';
import { type FormEvent, useState } from 'react';
import { makeClient } from '../api/client.js';
import { faultOf } from '../api/fault.js';
import { MeQuery } from '../api/first-operations.js';
import { HAS_PASSKEYS, REGISTRATION, SERVICE_PATH } from '../api/place.js';
import { signIn } from '../api/session.js';
import { Button, TextField } from '../parts/controls.js';
import { t } from '../texts.js';
import { ByLink, ByMail } from './by-mail.js';
import { ByPasskey } from './by-passkey.js';
import { ByProvider } from './by-provider.js';
import { Door } from './door.js';
import { mailLink } from './mail-link.js';

/** Removes what copying tends to bring along. */
function tidy(pasted: string): string {
  return pasted.trim().replace(/^bearer\s+/i, '');
}

export function SignIn() {
  const [link, setLink] = useState(mailLink);
  const foot = REGISTRATION !== 'closed' && (
    <>
      {t.signIn.new} <a href={`${SERVICE_PATH}/register`}>{t.register.title}</a>
    </>
  );
  return (
    <Door title={t.signIn.title} heading={t.signIn.heading} foot={foot}>
      {link ? <ByLink {...link} onOther={() => setLink(undefined)} /> : <Ways />}
    </Door>
  );
}

function Ways() {
  return (
    <>
      {HAS_PASSKEYS && <ByProvider />}
      {HAS_PASSKEYS && <ByPasskey />}
      <Tabs.Root defaultValue="key">
        <Tabs.List className="tabs" aria-label={t.signIn.ways}>
          <Tabs.Trigger value="key">{t.signIn.byKey}</Tabs.Trigger>
          <Tabs.Trigger value="mail">{t.signIn.byMail}</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="key">
          <ByKey />
        </Tabs.Content>
        <Tabs.Content value="mail">
          <ByMail />
        </Tabs.Content>
      </Tabs.Root>
    </>
  );
}

function ByKey() {
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const [wait, setWait] = useState<number>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const tidied = tidy(key);
    if (!tidied) return setError(t.signIn.empty);
    setBusy(true);
    const result = await makeClient(tidied).query(MeQuery, {}).toPromise();
    setBusy(false);
    if (!result.error) return signIn(tidied);
    const fault = faultOf(result.error);
    setWait(fault.retryAfter);
    setError(fault.code === 'INVALID_API_KEY' ? t.signIn.unknown : fault.message);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label={t.signIn.key}
        type="password"
        className="mono"
        autoFocus
        value={key}
        onText={setKey}
        error={error}
        hint={t.signIn.keyHint}
      />
      <Button look="primary" type="submit" className="full" busy={busy} wait={wait}>
        {t.signIn.button}
      </Button>
    </form>
  );
}
