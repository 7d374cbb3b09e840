import type { Client } from 'urql';
import { graphql } from '../generated/gql.js';
import { t } from '../texts.js';
import { type Fault, faultOf } from './fault.js';

const OptionsQuery = graphql(`
  query PasskeySignInOptions {
    passkeySignInOptions
  }
`);

const SignInMutation = graphql(`
  mutation SignInWithPasskey($input: SignInWithPasskeyInput!) {
    signInWithPasskey(input: $input) { key apiKey { id } }
  }
`);

/** What a browser says when its dialogue ends without a passkey. */
export function browserFault(error: unknown): Fault {
  const name = (error as Error).name;
  const message = name === 'InvalidStateError' ? t.passkeys.known : t.passkeys.cancelled;
  return { code: 'CANCELLED', message, requestId: undefined, fields: {}, retryAfter: undefined };
}

/** The account in the user handle of a passkey: its first 16 bytes. */
function accountOf(handle: string): string {
  const bytes = atob(handle.replaceAll('-', '+').replaceAll('_', '/'));
  const hex = [...bytes.slice(0, 16)].map((one) => one.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return `acc_${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
}

/** Asks the browser for a passkey and exchanges it for a key. */
export async function signInByPasskey(client: Client): Promise<{ key: string; id: string } | Fault> {
  const asked = await client.query(OptionsQuery, {}, { requestPolicy: 'network-only' }).toPromise();
  if (asked.error || !asked.data?.passkeySignInOptions) return faultOf(asked.error!);
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const given = await startAuthentication({ optionsJSON: JSON.parse(asked.data.passkeySignInOptions) }).catch(
    (error: unknown) => browserFault(error),
  );
  if ('code' in given) return given;
  const input = { accountId: accountOf(given.response.userHandle ?? ''), response: JSON.stringify(given) };
  const { data, error } = await client.mutation(SignInMutation, { input }).toPromise();
  if (error || !data) return faultOf(error!);
  return { key: data.signInWithPasskey.key, id: data.signInWithPasskey.apiKey.id };
}
