import type { Measure } from '../../base/value-format.js';
import type { LiveState } from '../../graphql/live/watched.js';
import type { FollowedRanking } from '../../live/followed-ranking.js';
import type { Mover } from '../../live/movers.js';
import { type RankedStandings, type Round, Source, type States } from '../../live/source.js';
import type { NamedEntry, Standing } from '../../live/standings.js';
import type { ChosenRanking } from '../../rankings/address.js';
import { isBefore } from '../../rankings/order.js';
import { valueTextOf } from '../value-text.js';
import { LiveEntry, Overtaken, RankChange } from './changes.js';

function differs(a: Standing | null, b: Standing | null): boolean {
  if (a === b || !a || !b) return a !== b;
  return (
    a.rank !== b.rank ||
    a.displayRank !== b.displayRank ||
    a.value !== b.value ||
    a.valueDisplay !== b.valueDisplay ||
    a.playerName !== b.playerName ||
    a.above?.value !== b.above?.value ||
    a.above?.valueDisplay !== b.above?.valueDisplay ||
    a.above?.displayRank !== b.above?.displayRank ||
    a.above?.identityId !== b.above?.identityId ||
    a.above?.playerName !== b.above?.playerName
  );
}

/** Written out field by field: thousands are made per tick. */
function liveEntry(measure: Measure, shown: NamedEntry, rank: number): LiveEntry {
  const { value, playerName, identityId, displayRank } = shown;
  const entry = new LiveEntry();
  entry.rank = rank;
  entry.displayRank = displayRank ?? rank;
  entry.value = value;
  entry.valueDisplay = valueTextOf(measure, shown);
  entry.playerName = playerName;
  entry.identityId = identityId;
  return entry;
}

function changeOf(
  { version, entryCount, ranking, measure }: RankedStandings,
  isTest: boolean,
  identityId: string,
  now: Standing | null,
  previousRank: number | null,
): RankChange {
  const above = now?.above ?? null;
  const change = new RankChange();
  change.boardId = ranking.boardId;
  change.version = version;
  change.identityId = identityId;
  change.entry = now && liveEntry(measure, now, now.rank);
  change.previousRank = previousRank;
  change.nextAbove = above && liveEntry(measure, above, now!.rank - 1);
  change.gapToNext = above && Math.abs(above.value - now!.value);
  change.totalCount = entryCount;
  change.chosen = ranking;
  change.isTest = isTest;
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
  #measure: Measure | undefined;

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
    const { version, ranking, measure } = standings;
    const isOther = ranking !== this.#ranking || measure !== this.#measure;
    this.#ranking = ranking;
    this.#measure = measure;
    const states: LiveState[] = [];
    for (let i = 0; i < this.identityIds.length; i += 1) {
      const identityId = this.identityIds[i]!;
      const now = standings.byPlayer.get(identityId) ?? null;
      const before = this.#last[i];
      const changed = before === undefined || isOther || differs(before, now);
      if (!changed && !this.due) continue;
      this.#last[i] = now;
      const root = changeOf(standings, this.isTest, identityId, now, before?.rank ?? null);
      // Needed only if a listener waits for the present state.
      const first = this.due && before ? changeOf(standings, this.isTest, identityId, now, null) : root;
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

/** The last of them in order of rank: those right above. */
function nearest(measure: Measure, movers: readonly Mover[]): LiveEntry[] {
  return movers.slice(-MOST_NAMED).map((mover) => liveEntry(measure, mover, mover.rank));
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
    const { version, entryCount, byPlayer, movers, ranking, measure } = await round.standings(this);
    const now = byPlayer.get(this.identityId);
    const before = this.#last;
    const by = now && before ? passed(await movers, this.identityId, before, now) : [];
    this.#last = now;
    const changed = by.length > 0;
    if (!changed && !this.due) return undefined;
    const entry = now ? liveEntry(measure, now, now.rank) : null;
    const seen = { boardId: ranking.boardId, version, entry, totalCount: entryCount };
    const first = Object.assign(new Overtaken(), { ...seen, previousRank: null, count: 0, by: [] });
    const details = { previousRank: before?.rank ?? null, count: by.length, by: nearest(measure, by) };
    const root = changed ? Object.assign(new Overtaken(), { ...seen, ...details }) : first;
    return [{ item: '', version, root, first, changed }];
  }
}
