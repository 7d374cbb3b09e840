import type { Queryable } from '../../../db/pool.js';
import type { LiveState } from '../../../graphql/live/watched.js';
import { scoresOfIdentities } from '../../read/own-score.js';
import { boardVersions } from '../../read/read.js';
import { droppedRanking, windowFromRank } from '../../read/window.js';
import type { Score } from '../../score.js';
import type { ChosenRanking } from '../../standings/view-request.js';
import type { RankingMarks } from '../ranking-marks.js';
import { Source, type States } from '../source.js';
import { NextAbove, RankChange } from './changes.js';
import type { FollowedRanking } from './followed-ranking.js';

interface Seen {
  /** Of the period. */
  key: string;
  entry: Score | null;
  above: Score | null;
}

function aboveOf({ entry, above }: Seen): NextAbove | null {
  if (!entry || !above) return null;
  const { rank, displayRank, value, playerName, identityId } = above;
  const difference = Math.abs(value - entry.value);
  return Object.assign(new NextAbove(), { rank, displayRank, value, playerName, identityId, difference });
}

const factsOf = (score: Score | null) =>
  score &&
  [score.rank, score.displayRank, score.value, score.valueDisplay, score.playerName, score.identityId].join(
    '\n',
  );

function isSame(a: Seen, b: Seen): boolean {
  return a.key === b.key && factsOf(a.entry) === factsOf(b.entry) && factsOf(a.above) === factsOf(b.above);
}

/** Standings of some players in a ranking of a view: a new state for each whose rank, rank to show, value or next one above differs. */
export class ViewRankSource extends Source {
  readonly #last = new Map<string, Seen>();
  #read: { version: number; key: string } | undefined;

  constructor(
    private readonly pool: Queryable,
    private readonly boardId: string,
    override readonly isTest: boolean,
    private readonly players: readonly string[],
    private readonly followed: FollowedRanking,
  ) {
    super();
  }

  override get until(): number {
    return this.followed.until;
  }

  override isTouched(marks: RankingMarks): boolean {
    return !this.#read || this.followed.isTouched(marks, this.#read.version);
  }

  async states(): Promise<States | undefined> {
    const ranking = await this.followed.now();
    // Read before the standings: a change that is newer than the version is sent again with the next one.
    const version = (await boardVersions(this.pool, [this.boardId])).get(this.boardId) ?? 0;
    const { key } = ranking;
    if (!this.due && this.#read?.version === version && this.#read.key === key) return undefined;
    this.#read = { version, key };
    const keys = this.players.map((identityId) => ({
      boardId: this.boardId,
      isTest: this.isTest,
      identityId,
      ranking,
    }));
    const served = await scoresOfIdentities(this.pool, keys);
    if (served.some((one) => one?.isDropped)) throw droppedRanking();
    const states = await Promise.all(
      this.players.map(async (identityId, i): Promise<LiveState | undefined> => {
        const entry = served[i]?.own?.score ?? null;
        const now = { key, entry, above: await this.#above(ranking, entry) };
        const before = this.#last.get(identityId);
        const changed = before === undefined || !isSame(before, now);
        if (!changed && !this.due) return undefined;
        this.#last.set(identityId, now);
        const total = served[i]?.total ?? 0;
        const of = (previousRank: number | null) =>
          this.#change(ranking, version, identityId, now, total, previousRank);
        const root = of(before?.entry?.rank ?? null);
        return { item: identityId, version, root, first: this.due ? of(null) : root, changed };
      }),
    );
    const found = states.filter((state) => state !== undefined);
    return found.length > 0 ? found : undefined;
  }

  async #above(ranking: ChosenRanking, entry: Score | null): Promise<Score | null> {
    if (!entry || entry.rank < 2) return null;
    const { scores } = await windowFromRank(
      this.pool,
      ranking,
      this.isTest,
      entry.rank - 1,
      1,
      'withoutOrigin',
    );
    return scores[0] ?? null;
  }

  #change(
    { view, key }: ChosenRanking,
    version: number,
    identityId: string,
    seen: Seen,
    entryCount: number,
    previousRank: number | null,
  ): RankChange {
    const { entry } = seen;
    return Object.assign(new RankChange(), {
      boardId: this.boardId,
      version,
      view,
      key,
      identityId,
      rank: entry?.rank ?? null,
      displayRank: entry?.displayRank ?? null,
      previousRank,
      value: entry?.value ?? null,
      valueDisplay: entry?.valueDisplay ?? null,
      playerName: entry?.playerName ?? null,
      entryCount,
      nextAbove: aboveOf(seen),
    });
  }
}
