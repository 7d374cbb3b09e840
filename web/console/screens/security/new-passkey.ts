import { useState } from 'react';
import { useClient } from 'urql';
import { type Fault, faultOf } from '../../api/fault.js';
import { browserFault } from '../../api/passkey.js';
import { graphql } from '../../generated/gql.js';

const OptionsQuery = graphql(`
  query NewPasskeyOptions {
    newPasskeyOptions
  }
`);

const AddMutation = graphql(`
  mutation AddPasskey($input: AddPasskeyInput!) {
    addPasskey(input: $input) { passkey { id } }
  }
`);

/** Makes a passkey in the browser and adds it to the caller. */
export function useNewPasskey() {
  const client = useClient();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const make = async (name: string): Promise<Fault | undefined> => {
    const asked = await client.query(OptionsQuery, {}, { requestPolicy: 'network-only' }).toPromise();
    if (asked.error || !asked.data?.newPasskeyOptions) return asked.error && faultOf(asked.error);
    const { startRegistration } = await import('@simplewebauthn/browser');
    const made = await startRegistration({ optionsJSON: JSON.parse(asked.data.newPasskeyOptions) }).catch(
      (error: unknown) => browserFault(error),
    );
    if ('code' in made) return made;
    const input = { name, response: JSON.stringify(made) };
    const { error } = await client.mutation(AddMutation, { input }).toPromise();
    return error && faultOf(error);
  };
  const run = async (name: string): Promise<boolean> => {
    setBusy(true);
    const found = await make(name);
    setBusy(false);
    setFault(found);
    return found === undefined;
  };
  return { run, busy, fault };
}
