import type { BoardQuery, ClosingRuleInput, PrizeTableInput } from '../../generated/graphql.js';

/** A closing rule as the form holds it: numbers as texts of their fields. */
export interface RuleDraft {
  key: number;
  /** Empty: the board's own ranking. */
  view: string;
  settleMinutes: string;
  /** Empty: reviews do not delay it. */
  reviewTop: string;
  reviewHours: string;
  places: string;
  /** The form does not change them. */
  prizes: PrizeTableInput | null;
}

export interface StoredRule {
  view?: string | null;
  settleMinutes: number;
  reviewTop?: number | null;
  reviewHours: number;
  places: number;
  prizes?: BoardQuery['board']['closingRules'][number]['prizes'];
}

/** What a new rule has when nothing is chosen. */
const NEW_RULE: StoredRule = { settleMinutes: 60, reviewTop: 10, reviewHours: 72, places: 10 };

export function newRule(key: number, view: string): RuleDraft {
  return ruleDraft(key, { ...NEW_RULE, view });
}

export function ruleDraft(key: number, rule: StoredRule): RuleDraft {
  const { view, settleMinutes, reviewTop, reviewHours, places, prizes } = rule;
  return {
    ...{ key, view: view ?? '', settleMinutes: String(settleMinutes), reviewTop: String(reviewTop ?? '') },
    ...{ reviewHours: String(reviewHours), places: String(places), prizes: prizesInput(prizes) },
  };
}

/** Without the names of types that answers have. */
function prizesInput(prizes: StoredRule['prizes']): PrizeTableInput | null {
  if (!prizes) return null;
  const { minimumEntries, ties, tieLimit, expiresDays, lines } = prizes;
  return {
    ...{ minimumEntries, ties, tieLimit, expiresDays },
    lines: lines.map(({ name, firstRank, lastRank, percent, reached, title, pictureUrl, grant }) => ({
      ...{ name, firstRank, lastRank, percent, reached, title, pictureUrl, grant },
    })),
  };
}

export function ruleInput({ view, reviewTop, prizes, ...rule }: RuleDraft): ClosingRuleInput {
  return {
    view: view || null,
    settleMinutes: Number(rule.settleMinutes),
    reviewTop: reviewTop.trim() === '' ? null : Number(reviewTop),
    reviewHours: Number(rule.reviewHours),
    places: Number(rule.places),
    prizes,
  };
}
