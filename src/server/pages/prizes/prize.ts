import { type Html, html } from '../../../base/html.js';
import { shownNumber } from '../../../base/value-format.js';
import { ordinal } from '../../../base/words/ordinal.js';
import type { DetailedValue } from '../details.js';
import { texts } from '../texts.js';
import type { PrizeFacts, RankPrizes } from './facts.js';

/** The prizes that a section of a ranking has in its data. */
export function prizesOf({ prizes }: { prizes?: string }): RankPrizes | undefined {
  return prizes === undefined ? undefined : (JSON.parse(prizes) as RankPrizes);
}

export function prizePicture({ pictureUrl }: Pick<PrizeFacts, 'pictureUrl'>): Html | undefined {
  if (pictureUrl === null) return undefined;
  return html`<img src="${pictureUrl}" alt="" width="20" height="20" loading="lazy" referrerpolicy="no-referrer">`;
}

/** Renders the prize that a place would get. */
export function prizeBeside(
  prizes: RankPrizes | undefined,
): ((score: DetailedValue) => Html | undefined) | undefined {
  if (!prizes) return undefined;
  return ({ rank }) => {
    const prize = rank === undefined ? undefined : prizes[rank];
    return prize && html`<span class="prize" dir="auto">${prizePicture(prize)}${prize.title}</span>`;
  };
}

/** Who a line gives to, in words. @param value a value as the board shows it */
export function prizeRule(prize: PrizeFacts, value: (of: number) => string) {
  const { minimumRuns, minimumAgeHours, provenOnly } = prize;
  const asked = [
    minimumRuns !== null && texts.prizeRuns(shownNumber(minimumRuns)),
    minimumAgeHours !== null && texts.prizeAge(shownNumber(minimumAgeHours)),
    provenOnly === true && texts.prizeProven,
  ];
  return [placesOf(prize, value), ...asked].filter((part) => part !== false).join(' · ');
}

function placesOf({ firstRank, lastRank, percent, reached }: PrizeFacts, value: (of: number) => string) {
  if (firstRank !== null) return texts.prizeRanks(shownNumber(firstRank), shownNumber(lastRank ?? firstRank));
  if (percent !== null) return texts.prizeShare(shownNumber(percent));
  return reached === null ? texts.prizeAll : texts.prizeReached(value(reached));
}

/** The same in the middle of a sentence: `1st`, `2nd–3rd`, `the best 10%`. */
export function prizeFor(
  { firstRank, lastRank, percent, reached }: PrizeFacts,
  value: (of: number) => string,
): string {
  if (firstRank !== null)
    return [...new Set([firstRank, lastRank ?? firstRank])].map((rank) => ordinal(rank)).join('–');
  if (percent !== null) return texts.theBest(shownNumber(percent));
  return reached === null ? texts.everyone : texts.everyoneFrom(value(reached));
}
