import type { Client } from 'urql';
import { graphql } from '../generated/gql.js';
import { makeClient } from './client.js';
import { type Fault, faultOf } from './fault.js';
import { apiKey } from './session.js';
import { TabText } from './store.js';

const StartMutation = graphql(`
  mutation StartProviderSignIn($input: StartProviderSignInInput!) {
    startProviderSignIn(input: $input) { url }
  }
`);

const StartLinkMutation = graphql(`
  mutation StartProviderLink($input: StartProviderLinkInput!) {
    startProviderLink(input: $input) { url }
  }
`);

const RedeemMutation = graphql(`
  mutation RedeemProviderCode($input: RedeemProviderCodeInput!) {
    redeemProviderCode(input: $input) { ticket subject domain }
  }
`);

const SignInMutation = graphql(`
  mutation SignInWithProvider($input: SignInWithProviderInput!) {
    signInWithProvider(input: $input) { key apiKey { id } }
  }
`);

const AddLinkMutation = graphql(`
  mutation AddProviderLink($input: AddProviderLinkInput!) {
    addProviderLink(input: $input) { providerLink { id } }
  }
`);

/** What this tab remembers while its person is at the issuer. */
interface Begun {
  browserToken: string;
  isLinking: boolean;
  verificationToken?: string | undefined;
}

const begun = new TabText('console:provider');

function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

interface Wanted {
  accountSlug?: string | undefined;
  /** Of an invitation. */
  verificationToken?: string | undefined;
}

/** Sends the browser to the issuer. @returns why it stays here */
export async function signInAtIssuer(client: Client, wanted: Wanted): Promise<Fault | undefined> {
  const browserToken = newToken();
  const { data, error } = await client
    .mutation(StartMutation, { input: { ...wanted, browserToken } })
    .toPromise();
  if (error || !data) return faultOf(error!);
  begun.set(JSON.stringify({ browserToken, isLinking: false, verificationToken: wanted.verificationToken }));
  location.assign(data.startProviderSignIn.url);
  return undefined;
}

/** The same to connect the user of this tab. */
export async function connectAtIssuer(client: Client): Promise<Fault | undefined> {
  const browserToken = newToken();
  const { data, error } = await client.mutation(StartLinkMutation, { input: { browserToken } }).toPromise();
  if (error || !data) return faultOf(error!);
  begun.set(JSON.stringify({ browserToken, isLinking: true }));
  location.assign(data.startProviderLink.url);
  return undefined;
}

/** What came of a return from the issuer: a key, a connection, or why there is none. */
export type Returned = { key: string; id: string } | { linked: true } | Fault;

/** Goes on where the issuer has sent the browser back. @param response the query of the address */
export async function returnFromIssuer(response: string): Promise<Returned | undefined> {
  const text = begun.get();
  begun.set(null);
  if (text === null) return undefined;
  const { browserToken, isLinking, verificationToken } = JSON.parse(text) as Begun;
  // The key of this tab may be a sign-in that can do nothing but add a passkey.
  const client = makeClient(isLinking ? (apiKey.get() ?? undefined) : undefined);
  const accountId = /^(acc_[^.]+)\./.exec(new URLSearchParams(response).get('state') ?? '')?.[1];
  const redeeming = { accountId, response, browserToken };
  const redeemed = await client.mutation(RedeemMutation, { input: redeeming }).toPromise();
  if (redeemed.error || !redeemed.data) return faultOf(redeemed.error!);
  const { ticket, subject, domain } = redeemed.data.redeemProviderCode;
  if (isLinking) {
    const { error } = await client.mutation(AddLinkMutation, { input: { ticket } }).toPromise();
    return error ? faultOf(error) : { linked: true };
  }
  const input = { accountId, ticket, subject, domain, verificationToken };
  const { data, error } = await client.mutation(SignInMutation, { input }).toPromise();
  if (error || !data) return faultOf(error!);
  return { key: data.signInWithProvider.key, id: data.signInWithProvider.apiKey.id };
}
