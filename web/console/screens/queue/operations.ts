import { graphql } from '../../generated/gql.js';
import type { FlagQuery as FlagAnswer, QueueQuery as QueueAnswer } from '../../generated/graphql.js';

export const QueueQuery = graphql(`
  query Queue($accountId: ID!, $filter: FlaggedPlayerFilter!, $first: Int!, $after: String) {
    flaggedPlayers(accountId: $accountId, filter: $filter, first: $first, after: $after) {
      nodes {
        identityId
        pendingFlags
        game { slug }
        identity { displayName }
        flags {
          id flagType confidence status createdAt boardId identityId heldRank podium
          board { name unit format { kind decimals timeUnit } } game { slug } identity { displayName trustTier } scoreEvent {
            value valueDisplay } reviewerName
        }
      }
      pageInfo { hasNextPage endCursor }
      liveCursor
    }
  }
`);

export type PlayerFields = QueueAnswer['flaggedPlayers']['nodes'][number];
export type FlagFields = PlayerFields['flags'][number];

export const OneFlagQuery = graphql(`
  query OneFlag($id: ID!) {
    scoreFlag(id: $id) {
      id flagType confidence status createdAt boardId identityId heldRank podium
      board { name unit format { kind decimals timeUnit } } game { slug } identity { displayName trustTier } scoreEvent {
        value valueDisplay } reviewerName
    }
  }
`);

export const NewFlagSubscription = graphql(`
  subscription NewFlag($accountId: ID!, $gameId: ID, $after: String) {
    scoreFlagged(accountId: $accountId, gameId: $gameId, after: $after) {
      cursor
      scoreFlag {
        id flagType confidence status createdAt boardId identityId heldRank podium
        board { name unit format { kind decimals timeUnit } } game { slug } identity { displayName trustTier } scoreEvent {
          value valueDisplay } reviewerName
      }
    }
  }
`);

export const FlagReviewedSubscription = graphql(`
  subscription FlagReviewed($accountId: ID!, $gameId: ID, $after: String) {
    scoreFlagReviewed(accountId: $accountId, gameId: $gameId, after: $after) {
      cursor
      scoreFlag { id status reviewedAt reviewerId reviewerName }
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
      reviewerName
      device { id platform status }
      heldRank
      scoreEvent { id value valueDisplay createdAt isTest recording { url bytes leavingAt } verdicts { verdict reason verifier verifierVersion passId createdAt undoneAt } run { startedAt elapsedMs idleMs runMs splits advance attempt seed gameVersion } }
      comparedEvents { id value valueDisplay createdAt identityId identity { displayName } }
      board { id name shortCode unit format { kind decimals timeUnit } boardType sortDirection keepStrategy ranking {
        totalCount entry(identityId: $identityId) { rank } } views { name } entriesOf(identityId: $identityId) { rank ranking
          { view periodKey tags { name value } totalCount } } game { slug name } }
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
  mutation Review($ids: [ID!]!, $status: FlagStatus!, $reason: String, $single: Boolean!, $identityId: ID!) {
    reviewScoreFlags(input: { ids: $ids, status: $status, reviewerDecision: $reason }) {
      scoreFlags {
        id
        status
        board @include(if: $single) { id ranking { entry(identityId: $identityId) { rank } } }
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

export const AlertsQuery = graphql(`
  query Alerts($accountId: ID!, $gameId: ID, $boardId: ID, $after: String) {
    alerts(accountId: $accountId, filter: { gameId: $gameId, boardId: $boardId, status: OPEN }, first: 5, after: $after) {
      nodes { id kind explanation createdAt game { name slug } board { name shortCode } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const AlertRaisedSubscription = graphql(`
  subscription AlertRaised($accountId: ID!, $gameId: ID) {
    alertRaised(accountId: $accountId, gameId: $gameId) { cursor alert { id } }
  }
`);

export const DismissAlertMutation = graphql(`
  mutation DismissAlert($id: ID!) {
    updateAlert(input: { id: $id, status: DISMISSED }) { alert { id status } }
  }
`);

export const CommentsQuery = graphql(`
  query Comments($id: ID!, $after: String) {
    identity(id: $id) {
      id
      comments(first: 20, after: $after) {
        nodes { id text createdAt authorId authorName scoreFlag { id flagType board { name } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const CommentMutation = graphql(`
  mutation Comment($input: CreateCommentInput!) {
    createComment(input: $input) { comment { id } }
  }
`);

export const DeleteCommentMutation = graphql(`
  mutation DeleteComment($id: ID!) {
    deleteComment(input: { id: $id }) { deletedId }
  }
`);
