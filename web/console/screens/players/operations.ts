import { graphql } from '../../generated/gql.js';
import type { PlayerQuery as Answer } from '../../generated/graphql.js';

export const PlayerQuery = graphql(`
  query Player($id: ID!) {
    identity(id: $id) {
      id
      displayName
      kind
      externalKey
      trustTier
      trustTierReason
      createdAt
      gameId
      game { id name slug }
      proofs { provider kind subject provenAt lastProvenAt }
      devices: actingDevices {
        isLinked
        device {
          id identityId linkedIdentityId platform status firstSeenAt lastSeenAt
          identity { id displayName }
          linkedIdentity { id displayName }
          sessions(first: 10) { nodes { id status ipAddress createdAt } }
        }
      }
      scores(first: 30) {
        nodes {
          id
          rank
          value
          valueDisplay
          percentile
          updatedAt
          status
          board {
            id name shortCode unit format { kind decimals timeUnit } sortDirection views { name } tickets { mode }
          }
        }
      }
    }
  }
`);

export type PlayerDetails = Answer['identity'];

/** Players of a game by the beginning of their names. */
export const FindPlayersQuery = graphql(`
  query FindPlayers($slug: String!, $name: String!, $first: Int!) {
    game(by: { slug: $slug }) {
      id
      findIdentities(name: $name, first: $first) {
        id displayName trustTier
        activity { lastSeenAt runs pendingFlags devices bannedDevices suspendedDevices }
      }
    }
  }
`);

export const PlayerRunsQuery = graphql(`
  query PlayerRuns($boardId: ID!, $identityId: ID!) {
    scoreEvents(filter: {boardId: $boardId, identityId: $identityId}, first: 100) {
      nodes { id value createdAt isTest }
    }
  }
`);

/** Every run of a player with what became of it, as of when it is read. */
export const PlayerRunListQuery = graphql(`
  query PlayerRunList($identityId: ID!, $after: String) {
    scoreEvents(filter: {identityId: $identityId}, first: 25, after: $after) {
      nodes {
        id value valueDisplay createdAt isTest
        board { id name shortCode boardType unit format { kind decimals timeUnit } }
        flags { id flagType status }
        outcome { state displayRank wouldRank views { view periodKey tagValues displayRank } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const PlayerTagsQuery = graphql(`
  query PlayerTags($id: ID!, $gameId: ID!) {
    identity(id: $id) { id tags { name value } }
    boards(filter: {gameId: $gameId}, first: 100) { nodes { id dimensions { name source values } } }
    boardTemplates(filter: {gameId: $gameId}, first: 100) { nodes { id dimensions { name source values } } }
  }
`);

export const SetPlayerTagsMutation = graphql(`
  mutation SetPlayerTags($input: SetIdentityTagsInput!) {
    setIdentityTags(input: $input) { identity { id } }
  }
`);

/** With the player, so that the client reads it again when the tags change. */
export const PlayerViewsQuery = graphql(`
  query PlayerViews($boardId: ID!, $identityId: ID!) {
    board(by: { id: $boardId }) {
      id
      entriesOf(identityId: $identityId) {
        displayRank
        value
        valueDisplay
        ranking { view periodKey tags { value } totalCount }
      }
    }
    identity(id: $identityId) { id }
  }
`);

/** With the player, so that the client reads it again when its runs change. */
export const PlayerSplitsQuery = graphql(`
  query PlayerSplits($boardId: ID!, $identityId: ID!) {
    board(by: { id: $boardId }) {
      id
      bestSplits(identityId: $identityId) { number atMs segmentMs }
      ranking { isTest entry(identityId: $identityId) { splits } }
    }
    identity(id: $identityId) { id }
  }
`);

export const UpdatePlayerMutation = graphql(`
  mutation UpdatePlayer($input: UpdateIdentityInput!) {
    updateIdentity(input: $input) { identity { id displayName trustTier trustTierReason } }
  }
`);

export const UpdateDeviceMutation = graphql(`
  mutation UpdateDevice($input: UpdateDeviceInput!) {
    updateDevice(input: $input) { device { id status } }
  }
`);

export const RemoveProofMutation = graphql(`
  mutation RemoveProof($input: RemovePlayerProofInput!) { removePlayerProof(input: $input) { identityId count } }
`);

export const UnlinkDeviceMutation = graphql(`
  mutation UnlinkDevice($input: UnlinkDeviceInput!) { unlinkDevice(input: $input) { count } }
`);

export const UpdateSessionMutation = graphql(`
  mutation UpdateSession($input: UpdateDeviceSessionInput!) {
    updateDeviceSession(input: $input) { deviceSession { id status } }
  }
`);
