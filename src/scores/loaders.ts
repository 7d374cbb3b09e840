import { type TurnLimits, Turns } from '../base/limits.js';
import type { Board } from '../boards/board/board.js';
import { PeriodReads } from '../boards/views/period-reads.js';
import type { Queryable } from '../db/pool.js';
import { BatchedRead } from '../db/shared-reads.js';
import type { Context } from '../graphql/context.js';
import type { LoaderSpec } from '../graphql/loader.js';
import { isOwn, ownAddress, type RankingAddress } from '../rankings/address.js';
import { originsOf, type ScoreOrigin } from '../rankings/origins.js';
import { type OwnKey, type OwnServed, scoresOfIdentities } from '../rankings/own-score.js';
import { WindowReads } from '../rankings/pages.js';
import { boardVersions, entryCounts, scoresById } from '../rankings/read.js';
import type { Score } from '../rankings/score.js';
import { type ShownEntry, splitsOf } from '../rankings/splits.js';
import { verifiedAtOf } from '../rankings/verified.js';

/** The module's loaders on the pool of named statements. */
export interface ScoreLoaders {
  byId: LoaderSpec<Score>;
  /** Ranked entries by board id. */
  counts(isTest: boolean): LoaderSpec<number>;
  /** Versions by board id. */
  versions: LoaderSpec<number>;
  /** Origins by score id. */
  origins: LoaderSpec<ScoreOrigin>;
  /** Splits by {@link splitsKey}. */
  splits: LoaderSpec<number[] | null>;
  /** When runs were verified, by {@link splitsKey}. */
  verifiedAt: LoaderSpec<Date | null>;
}

export function scoreLoaders(pool: Queryable): ScoreLoaders {
  const countsOf = (isTest: boolean): LoaderSpec<number> => ({
    batch: async (boardIds) => {
      const counts = await entryCounts(
        pool,
        boardIds.map((boardId) => ({ ranking: ownAddress(boardId), isTest })),
      );
      return new Map(boardIds.map((boardId, i) => [boardId, counts[i]!]));
    },
  });
  // The most frequent read: batched across operations, too.
  const one = new BatchedRead<string, Score | undefined>(async (ids) => {
    const scores = await scoresById(pool, ids);
    return ids.map((id) => scores.get(id));
  });
  const production = countsOf(false);
  const test = countsOf(true);
  return {
    byId: {
      // Scores of one operation must be read at the same instant, so they get their own statement.
      batch: async (ids) =>
        ids.length === 1 ? new Map([[ids[0]!, await one.read(ids[0]!)]]) : scoresById(pool, ids),
    },
    counts: (isTest) => (isTest ? test : production),
    versions: { batch: (ids) => boardVersions(pool, ids) },
    origins: { batch: (ids) => originsOf(pool, ids) },
    splits: {
      batch: async (keys) => {
        const splits = await splitsOf(pool, keys.map(entryOfKey));
        return new Map(keys.map((key, i) => [key, splits[i]!]));
      },
    },
    verifiedAt: {
      batch: async (keys) => {
        const times = await verifiedAtOf(pool, keys.map(entryOfKey));
        return new Map(keys.map((key, i) => [key, times[i]!]));
      },
    },
  };
}

/** An entry, as a key of a loader. */
export function splitsKey({ boardId, viewNo, period, group }: RankingAddress, scoreId: string): string {
  return JSON.stringify({ ranking: { boardId, viewNo, period, group }, scoreId } satisfies ShownEntry);
}

function entryOfKey(key: string): ShownEntry {
  return JSON.parse(key) as ShownEntry;
}

/** Read paths for scores. The most frequent reads of simultaneous requests are batched into few statements. */
export interface ScoreReads {
  /** Named statements of the score plane. */
  pool: Queryable;
  windows: WindowReads;
  /** Periods of views. */
  periods: PeriodReads;
  own: BatchedRead<OwnKey, OwnServed | undefined>;
  /**
   * Searches by name, best splits, and visitors' rankings among players: for visitors, and for game clients, because anyone can
   * start a session. Administrators do not wait.
   */
  looks: Record<'anonymous' | 'client', Turns>;
  /** Lists of a whole board in an order other than its own, for administrators and game clients. */
  sorts: Turns;
}

/** Limits of a process for reads that cost the database several milliseconds each, whoever calls. */
const LOOKS: TurnLimits = { atATime: 2, ofOwner: 1, waiting: 40, patienceMs: 1_000 };

/** Limits of a process for lists that cost the database a second or more on a large board. */
const SORTS: TurnLimits = { atATime: 2, ofOwner: 1, waiting: 100, patienceMs: 5_000 };

export function scoreReads(pool: Queryable): ScoreReads {
  return {
    pool,
    windows: new WindowReads(pool),
    periods: new PeriodReads(pool),
    own: new BatchedRead((keys) => scoresOfIdentities(pool, keys)),
    looks: { anonymous: new Turns(LOOKS), client: new Turns(LOOKS) },
    sorts: new Turns(SORTS),
  };
}

/**
 * Reads where a player stands. In a view that ranks every run, all runs of the player are looked up: for a visitor, when it is the
 * account's turn.
 * @throws DomainError UNAVAILABLE
 */
export function asPlace<T>(
  { looks }: ScoreReads,
  { caller }: Context,
  board: Pick<Board, 'accountId' | 'boardType'>,
  ranking: RankingAddress,
  read: () => Promise<T>,
): Promise<T> {
  const isLook = caller.kind === 'anonymous' && board.boardType === 'run_runs' && !isOwn(ranking);
  return isLook ? looks.anonymous.run(read, board.accountId) : read();
}

/** Reads for an administrator immediately, for others when it is their account's turn. @throws DomainError UNAVAILABLE */
export function asLook<T>(
  { looks }: ScoreReads,
  { caller }: Context,
  accountId: string,
  read: () => Promise<T>,
): Promise<T> {
  return caller.kind === 'admin' ? read() : looks[caller.kind].run(read, accountId);
}
