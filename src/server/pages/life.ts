import type { PageBoard } from './queries.js';
import type { ShownView } from './views/facts.js';

export type PageLife = Pick<PageBoard, 'phase' | 'startsAt' | 'endsAt' | 'secondsToStart' | 'secondsToEnd'>;

/** The life of what is shown: of a period, not of its board. */
export function lifeOf(facts: PageBoard, of: ShownView | undefined): PageLife {
  if (!of?.period) return facts;
  const { state, endsAt: end } = of.period;
  const none = { startsAt: null, secondsToStart: null };
  if (state !== 'OPEN') return { ...none, phase: 'ENDED', endsAt: end, secondsToEnd: null };
  if (facts.phase !== 'LIVE') return facts;
  const endsAt = facts.endsAt !== null && Date.parse(facts.endsAt) < Date.parse(end) ? facts.endsAt : end;
  const secondsToEnd = Math.max(0, Math.ceil((Date.parse(endsAt) - of.readAt) / 1_000));
  return { ...none, phase: 'LIVE', endsAt, secondsToEnd };
}
