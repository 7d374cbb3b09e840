import { graphql } from '../../generated/gql.js';
import type { FlagQuery as FlagAnswer, FlagsQuery as FlagsAnswer } from '../../generated/graphql.js';

export const FlagsQuery = graphql(`
  query Flags($accountId: ID!, $gameId: ID, $boardId: ID, $flagType: FlagType, $isHeld: Boolean, $first: Int!, $after: String) {
    scoreFlags(accountId: $accountId, filter: {gameId: $gameId, boardId: $boardId, flagType: $flagType, isHeld: $isHeld, status: PENDING}, first: $first, after: $after) {
      nodes {
        id flagType confidence status createdAt boardId identityId heldRank
        board { name unit format { kind decimals timeUnit } } game { slug } identity { displayName } scoreEvent { value valueDisplay } reviewer { displayName }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export type FlagFields = FlagsAnswer['scoreFlags']['nodes'][number];

export const OneFlagQuery = graphql(`
  query OneFlag($id: ID!) {
    scoreFlag(id: $id) {
      id flagType confidence status createdAt boardId identityId heldRank
      board { name unit format { kind decimals timeUnit } } game { slug } identity { displayName } scoreEvent { value valueDisplay } reviewer { displayName }
    }
  }
`);

export const NewFlagSubscription = graphql(`
  subscription NewFlag($accountId: ID!, $gameId: ID, $after: String) {
    scoreFlagged(accountId: $accountId, gameId: $gameId, after: $after) {
      scoreFlag {
        id flagType confidence status createdAt boardId identityId heldRank
        board { name unit format { kind decimals timeUnit } } game { slug } identity { displayName } scoreEvent { value valueDisplay } reviewer { displayName }
      }
    }
  }
`);

export const FlagReviewedSubscription = graphql(`
  subscription FlagReviewed($accountId: ID!, $gameId: ID, $after: String) {
    scoreFlagReviewed(accountId: $accountId, gameId: $gameId, after: $after) {
      cursor
      scoreFlag { id status reviewedAt reviewerId reviewer { displayName } }
    }
  }
`);

export const FlagQuery = graphql(`
  query Flag($id: ID!, $boardId: ID!, $identityId: ID!) {
    scoreFlag(id: $id) {
      id
      flagType
      confidence
      status
      explanation
      details { label text }
      usual { entries median from to }
      isTest
      createdAt
      reviewedAt
      reviewerDecision
      reviewer { displayName }
      device { id platform status }
      heldRank
      scoreEvent { id value valueDisplay createdAt isTest }
      comparedEvents { id value valueDisplay createdAt identityId identity { displayName } }
      board { id name shortCode unit format { kind decimals timeUnit } boardType sortDirection keepStrategy ranking { totalCount entry(identityId: $identityId) { rank } } game { slug name } }
      identity {
        id
        displayName
        trustTier
        createdAt
        devices(first: 5) { nodes { id platform } pageInfo { hasNextPage } }
        scoreFlags(first: 50) { nodes { id status boardId } pageInfo { hasNextPage } }
      }
    }
    runs: scoreEvents(filter: {boardId: $boardId, identityId: $identityId}, first: 60) {
      nodes { id value valueDisplay createdAt isTest }
      pageInfo { hasNextPage }
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
        board { id ranking { entry(identityId: $identityId) { rank } } }
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
        board { name unit format { kind decimals timeUnit } }
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
