import { graphql } from '../../generated/gql.js';
import type { MergePlayersMutation as Answer } from '../../generated/graphql.js';

export const PlayerMergesQuery = graphql(`
  query PlayerMerges($id: ID!) {
    playerMerges(filter: { identityId: $id }, first: 20) {
      nodes {
        id status reason createdAt sourceId targetId sourceName
        requestedBy { id displayName }
        source { id displayName }
        target { id displayName }
      }
    }
  }
`);

export const MergePlayersMutation = graphql(`
  mutation MergePlayers($input: MergePlayersInput!) {
    mergePlayers(input: $input) {
      playerMerge { id status }
      boards {
        boardId runs flags moved
        board { name unit format { kind decimals timeUnit } }
        podium {
          rank moves
          before { playerName value valueDisplay }
          after { playerName value valueDisplay }
        }
      }
    }
  }
`);

export const UndoMergeMutation = graphql(`
  mutation UndoMerge($id: ID!) { undoPlayerMerge(input: { id: $id }) { playerMerge { id status } } }
`);

export type MergedBoards = Answer['mergePlayers']['boards'];
