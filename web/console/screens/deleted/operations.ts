import { graphql } from '../../generated/gql.js';

export const DeletedBoardsQuery = graphql(`
  query DeletedBoards($accountId: ID!, $after: String) {
    boards(accountId: $accountId, filter: {isDeleted: true}, first: 50, after: $after) {
      nodes { id name game { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const DeletedGamesQuery = graphql(`
  query DeletedGames($accountId: ID!, $after: String) {
    games(accountId: $accountId, filter: {isDeleted: true}, first: 50, after: $after) {
      nodes { id name }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const DeletedTemplatesQuery = graphql(`
  query DeletedTemplates($accountId: ID!, $after: String) {
    boardTemplates(accountId: $accountId, filter: {isDeleted: true}, first: 50, after: $after) {
      nodes { id name game { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const DeletedPlayersQuery = graphql(`
  query DeletedPlayers($accountId: ID!, $after: String) {
    identities(accountId: $accountId, filter: {isDeleted: true}, first: 50, after: $after) {
      nodes { id displayName externalKey game { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const DeletedDevicesQuery = graphql(`
  query DeletedDevices($accountId: ID!, $after: String) {
    devices(accountId: $accountId, filter: {isDeleted: true}, first: 50, after: $after) {
      nodes { id platform identity { displayName } game { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const DeletionsQuery = graphql(`
  query Deletions($accountId: ID!) {
    auditEntries(accountId: $accountId, filter: {action: RECORD_DELETED}, first: 100) {
      nodes { id subjectId createdAt userId userName }
    }
  }
`);
