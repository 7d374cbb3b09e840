import { graphql } from '../../generated/gql.js';

export const RaiseMutation = graphql(`
  mutation RaiseFlag($input: CreateScoreFlagInput!) {
    createScoreFlag(input: $input) { scoreFlag { id } }
  }
`);
