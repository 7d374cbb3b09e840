import { useClient } from 'urql';
import { ownKey, signOut } from '../api/session.js';
import { graphql } from '../generated/gql.js';

export const EndSessionMutation = graphql(`
  mutation EndSession($id: ID!) {
    endConsoleSession(input: { id: $id }) { consoleSession { id } }
  }
`);

/** Signs out of this tab. A key that was made for it ends; others are forgotten here and live on. */
export function useLeave(): () => void {
  const client = useClient();
  return () => {
    const id = ownKey.get();
    if (id !== null) void client.mutation(EndSessionMutation, { id }).toPromise();
    signOut();
  };
}
