import { tagValueOf } from '../../boards/views/tag-value.js';
import type { PeriodFacts, RankingKey, ViewFacts } from './rankings.js';
import { rankingId } from './rankings.js';

/** The parts of an event that decide its rankings. */
interface RankedEvent {
  /** Epoch milliseconds: when it was accepted, or when an imported one occurred. */
  at: number;
  country: string | null;
  /** Declared dimensions and, on boards with a view by platform, `platform`. */
  tags: Readonly<Record<string, string | null>> | null;
}

/** A ranking that an event is in. */
export interface Placement extends RankingKey {
  id: string;
  name: string;
  periodKey: string;
  /** The view's index in the batch. */
  index: number;
}

/** A view with the period that contains a given time. */
export interface PresentView {
  view: ViewFacts;
  period: PeriodFacts;
}

/** The views that have a period at an instant. */
export function presentViews(views: readonly ViewFacts[], at: number): PresentView[] {
  return views.flatMap((view) => {
    const period = view.periods.find(({ startsAt, endsAt }) => startsAt <= at && at < endsAt);
    return period ? [{ view, period }] : [];
  });
}

/** Null: the event lacks one of the tags and is not in the view. */
function groupOf(by: readonly string[], { country, tags }: RankedEvent): string | null {
  let group = '';
  for (const [i, tag] of by.entries()) {
    const value = tag === 'country' ? country : tagValueOf(tags?.[tag]);
    if (!value) return null;
    group += i > 0 ? `,${value}` : value;
  }
  return group;
}

/**
 * The rankings that an event is in, of views that have a period at its time. `ranking_keys` in SQL is equivalent.
 */
export function placementsOf(present: readonly PresentView[], event: RankedEvent): Placement[] {
  const placements: Placement[] = [];
  present.forEach(({ view: { no, name, by, rules }, period: { number, key } }, index) => {
    const group = groupOf(by, event);
    if (group === null) return;
    const built = rules !== null;
    const id = rankingId({ view: no, period: number, group, built });
    placements.push({ view: no, period: number, group, built, id, name, periodKey: key, index });
  });
  return placements;
}

/** True if every event in a ranking of the finer view is also in the matching ranking of the coarser view. */
export function isWithin(finer: PresentView, coarser: PresentView): boolean {
  return (
    finer.view.rules === null &&
    coarser.view.rules === null &&
    finer.period.startsAt >= coarser.period.startsAt &&
    finer.period.endsAt <= coarser.period.endsAt &&
    coarser.view.by.every((tag) => finer.view.by.includes(tag))
  );
}
