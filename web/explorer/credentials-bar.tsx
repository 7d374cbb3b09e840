import { useState } from 'react';
import { type Credentials, noCredentials, tidyCredential } from './credentials.js';

interface Props {
  credentials: Credentials;
  onChange(credentials: Credentials): void;
  onForget(): void;
  /** The person has finished editing (left the field or pressed Enter). */
  onDone(): void;
}

const kinds = {
  apiKey: { choice: 'API key', hint: 'Paste an API key' },
  deviceToken: { choice: 'Device token', hint: 'Paste an access token' },
  none: { choice: 'Nothing', hint: '' },
} as const;

/** The credential that is sent: its kind, its text, hidden until the visitor reveals it, and a button to forget it. */
export function CredentialsBar({ credentials, onChange, onForget, onDone }: Props) {
  const [shown, setShown] = useState(false);
  const { sendAs } = credentials;
  const empty = credentials.apiKey === '' && credentials.deviceToken === '';
  return (
    <header className="bar">
      <h1>GraphQL explorer</h1>
      <fieldset className="credentials" aria-label="Credentials">
        <select
          aria-label="Credential to send"
          value={sendAs}
          onChange={(event) => {
            onChange({ ...credentials, sendAs: event.target.value as Credentials['sendAs'] });
            onDone();
          }}
        >
          {Object.entries(kinds).map(([kind, { choice }]) => (
            <option key={kind} value={kind}>
              {choice}
            </option>
          ))}
        </select>
        {sendAs === 'none' ? (
          <span className="anonymous">Requests carry no credential.</span>
        ) : (
          <>
            <input
              aria-label={kinds[sendAs].choice}
              type={shown ? 'text' : 'password'}
              placeholder={kinds[sendAs].hint}
              title="Kept in this browser tab only, until you close it."
              autoComplete="off"
              spellCheck={false}
              value={credentials[sendAs]}
              onChange={(event) => onChange({ ...credentials, [sendAs]: tidyCredential(event.target.value) })}
              onBlur={onDone}
              onKeyDown={(event) => event.key === 'Enter' && onDone()}
            />
            <button type="button" aria-pressed={shown} onClick={() => setShown(!shown)}>
              {shown ? 'Hide' : 'Show'}
            </button>
          </>
        )}
        <button type="button" disabled={empty && sendAs === noCredentials.sendAs} onClick={onForget}>
          Forget
        </button>
      </fieldset>
    </header>
  );
}
