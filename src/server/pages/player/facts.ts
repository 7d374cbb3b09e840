import type { Measure } from '../../../base/value-format.js';
import type { PageBoard } from '../queries.js';
import type { ShownScore } from '../ranking.js';
import type { Valued } from '../value.js';

/** An entry of the player in the current ranking of a view. */
export interface ViewEntry extends ShownScore {
  ranking: {
    view: string;
    periodKey: string;
    startsAt: string | null;
    endsAt: string | null;
    tags: { name: string; value: string }[];
    totalCount: number;
  };
}

/** What a player's page shows on any board. */
export interface PlayerFacts {
  ranking: {
    leader: { nodes: ShownScore[] };
    /** Null: the player is not on the board. */
    entry: (ShownScore & { updatedAt: string; watchUrl: string | null; verifiedAt: string | null }) | null;
    scores: { nodes: (ShownScore & { updatedAt: string })[]; entryCount: number };
  };
  entriesOf: ViewEntry[];
}

/** A counting run of the player. */
export interface PastRunFacts extends Valued {
  submittedAt: string;
}

/** An entry of the player on another board of the game. */
export interface PlaceElsewhere {
  board: Measure & Pick<PageBoard, 'name' | 'shortCode' | 'icon'>;
  entry: Valued & { displayRank: number; ranking: { totalCount: number } };
}

/** What it shows where the board names `history`; null: it does not, or not any more. */
export interface PlayerPast {
  historyOf: PastRunFacts[] | null;
  placesElsewhere: PlaceElsewhere[] | null;
  /** Entries in the previous periods of views. */
  earlier: ViewEntry[];
}

/** What it shows where the board names `splits`. */
export interface PlayerSplits {
  /** By point. */
  bestSplits: { atMs: number; segmentMs: number }[] | null;
  ranking: {
    leader: { nodes: { splits: number[] | null }[] };
    entry: { rank: number; splits: number[] | null } | null;
  };
}

/** Operations of a player's page, a part of the pages' document. */
export const PLAYER_OPERATIONS = `
  fragment InView on Entry {
    ...Place ranking { view periodKey startsAt endsAt tags { name value } totalCount }
  }
  query PlayerEntry($code: String!, $player: ID!) {
    publicBoard(by: { shortCode: $code }) { ranking { entryCount: totalCount entry(identityId: $player) { ...Place } } }
  }
  query PlayerWatch($code: String!, $player: ID!) {
    publicBoard(by: { shortCode: $code }) { ranking { entry(identityId: $player) { watchUrl } } }
  }
  query Player($code: String!, $player: ID!, $size: Int!) {
    publicBoard(by: { shortCode: $code }) {
      ranking {
        leader: entries(first: 1) { nodes { ...Place } }
        entry(identityId: $player) { ...Place updatedAt watchUrl verifiedAt }
        scores: entries(around: { identityId: $player }, first: $size) {
          entryCount: totalCount nodes { ...Place updatedAt }
        }
      }
      entriesOf(identityId: $player) { ...InView }
    }
  }
  query PlayerMerged($code: String!, $player: ID!) {
    publicBoard(by: { shortCode: $code }) { mergedPlayerId(identityId: $player) }
  }
  query PlayerEarlier($code: String!, $player: ID!, $view: String!, $where: [TagInput!]) {
    publicBoard(by: { shortCode: $code }) {
      ranking(view: $view, period: "previous", where: $where) {
        entry(identityId: $player) { ...InView }
      }
    }
  }
  query PlayerSplits($code: String!, $player: ID!) {
    publicBoard(by: { shortCode: $code }) {
      bestSplits(identityId: $player) { atMs segmentMs }
      ranking {
        leader: entries(first: 1) { nodes { splits } }
        entry(identityId: $player) { rank splits }
      }
    }
  }
  query PlayerPast($code: String!, $player: ID!) {
    publicBoard(by: { shortCode: $code }) {
      historyOf(identityId: $player, first: 100) { value valueDisplay submittedAt }
      placesElsewhere(identityId: $player) {
        board { name shortCode icon unit format { kind decimals timeUnit } }
        entry { value valueDisplay displayRank ranking { totalCount } }
      }
    }
  }
`;
