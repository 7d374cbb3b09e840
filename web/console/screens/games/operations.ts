import { graphql } from '../../generated/gql.js';

export const CreateGameMutation = graphql(`
  mutation CreateGame($input: CreateGameInput!) {
    createGame(input: $input) { game { id name slug } }
  }
`);

export const UpdateGameMutation = graphql(`
  mutation UpdateGame($input: UpdateGameInput!) {
    updateGame(input: $input) { game { id name slug } }
  }
`);
