import { When } from '../../parts/time.js';
import type { NextClosing, RuleDraft } from './rule-draft.js';
import { RULE_TEXTS as text } from './texts.js';

interface ClosingWhenProps {
  rule: RuleDraft;
  /** Of a stored board. */
  next: readonly NextClosing[] | undefined;
}

/** What happens when at the end of a ranking, with the date of the next one where it is known. */
export function ClosingWhen({ rule, next }: ClosingWhenProps) {
  const { view, settleMinutes, reviewTop, reviewHours } = rule;
  const end = next?.find((one) => (one.view ?? '') === view)?.endsAt;
  return (
    <>
      {end ? (
        <>
          {text.closes} <When at={end} />.
        </>
      ) : view === '' ? (
        text.closesWithBoard
      ) : (
        text.closesWithPeriod
      )}{' '}
      {text.fixed(settleMinutes || '0')}
      {reviewTop && ` ${text.waits(reviewTop, reviewHours)}`}
    </>
  );
}
