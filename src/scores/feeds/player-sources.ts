import type { LiveState } from '../../graphql/live/watched.js';
import type { FollowedRanking } from '../../live/followed-ranking.js';
import type { Mover } from '../../live/movers.js';
import { type RankedStandings, type Round, Source, type States } from '../../live/source.js';
import type { Standing } from '../../live/standings.js';
import type { ChosenRanking } from '../../rankings/address.js';
import { isBefore } from '../../rankings/order.js';
import { NextAbove, Overtaken, Overtaker, RankChange } from './changes.js';

function differs(a: Standing | null, b: Standing | null): boolean {
  if (a === b || !a || !b) return a !== b;
  return (
    a.rank !== b.rank ||
    a.displayRank !== b.displayRank ||
    a.value !== b.value ||
    a.valueDisplay !== b.valueDisplay ||
    a.playerName !== b.playerName ||
    a.above?.value !== b.above?.value ||
    a.above?.displayRank !== b.above?.displayRank ||
    a.above?.identityId !== b.above?.identityId ||
    a.above?.playerName !== b.above?.playerName
  );
}

function nextAbove({ above, rank, value }: Standing): NextAbove | null {
  if (!above) return null;
  const next = new NextAbove();
  next.rank = rank - 1;
  next.displayRank = above.displayRank ?? rank - 1;
  next.value = above.value;
  next.playerName = above.playerName;
  next.identityId = above.identityId;
  next.difference = Math.abs(above.value - value);
  return next;
}

/** Written out field by field: thousands are made per tick. */
function changeOf(
  { version, entryCount, ranking }: RankedStandings,
  identityId: string,
  now: Standing | null,
  previousRank: number | null,
): RankChange {
  const change = new RankChange();
  change.boardId = ranking.boardId;
  change.version = version;
  change.view = ranking.view;
  change.key = ranking.key;
  change.identityId = identityId;
  change.rank = now?.rank ?? null;
  change.displayRank = now?.displayRank ?? change.rank;
  change.previousRank = previousRank;
  change.value = now?.value ?? null;
  change.valueDisplay = now?.valueDisplay ?? null;
  change.playerName = now?.playerName ?? null;
  change.entryCount = entryCount;
  change.nextAbove = now ? nextAbove(now) : null;
  return change;
}

/**
 * Standings of some players: a new state for each player whose rank, display rank, value or next player above
 * differs.
 */
export class RankSource extends Source {
  override readonly isOfMoves = true;
  /** Last standing sent, by player; undefined: none was sent, null: the player was not on the board. */
  readonly #last: (Standing | null | undefined)[] = [];

  #ranking: ChosenRanking | undefined;

  constructor(
    followed: FollowedRanking,
    isTest: boolean,
    override readonly identityIds: readonly string[],
  ) {
    super(followed, isTest);
  }

  /** The first source of a round awaits the read; the others use its result. */
  states(round: Round): States | undefined | Promise<States | undefined> {
    const read = round.known(this);
    return read ? this.#since(read) : round.standings(this).then((standings) => this.#since(standings));
  }

  #since(standings: RankedStandings): States | undefined {
    const { version, ranking } = standings;
    const isOther = ranking !== this.#ranking;
    this.#ranking = ranking;
    const states: LiveState[] = [];
    for (let i = 0; i < this.identityIds.length; i += 1) {
      const identityId = this.identityIds[i]!;
      const now = standings.of.get(identityId) ?? null;
      const before = this.#last[i];
      const changed = before === undefined || isOther || differs(before, now);
      if (!changed && !this.due) continue;
      this.#last[i] = now;
      const root = changeOf(standings, identityId, now, before?.rank ?? null);
      // Needed only if a listener waits for the present state.
      const first = this.due && before ? changeOf(standings, identityId, now, null) : root;
      states.push({ item: identityId, version, root, first, changed });
    }
    return states.length > 0 ? states : undefined;
  }
}

const MOST_NAMED = 10;

/** Movers that were behind this player, or not ranked, and are ahead now. */
function passed(movers: readonly Mover[], me: string, before: Standing, now: Standing): Mover[] {
  return movers.filter(
    (mover) =>
      mover.identityId !== me && isBefore(mover, now) && (!mover.before || isBefore(before, mover.before)),
  );
}

/** The last of them by rank: those right above. */
function nearest(movers: readonly Mover[]): Overtaker[] {
  return movers
    .slice(-MOST_NAMED)
    .map(({ rank, value, playerName, identityId }) =>
      Object.assign(new Overtaker(), { rank, value, playerName, identityId }),
    );
}

/** Notifies a player who is overtaken. */
export class OvertakenSource extends Source {
  override readonly isOfMovers = true;
  override readonly identityIds: readonly string[];
  #last: Standing | undefined;

  constructor(
    followed: FollowedRanking,
    isTest: boolean,
    private readonly identityId: string,
  ) {
    super(followed, isTest);
    this.identityIds = [identityId];
  }

  async states(round: Round): Promise<States | undefined> {
    const { version, entryCount, of, movers, ranking } = await round.standings(this);
    const now = of.get(this.identityId);
    const before = this.#last;
    const by = now && before ? passed(await movers, this.identityId, before, now) : [];
    this.#last = now;
    const changed = by.length > 0;
    if (!changed && !this.due) return undefined;
    const { rank = null, value = null } = now ?? {};
    const seen = { boardId: ranking.boardId, version, rank, value, entryCount };
    const first = Object.assign(new Overtaken(), { ...seen, previousRank: null, count: 0, by: [] });
    const details = { previousRank: before?.rank ?? null, count: by.length, by: nearest(by) };
    const root = changed ? Object.assign(new Overtaken(), { ...seen, ...details }) : first;
    return [{ item: '', version, root, first, changed }];
  }
}
