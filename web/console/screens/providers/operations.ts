import { graphql } from '../../generated/gql.js';
import type { PlayerProvidersQuery as Answer } from '../../generated/graphql.js';

export const PlayerProvidersQuery = graphql(`
  query PlayerProviders($slug: String!) {
    game(by: { slug: $slug }) {
      id name accountId playersMerge
      playerProviders(first: 20) {
        nodes {
          id kind slug issuer keysUrl publicKey audiences clientId redirectUrl steamIdentity allowBorrowed trustTier
          lastRefusal lastRefusedAt
        }
      }
    }
  }
`);

export type ProviderRow = NonNullable<Answer['game']['playerProviders']>['nodes'][number];

export const CreatePlayerProviderMutation = graphql(`
  mutation CreatePlayerProvider($input: CreatePlayerProviderInput!) {
    createPlayerProvider(input: $input) { playerProvider { id slug } }
  }
`);

export const UpdatePlayerProviderMutation = graphql(`
  mutation UpdatePlayerProvider($input: UpdatePlayerProviderInput!) {
    updatePlayerProvider(input: $input) { playerProvider { id } }
  }
`);

export const TestPlayerProviderMutation = graphql(`
  mutation TestPlayerProvider($input: TestPlayerProviderInput!) {
    testPlayerProvider(input: $input) { isAccepted subject reason }
  }
`);
