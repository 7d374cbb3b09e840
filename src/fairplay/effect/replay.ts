import { rankKeyOf } from '../../rankings/kept-entry.js';
import {
  RECENT_LIMIT,
  RECENT_MILLIS,
  RecentSubmissions,
} from '../../submissions/facts/recent-submissions.js';
import { type Assessment, type BoardStatistics, check } from '../checks/checks.js';
import type { History } from '../checks/finding.js';
import { countUpTo, type Thresholds } from '../checks/thresholds.js';
import type { Played, PlayedBoard, PlayerBefore } from './window.js';

interface Known extends History {
  tier: PlayerBefore['trust_tier'];
  /** Times of the accepted submissions, oldest first. */
  times: number[];
}

/** Checks a board's submissions again, one after the other, with other thresholds; the checks are those of new submissions. */
export class Replay {
  readonly #players = new Map<string, Known>();
  readonly #countsHours: boolean;

  constructor(
    private readonly board: PlayedBoard,
    private readonly thresholds: Thresholds,
    private readonly statistics: BoardStatistics | undefined,
    players: readonly PlayerBefore[],
    events: readonly Played[],
  ) {
    this.#countsHours = countUpTo(thresholds) !== null;
    const amounts = new Map<string, number[]>(players.map(({ identity_id }) => [identity_id, []]));
    for (const { identity_id, amount, held } of events) if (!held) amounts.get(identity_id)?.push(amount);
    for (const player of players) {
      this.#players.set(player.identity_id, knownOf(board, player, amounts.get(player.identity_id)!));
    }
  }

  /** @param event the next one of the board */
  check({ identity_id, judged_at: at, amount, held }: Played): Assessment {
    const known = this.#players.get(identity_id)!;
    const { board_type: boardType, sort_direction: sortDirection } = this.board;
    const acceptedInHour = this.#countsHours ? countSince(known.times, at - RECENT_MILLIS) : null;
    const history = { ...known, recent: known.recent.asOf(at), acceptedInHour };
    const tier = known.tier ?? this.thresholds.defaultTier;
    const submitted = { boardType, sortDirection, tier, at, amount };
    const checked = check(history, submitted, this.thresholds, this.statistics);
    if (checked.disposition !== 'rejected') this.#pace(known, at, amount);
    if (checked.disposition === 'accepted' || (checked.disposition === 'flagged' && !held))
      this.#count(known, amount);
    return checked;
  }

  #pace(known: Known, at: number, amount: number): void {
    known.recent = known.recent.with(at, amount);
    if (this.#countsHours) known.times.push(at);
  }

  #count(known: Known, amount: number): void {
    known.acceptedCount += 1;
    known.bestValue = better(this.board, known.bestValue, amount);
    known.entryValue = this.board.board_type === 'counter' ? (known.entryValue ?? 0) + amount : amount;
  }
}

/** @param own amounts of the player in the window */
function knownOf(board: PlayedBoard, player: PlayerBefore, own: readonly number[]): Known {
  const { trust_tier: tier, earlier, accepted_count, best_value, value } = player;
  const recent = RecentSubmissions.of(earlier);
  const times = Array.from({ length: recent.size }, (_, i) => recent.timeAt(i));
  const acceptedCount = Math.max(recent.size, accepted_count - own.length);
  let bestValue: number | null = null;
  for (let i = 0; i < recent.size; i += 1) bestValue = better(board, bestValue, recent.amountAt(i));
  // A best that the window does not hold is older than what was read.
  if (recent.size === RECENT_LIMIT && best_value !== null && !own.includes(best_value))
    bestValue = better(board, bestValue, best_value);
  const sum = own.reduce((a, b) => a + b, 0);
  const entryValue = acceptedCount === 0 || value === null ? null : value - sum;
  return { tier, recent, times, acceptedInHour: null, acceptedCount, bestValue, entryValue };
}

function better({ sort_direction }: PlayedBoard, best: number | null, amount: number): number {
  if (best === null) return amount;
  return rankKeyOf(amount, sort_direction) < rankKeyOf(best, sort_direction) ? amount : best;
}

function countSince(times: readonly number[], since: number): number {
  let count = 0;
  while (count < times.length && times[times.length - 1 - count]! > since) count += 1;
  return count;
}
