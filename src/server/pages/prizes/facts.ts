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
  title: string;
  pictureUrl: string | null;
}

/** The prizes of a ranking. */
export interface PrizesFacts {
  minimumEntries: number;
  ties: 'RANK' | 'ALL' | 'SHARE';
  lines: PrizeFacts[];
}

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
  winners: ClosingFacts[];
}

/** Operations of closings, a part of the pages' document. */
export const CLOSING_OPERATIONS = `
  query BoardClosings($code: String!, $view: String, $where: [TagInput!]) {
    publicBoard(by: { shortCode: $code }) {
      prizes(view: $view) { minimumEntries ties lines { firstRank lastRank percent reached minimumRuns minimumAgeHours title pictureUrl } }
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
  of?: ShownView,
): Promise<ShownClosings | undefined> {
  if (!hasClosings || (of && !of.isChosen)) return undefined;
  const { view, where } = of ? rankingVariables(of) : {};
  const { prizes, winners } = await run<ShownClosings>('BoardClosings', 'publicBoard', { code, view, where });
  const isOver = of?.period !== undefined && of.period.state !== 'OPEN';
  return { prizes: isOver ? null : prizes, winners };
}

/** Where the pictures of prizes come from. */
export function pictureOrigins(closings: ShownClosings | undefined): string[] {
  const addresses = (closings?.prizes?.lines ?? []).flatMap(({ pictureUrl }) => pictureUrl ?? []);
  return [...new Set(addresses.map((address) => new URL(address).origin))];
}
