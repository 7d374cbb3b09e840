import { type Html, html } from '../../../base/html.js';
import { shownNumber } from '../../../base/value-format.js';
import type { DetailedValue } from '../details.js';
import { texts } from '../texts.js';
import type { PrizeFacts } from './facts.js';

/** Prizes beside ranks, and what they depend on. The page's script has them from the section of the ranking. */
export interface RankPrizes {
  lines: readonly PrizeFacts[];
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

/** The first line that an entry would get. @param players entries of the ranking */
function prizeOf(
  { lines, lowerIsBetter }: RankPrizes,
  { displayRank: rank, value }: { displayRank: number; value: number },
  players: number,
): PrizeFacts | undefined {
  return lines.find((line) => {
    const { reached } = line;
    if (reached !== null) return lowerIsBetter ? value <= reached : value >= reached;
    const last = lastRankOf(line, players);
    return last === undefined || (rank >= (line.firstRank ?? 1) && rank <= last);
  });
}

export function prizePicture({ pictureUrl }: PrizeFacts): Html | undefined {
  if (pictureUrl === null) return undefined;
  return html`<img src="${pictureUrl}" alt="" width="20" height="20" loading="lazy" referrerpolicy="no-referrer">`;
}

/** Renders the prize that an entry would get. @param players entries of the ranking */
export function prizeBeside(prizes: RankPrizes | undefined, players: number) {
  if (!prizes) return undefined;
  return ({ displayRank, value }: DetailedValue): Html | undefined => {
    const prize = displayRank !== undefined && prizeOf(prizes, { displayRank, value }, players);
    return prize
      ? html`<span class="prize" dir="auto">${prizePicture(prize)}${prize.title}</span>`
      : undefined;
  };
}

/** Who a line gives to, in words. @param value a value as the board shows it */
export function prizeRule(
  { firstRank, lastRank, percent, reached }: PrizeFacts,
  value: (of: number) => string,
) {
  if (firstRank !== null) return texts.prizeRanks(shownNumber(firstRank), shownNumber(lastRank ?? firstRank));
  if (percent !== null) return texts.prizeShare(shownNumber(percent));
  return reached === null ? texts.prizeAll : texts.prizeReached(value(reached));
}
