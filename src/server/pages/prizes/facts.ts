import { webOriginOf } from '../../../base/outbound/web-origin.js';
import type { PageView } from '../address.js';
import type { PageBoard, RunQuery } from '../queries.js';
import type { ShownScore } from '../ranking.js';
import type { ShownView } from '../views/facts.js';
import { rankingVariables } from '../views/reads.js';

/** A line of prizes, as pages show it. */
export interface PrizeFacts {
  firstRank: number | null;
  lastRank: number | null;
  percent: number | null;
  reached: number | null;
  minimumRuns: number | null;
  minimumAgeHours: number | null;
  provenOnly: boolean | null;
  title: string;
  pictureUrl: string | null;
}

/** The prizes of a ranking. */
interface PrizesFacts {
  minimumEntries: number;
  lines: PrizeFacts[];
}

/** Prizes of ranks, by rank. The page's script has them from the section of the ranking. */
export type RankPrizes = Record<number, Pick<PrizeFacts, 'title' | 'pictureUrl'>>;

/** A closed ranking with its podium. */
interface ClosingFacts {
  period: string | null;
  endedAt: string;
  podium: Omit<ShownScore, 'id' | 'rank'>[];
}

/** What a page shows of closings: of the ranking that it shows. */
export interface ShownClosings {
  /** Null: none, or the ranking is over. */
  prizes: PrizesFacts | null;
  /** Of the ranks that it shows. */
  ofRanks: RankPrizes;
  winners: ClosingFacts[];
}

interface ReadClosings extends Omit<ShownClosings, 'ofRanks'> {
  ofRanks: { rank: number; prize: RankPrizes[number] }[] | null;
}

/** Operations of closings, a part of the pages' document. */
export const CLOSING_OPERATIONS = `
  query BoardClosings($code: String!, $view: String, $where: [TagInput!], $from: Int!, $size: Int!) {
    publicBoard(by: { shortCode: $code }) {
      prizes(view: $view) {
        minimumEntries
        lines { firstRank lastRank percent reached minimumRuns minimumAgeHours provenOnly title pictureUrl }
      }
      ofRanks: prizesOfRanks(view: $view, where: $where, startRank: $from, first: $size) { rank prize { title pictureUrl } }
      winners: pastWinners(view: $view, where: $where) {
        period endedAt podium { identityId displayRank playerName value valueDisplay }
      }
    }
  }
`;

/** Reads the closings of a ranking; undefined: the board has none, or the ranking is not chosen yet. */
export async function readPageClosings(
  run: RunQuery,
  { hasClosings, shortCode: code }: PageBoard,
  { from, size }: Pick<PageView, 'from' | 'size'>,
  of?: ShownView,
): Promise<ShownClosings | undefined> {
  if (!hasClosings || (of && !of.isChosen)) return undefined;
  const { view, where } = of ? rankingVariables(of) : {};
  const variables = { code, view, where, from, size };
  const { prizes, ofRanks, winners } = await run<ReadClosings>('BoardClosings', 'publicBoard', variables);
  if (of?.period !== undefined && of.period.state !== 'OPEN') return { prizes: null, ofRanks: {}, winners };
  return {
    prizes,
    ofRanks: Object.fromEntries((ofRanks ?? []).map(({ rank, prize }) => [rank, prize])),
    winners,
  };
}

/** Where the pictures of prizes come from. */
export function pictureOrigins(closings: ShownClosings | undefined): string[] {
  const addresses = (closings?.prizes?.lines ?? []).flatMap(({ pictureUrl }) => pictureUrl ?? []);
  return [...new Set(addresses.flatMap((address) => webOriginOf(address) ?? []))];
}
