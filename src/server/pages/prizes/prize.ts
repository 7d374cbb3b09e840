import { type Html, html } from '../../../base/html.js';
import { shownNumber } from '../../../base/value-format.js';
import type { DetailedValue } from '../details.js';
import { texts } from '../texts.js';
import type { PrizeFacts, PrizesFacts } from './facts.js';

/** Prizes beside ranks, and what they depend on. The page's script has them from the section of the ranking. */
export interface RankPrizes extends Pick<PrizesFacts, 'ties' | 'lines'> {
  lowerIsBetter: boolean;
}

/** The prizes that a section of a ranking has in its data. */
export function prizesOf({ prizes }: { prizes?: string }): RankPrizes | undefined {
  return prizes === undefined ? undefined : (JSON.parse(prizes) as RankPrizes);
}

/** The last rank that a line gives to; undefined: it is not by rank. */
function lastRankOf({ lastRank, percent }: PrizeFacts, players: number): number | undefined {
  if (percent !== null) return Math.max(1, Math.ceil((players * percent) / 100));
  return lastRank ?? undefined;
}

/** A place in a ranking. */
interface Place {
  rank: number;
  displayRank: number;
  value: number;
}

/** What an entry is given prizes by, as closings do: its rank for lines by rank, and for shares. */
interface GivenRanks {
  rank: number;
  shareRank: number;
  value: number;
}

/** @param shown the page's entries: of equal values the first one's rank counts, as far as the page has it */
function givenRanks(
  ties: RankPrizes['ties'],
  { rank, displayRank, value }: Place,
  shown: readonly Place[],
): GivenRanks {
  if (ties === 'RANK') return { rank, shareRank: rank, value };
  const first = shown.find((other) => other.value === value)?.rank ?? rank;
  // On boards with dense ranks, shown ranks are below.
  return { rank: ties === 'ALL' ? Math.min(first, displayRank) : first, shareRank: first, value };
}

/** The first line that gives to an entry; whether a player meets what a line asks for is only known at the end. @param players entries of the ranking */
function prizeOf(
  { lines, lowerIsBetter }: RankPrizes,
  { rank, shareRank, value }: GivenRanks,
  players: number,
): PrizeFacts | undefined {
  return lines.find((line) => {
    const { reached, percent, minimumRuns, minimumAgeHours } = line;
    if (minimumRuns !== null || minimumAgeHours !== null) return false;
    if (reached !== null) return lowerIsBetter ? value <= reached : value >= reached;
    const last = lastRankOf(line, players);
    const given = percent === null ? rank : shareRank;
    return last === undefined || (given >= (line.firstRank ?? 1) && given <= last);
  });
}

export function prizePicture({ pictureUrl }: PrizeFacts): Html | undefined {
  if (pictureUrl === null) return undefined;
  return html`<img src="${pictureUrl}" alt="" width="20" height="20" loading="lazy" referrerpolicy="no-referrer">`;
}

/** Renders the prize that a place would get. @param shown the page's places @param players entries of the ranking */
export function prizeBeside(
  prizes: RankPrizes | undefined,
  shown: readonly Place[],
  players: number,
): ((score: DetailedValue) => Html | undefined) | undefined {
  if (!prizes) return undefined;
  return ({ rank, displayRank, value }) => {
    if (rank === undefined || displayRank === undefined) return undefined;
    const prize = prizeOf(prizes, givenRanks(prizes.ties, { rank, displayRank, value }, shown), players);
    return prize && html`<span class="prize" dir="auto">${prizePicture(prize)}${prize.title}</span>`;
  };
}

/** Who a line gives to, in words. @param value a value as the board shows it */
export function prizeRule(prize: PrizeFacts, value: (of: number) => string) {
  const { minimumRuns, minimumAgeHours } = prize;
  const asked = [
    minimumRuns !== null && texts.prizeRuns(shownNumber(minimumRuns)),
    minimumAgeHours !== null && texts.prizeAge(shownNumber(minimumAgeHours)),
  ];
  return [placesOf(prize, value), ...asked].filter((part) => part !== false).join(' · ');
}

function placesOf({ firstRank, lastRank, percent, reached }: PrizeFacts, value: (of: number) => string) {
  if (firstRank !== null) return texts.prizeRanks(shownNumber(firstRank), shownNumber(lastRank ?? firstRank));
  if (percent !== null) return texts.prizeShare(shownNumber(percent));
  return reached === null ? texts.prizeAll : texts.prizeReached(value(reached));
}
