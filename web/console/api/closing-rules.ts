import { graphql } from '../generated/gql.js';
import type { ClosingRuleFieldsFragment } from '../generated/graphql.js';

const FIELDS = graphql(`
  fragment ClosingRuleFields on ClosingRule {
    view
    settleMinutes
    reviewTop
    reviewHours
    places
    prizes {
      minimumEntries
      ties
      tieLimit
      expiresDays
      lines { name firstRank lastRank percent reached minimumRuns minimumAgeHours provenOnly title pictureUrl grant }
    }
  }
`);

/** A closing rule of a board or a template, as the service returns it. */
export type StoredRule = ClosingRuleFieldsFragment;

/** An operation with the fragment that it names: in the bundle both are texts. */
export function withClosingRules<T>(operation: T): T {
  return `${operation}${FIELDS}` as T;
}
