import type { Context } from '../graph/context.js';
import type { ScoreEvent } from './event.js';
import { Score } from './score.js';

const HIDDEN = { city: null, country: null, timezone: null };

/** A score as the caller may see it: game clients and visitors get no place, device or event (decisions.md section 6). */
export function scoreFor({ caller }: Pick<Context, 'caller'>, score: Score): Score {
  if (caller.kind === 'admin') return score;
  return Object.assign(new Score(), score, HIDDEN, { deviceId: null, scoreEventId: null });
}

/** An event as the caller may see it: a game client its own, without the place. */
export function eventFor<E extends ScoreEvent | undefined>({ caller }: Pick<Context, 'caller'>, event: E): E {
  return caller.kind === 'admin' || !event ? event : Object.assign(event, HIDDEN);
}
