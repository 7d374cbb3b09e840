import type { TypedDocumentNode } from 'urql';
import { graphql } from '../generated/gql.js';
import { useAct } from './hooks.js';

export const RestoreMutation = graphql(`
  mutation Restore($id: ID!) { restore(input: { id: $id }) { node { id } } }
`);

const DELETIONS = {
  Account: graphql(`
    mutation DeleteAccount($id: ID!) { deleteAccount(input: { id: $id }) { deletedId } }
  `),
  User: graphql(`
    mutation DeleteUser($id: ID!) { deleteUser(input: { id: $id }) { deletedId } }
  `),
  Game: graphql(`
    mutation DeleteGame($id: ID!) { deleteGame(input: { id: $id }) { deletedId } }
  `),
  Board: graphql(`
    mutation DeleteBoard($id: ID!) { deleteBoard(input: { id: $id }) { deletedId } }
  `),
  BoardTemplate: graphql(`
    mutation DeleteTemplate($id: ID!) { deleteBoardTemplate(input: { id: $id }) { deletedId } }
  `),
  Device: graphql(`
    mutation DeleteDevice($id: ID!) { deleteDevice(input: { id: $id }) { deletedId } }
  `),
  WebhookEndpoint: graphql(`
    mutation DeleteWebhook($id: ID!) { deleteWebhookEndpoint(input: { id: $id }) { deletedId } }
  `),
  PlayerProvider: graphql(`
    mutation DeletePlayerProvider($id: ID!) { deletePlayerProvider(input: { id: $id }) { deletedId } }
  `),
  Identity: graphql(`
    mutation DeletePlayer($id: ID!) { deleteIdentity(input: { id: $id }) { deletedId } }
  `),
};

/** Deletes records of a kind, and restores them. Lists of the kind are read again, as no answer names them. */
export function useRemoval(kind: keyof typeof DELETIONS) {
  const deletion = useAct(DELETIONS[kind] as TypedDocumentNode<unknown, { id: string }>, [kind]);
  const restoration = useAct(RestoreMutation);
  return {
    remove: deletion.run,
    restore: restoration.run,
    busy: deletion.busy,
    fault: deletion.fault ?? restoration.fault,
  };
}
