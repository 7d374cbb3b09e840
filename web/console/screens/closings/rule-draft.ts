import type { StoredRule } from '../../api/closing-rules.js';
import type { ClosingRuleInput } from '../../generated/graphql.js';
import { type PrizeDraft, prizeDraft, prizeInput } from '../prizes/prize-draft.js';

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
  /** Null: nothing is given. */
  prizes: PrizeDraft | null;
}

/** When a ranking of a stored board closes next. */
export interface NextClosing {
  view?: string | null;
  endsAt: string;
}

/** What a new rule has when nothing is chosen. */
const NEW_RULE = { settleMinutes: 60, reviewTop: 10, reviewHours: 72, places: 10, prizes: null };

export function newRule(key: number, view: string): RuleDraft {
  return ruleDraft(key, { ...NEW_RULE, view });
}

export function ruleDraft(key: number, rule: StoredRule): RuleDraft {
  const { view, settleMinutes, reviewTop, reviewHours, places, prizes } = rule;
  return {
    ...{ key, view: view ?? '', settleMinutes: String(settleMinutes), reviewTop: String(reviewTop ?? '') },
    ...{
      reviewHours: String(reviewHours),
      places: String(places),
      prizes: prizes ? prizeDraft(prizes) : null,
    },
  };
}

export function ruleInput({ view, reviewTop, prizes, ...rule }: RuleDraft): ClosingRuleInput {
  return {
    view: view || null,
    settleMinutes: Number(rule.settleMinutes),
    reviewTop: reviewTop.trim() === '' ? null : Number(reviewTop),
    reviewHours: Number(rule.reviewHours),
    places: Number(rule.places),
    prizes: prizes && prizeInput(prizes),
  };
}
