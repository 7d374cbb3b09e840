import { type FormEvent, useState } from 'react';
import { useClient } from 'urql';
import type { Fault } from '../api/fault.js';
import { HAS_STUDIO_PROVIDERS, PROVIDER_NAME } from '../api/place.js';
import { signInAtIssuer } from '../api/provider.js';
import { ActionFault, Button, TextField } from '../parts/controls.js';
import { t } from '../texts.js';

const text = t.provider;

/** Sign-in at the installation's issuer, or at that of a studio. */
export function ByProvider() {
  const client = useClient();
  const [slug, setSlug] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const go = async (accountSlug?: string) => {
    setBusy(true);
    const found = await signInAtIssuer(client, { accountSlug });
    // Otherwise the page is left.
    if (found) setBusy(false);
    setFault(found);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (slug?.trim()) void go(slug.trim());
  };
  if (!PROVIDER_NAME && !HAS_STUDIO_PROVIDERS) return null;
  return (
    <div className="stack">
      {PROVIDER_NAME && (
        <Button className="full" busy={busy} wait={fault?.retryAfter} onClick={() => void go()}>
          {text.signInWith(PROVIDER_NAME)}
        </Button>
      )}
      {!HAS_STUDIO_PROVIDERS ? null : slug === undefined ? (
        <Button look="quiet" className="full" onClick={() => setSlug('')}>
          {text.ofStudio}
        </Button>
      ) : (
        <form className="stack" onSubmit={submit}>
          <TextField
            label={text.slug}
            hint={text.slugHint}
            value={slug}
            onText={setSlug}
            autoFocus
            required
          />
          <Button type="submit" className="full" busy={busy}>
            {text.go}
          </Button>
        </form>
      )}
      <ActionFault fault={fault} />
    </div>
  );
}
