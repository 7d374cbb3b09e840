import { graphql } from '../generated/gql.js';

// The operations of the first view, apart from the screens: they are sent before the code of the screens has arrived.

export const MeQuery = graphql(`
  query Me {
    me {
      superAdmin
      role
      rights
      needsPasskey
      gameIds
      accountId
      account { id name }
      user { id displayName email flagDigest }
      apiKey { id name expiresAt }
    }
  }
`);

/** A game of the own account, if it has one, and the newest game of all. */
export const FirstAccountQuery = graphql(`
  query FirstAccount($own: ID!) {
    own: games(accountId: $own, first: 1) { nodes { id } }
    newest: games(first: 1) { nodes { id accountId } }
  }
`);

export const GamesQuery = graphql(`
  query Games($accountId: ID!) {
    games(accountId: $accountId, orderBy: {field: NAME}, first: 100) {
      nodes { id name slug environment }
    }
  }
`);

export const PendingQuery = graphql(`
  query Pending($accountId: ID!) {
    scoreFlags(accountId: $accountId, filter: {status: PENDING}, first: 1) { totalCount { value isExact } }
  }
`);

export const OverviewQuery = graphql(`
  query Overview($accountId: ID!) {
    boards(accountId: $accountId, filter: {isActive: true}, first: 100) {
      nodes { id phase gameId }
      pageInfo { hasNextPage }
    }
    oldest: scoreFlags(accountId: $accountId, filter: {status: PENDING}, last: 1) { nodes { id createdAt } }
    auditEntries(accountId: $accountId, first: 100) {
      nodes {
        id action before after subjectId userId by agent createdAt userName
        subject {
          __typename
          ... on ScoreFlag { identity { id displayName game { slug } } }
          ... on IdentityReview { identity { id displayName game { slug } } device { platform } }
          ... on Identity { id displayName game { slug } }
          ... on Device { platform }
          ... on User { displayName }
          ... on Account { name } ... on ApiKey { name } ... on Game { name } ... on Board { name } ... on BoardTemplate { name }
          ... on Reward { title line identity { displayName } } ... on JamCode { description } ... on ScoreImport { board { name } }
        }
      }
    }
  }
`);

export const LiveBoardsQuery = graphql(`
  query LiveBoards($accountId: ID!) {
    boards(accountId: $accountId, filter: {isActive: true}, first: 30) {
      nodes {
        id
        name
        shortCode
        unit
        format { kind decimals timeUnit }
        phase
        endsAt
        game { slug name }
        activity(minutes: 30) { at count }
        ranking { totalCount entries(first: 1) { nodes { scoreId playerName value valueDisplay } } }
      }
    }
  }
`);
