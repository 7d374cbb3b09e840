import { registerEnumType } from 'type-graphql';
import type { Board } from './board.js';

export const BoardPhase = {
  UPCOMING: 'upcoming',
  LIVE: 'live',
  ENDED: 'ended',
  INACTIVE: 'inactive',
} as const;
export type BoardPhase = (typeof BoardPhase)[keyof typeof BoardPhase];

registerEnumType(BoardPhase, {
  name: 'BoardPhase',
  description: 'Where a board is in its life.',
  valuesConfig: {
    UPCOMING: { description: 'It will take submissions from its start on.' },
    LIVE: { description: 'It takes submissions.' },
    ENDED: { description: 'Its end has come: its ranks stay as they are.' },
    INACTIVE: { description: 'It was deactivated before its end.' },
  },
});

type Life = Pick<Board, 'isActive' | 'startsAt' | 'endsAt'>;

/** @param now epoch milliseconds; an ended board may still be active until the job has run */
export function phaseOf({ isActive, startsAt, endsAt }: Life, now: number): BoardPhase {
  if (endsAt && endsAt.getTime() <= now) return 'ended';
  if (!isActive) return 'inactive';
  return startsAt && startsAt.getTime() > now ? 'upcoming' : 'live';
}

/** Whole seconds, rounded up, until an upcoming board starts; null for all others. */
export function secondsToStart(board: Life, now: number): number | null {
  return phaseOf(board, now) === 'upcoming' ? secondsUntil(board.startsAt, now) : null;
}

/** Whole seconds, rounded up, until a live or upcoming board ends; null for all others and when it has no end. */
export function secondsToEnd(board: Life, now: number): number | null {
  const phase = phaseOf(board, now);
  return phase === 'live' || phase === 'upcoming' ? secondsUntil(board.endsAt, now) : null;
}

function secondsUntil(moment: Date | null, now: number): number | null {
  return moment && Math.ceil((moment.getTime() - now) / 1_000);
}
