import type { Score, SubmitResult } from 'leaderboard-client';

const numbers = new Intl.NumberFormat('en');

export function points(value: number): string {
  return numbers.format(value);
}

/** The message to the player for a run's result (docs/guides/game-typescript.md, "Messages to players"). */
export function messageOf(result: SubmitResult): string {
  if (result.status === 'queued') return 'Saved on this device. It is sent as soon as there is a connection.';
  if (result.status === 'refused') return `Not counted: ${result.error.message}`;
  const { kept, score } = result;
  if (!kept) return `Your best stays ${points(score.value)}, rank ${score.rank}.`;
  return `${rankOf(result)}${result.isPersonalBest ? ' Your best run!' : ''}${reviewOf(score)}`;
}

type Ranked = Extract<SubmitResult, { status: 'ranked' }>;

function rankOf({ rank, previousRank }: Ranked): string {
  if (previousRank === null) return `Rank ${rank}.`;
  if (previousRank > rank) return `Rank ${rank}, up ${previousRank - rank} from ${previousRank}.`;
  return `Rank ${rank}, as before.`;
}

/** Runs that come close together after a time without a connection get the flag `velocity`; they count. */
function reviewOf({ status }: Score): string {
  return status === 'under_review' ? ' It counts; a flag waits for a reviewer.' : '';
}
