import { graphql } from '../../generated/gql.js';
import type { FlagQuery as FlagAnswer, FlagsQuery as FlagsAnswer } from '../../generated/graphql.js';

export const FlagsQuery = graphql(`
  query Flags($accountId: ID!, $gameId: ID, $boardId: ID, $flagType: FlagType, $first: Int!, $after: String) {
    scoreFlags(
      accountId: $accountId
      gameId: $gameId
      boardId: $boardId
      flagType: $flagType
      status: PENDING
      first: $first
      after: $after
    ) {
      nodes {
        id
        flagType
        confidence
        status
        createdAt
        boardId
        gameId
        identityId
        board { name unit }
        identity { displayName }
        event { eventPayload }
        reviewer { displayName }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export type FlagFields = FlagsAnswer['scoreFlags']['nodes'][number];

export const OneFlagQuery = graphql(`
  query OneFlag($id: ID!) {
    scoreFlag(id: $id) {
      id
      flagType
      confidence
      status
      createdAt
      boardId
      gameId
      identityId
      board { name unit }
      identity { displayName }
      event { eventPayload }
      reviewer { displayName }
    }
  }
`);

export const NewFlagSubscription = graphql(`
  subscription NewFlag($accountId: ID!, $gameId: ID, $after: ID) {
    scoreFlagged(accountId: $accountId, gameId: $gameId, after: $after) {
      id
      flagType
      confidence
      status
      createdAt
      boardId
      gameId
      identityId
      board { name unit }
      identity { displayName }
      event { eventPayload }
      reviewer { displayName }
    }
  }
`);

export const FlagReviewedSubscription = graphql(`
  subscription FlagReviewed($accountId: ID!, $gameId: ID, $after: String) {
    scoreFlagReviewed(accountId: $accountId, gameId: $gameId, after: $after) {
      cursor
      id
      scoreFlag { id status reviewedAt reviewerId reviewer { displayName } }
    }
  }
`);

export const FlagQuery = graphql(`
  query Flag($accountId: ID!, $id: ID!, $boardId: ID!, $identityId: ID!) {
    scoreFlag(id: $id) {
      id
      flagType
      confidence
      status
      explanation
      isTest
      createdAt
      reviewedAt
      reviewerDecision
      reviewer { displayName }
      device { id platform status }
      event { id eventPayload createdAt isTest }
      comparedEvents { id eventPayload createdAt identityId identity { displayName } }
      board { id name shortCode unit boardType sortDirection keepStrategy entryCount game { slug name } }
      identity {
        id
        displayName
        trustTier
        createdAt
        devices(first: 5) { nodes { id platform } pageInfo { hasNextPage } }
        flags(first: 50) { nodes { id status boardId } pageInfo { hasNextPage } }
      }
    }
    runs: scoreEvents(boardId: $boardId, identityId: $identityId, first: 60) {
      nodes { id eventPayload createdAt isTest }
      pageInfo { hasNextPage }
    }
    place: scores(accountId: $accountId, boardId: $boardId, identityId: $identityId, first: 1) {
      nodes { id rank value valueDisplay scoreEventId }
    }
  }
`);

export type FlagDetails = FlagAnswer;

export const ReviewMutation = graphql(`
  mutation Review($id: ID!, $status: FlagStatus!, $reason: String, $identityId: ID!) {
    reviewScoreFlag(input: { id: $id, status: $status, reviewerDecision: $reason }) {
      scoreFlag {
        id
        status
        board { id scores(identityId: $identityId, first: 1) { nodes { id rank } } }
      }
    }
  }
`);

export const ReviewRunsMutation = graphql(`
  mutation ReviewRuns($input: ReviewIdentityInput!) {
    reviewIdentity(input: $input) {
      identityReview { id status }
      bannedDevices { id }
      boards {
        boardId
        runs
        moved
        failure
        board { name unit }
        podium {
          rank
          moves
          before { playerName value valueDisplay }
          after { playerName value valueDisplay }
        }
      }
    }
  }
`);

export const ReviewStateQuery = graphql(`
  query ReviewState($id: ID!) {
    identityReview(id: $id) {
      id
      status
      boards { boardId runs undone failure board { name } }
    }
  }
`);

export const UndoRunsMutation = graphql(`
  mutation UndoRuns($id: ID!) {
    undoIdentityReview(input: { id: $id }) { identityReview { id status } }
  }
`);
