import { uuidOf } from '../../src/base/ids.js';
import type { Database, Queryable } from '../../src/db/pool.js';
import { ownAddress } from '../../src/rankings/address.js';
import { type OrderKey, placedSeq } from '../../src/rankings/order.js';
import { WindowReads } from '../../src/rankings/pages.js';
import { scoresById } from '../../src/rankings/read.js';
import type { Score } from '../../src/rankings/score.js';
import {
  type RankWindow,
  windowAfter,
  windowAround,
  windowAroundScore,
  windowBefore,
  windowFromRank,
} from '../../src/rankings/window.js';
import type { WindowDetail } from '../../src/rankings/window-sql.js';
import { withoutOrigin } from '../../src/scores/visibility.js';
import { type BoardRules } from './world.js';

interface Listed {
  id: string;
  value: number;
  rank_key: number;
  seq: number;
  rank: number;
  /** Display rank, by the board's policy. */
  display: number;
  identity: string;
}

/** The truth: the entries as sorted by Postgres. */
export async function listed(db: Database, boardId: string, isTest: boolean): Promise<Listed[]> {
  const { rows } = await db.pool.query<Listed>(
    `select 'scr_' || e.id as id, e.value, e.rank_key, e.seq, row_number() over (order by e.rank_key, e.seq) as rank,
       case b.tie_policy when 'competition' then rank() over (order by e.rank_key) when 'dense' then dense_rank() over (order by e.rank_key)
         else row_number() over (order by e.rank_key, case b.tie_policy when 'latest' then - event_number(e.seq)
           else e.seq end) end as display,
       'ide_' || e.identity_id as identity
     from entries e join board_rankings b on b.board_id = e.board_id and b.generation = e.generation
     where e.board_id = $1 and e.is_test = $2 and e.ranked order by e.rank_key, e.seq`,
    [uuidOf(boardId), isTest],
  );
  return rows;
}

/** A window as administrators see it; for all others it is the same without locations, devices and events. */
async function inBoth(
  read: (detail: WindowDetail) => Promise<RankWindow | undefined>,
): Promise<RankWindow | undefined> {
  const [all, shown] = await Promise.all([read('all'), read('withoutOrigin')]);
  expect(shown).toEqual(all && { ...all, scores: all.scores.map(withoutOrigin), cached: shown?.cached });
  return all;
}

/** The pool without its events, so that reads for a single check leave no listener behind. */
export function unwatched({ pool }: Database): Queryable {
  return { query: (query: never) => pool.query(query) } as never;
}

/** Checks that every way to read a population shows its entries in order, with their ranks. */
export async function checkReads(db: Database, boardId: string, isTest: boolean): Promise<void> {
  const windows = new WindowReads(unwatched(db));
  const truth = await listed(db, boardId, isTest);
  const ids = truth.map((entry) => entry.id);
  const ranked = await scoresById(db.pool, ids);
  expect(ids.map((id) => ranked.get(id)?.rank)).toEqual(ids.map((_, i) => i + 1));
  const displays = new Map(truth.map(({ id, display }) => [id, display]));
  const shown = (scores: readonly Score[]) => {
    expect(scores.map(({ displayRank }) => displayRank)).toEqual(scores.map(({ id }) => displays.get(id)));
  };
  shown([...ranked.values()]);

  const size = 3;
  const forward: string[] = [];
  let key: OrderKey | undefined;
  for (;;) {
    const page = await windowAfter(windows, ownAddress(boardId), isTest, key, size, 'all');
    expect(page.scores.map((score) => score.rank)).toEqual(page.scores.map((_, i) => forward.length + i + 1));
    shown(page.scores);
    forward.push(...page.scores.map((score) => score.id));
    expect(page.entryCount).toBe(truth.length);
    expect(page.hasNext).toBe(forward.length < truth.length);
    if (!page.hasNext) break;
    key = page.keys.at(-1);
  }
  expect(forward).toEqual(ids);

  const backward: string[] = [];
  key = undefined;
  for (;;) {
    const page = await windowBefore(windows, ownAddress(boardId), isTest, key, size, 'all');
    backward.unshift(...page.scores.map((score) => score.id));
    expect(page.hasPrevious).toBe(backward.length < truth.length);
    if (!page.hasPrevious) break;
    key = page.keys[0];
  }
  expect(backward).toEqual(ids);

  const fromRank = async (rank: number) => {
    const page = (await inBoth((detail) =>
      windowFromRank(windows, ownAddress(boardId), isTest, rank, size, detail),
    ))!;
    expect(page.scores.map((score) => score.id)).toEqual(ids.slice(rank - 1, rank - 1 + size));
    expect(page.scores.map((score) => score.rank)).toEqual(page.scores.map((_, i) => rank + i));
    shown(page.scores);
  };
  const around = async (entry: Listed, i: number) => {
    const limit = 5;
    const key = { rankKey: entry.rank_key, seq: entry.seq };
    const page = (await inBoth((detail) =>
      windowAround(windows, ownAddress(boardId), isTest, key, limit, detail),
    ))!;
    const start = Math.max(0, Math.min(i - 2, truth.length - limit));
    expect(page.scores.map((score) => score.id)).toEqual(ids.slice(start, start + limit));
    expect(page.scores.map((score) => score.rank)).toEqual(page.scores.map((_, j) => start + j + 1));
    expect([page.hasPrevious, page.hasNext]).toEqual([start > 0, start + limit < truth.length]);
    for (const size of [1, 4, limit]) {
      const window = await inBoth((detail) =>
        windowAroundScore(windows, ownAddress(boardId), isTest, ids[i]!, size, detail),
      );
      const first = Math.max(0, Math.min(i - Math.floor(size / 2), truth.length - size));
      expect(window!.scores.map((score) => score.id)).toEqual(ids.slice(first, first + size));
      expect(window!.scores.map((score) => score.rank)).toEqual(window!.scores.map((_, j) => first + j + 1));
      shown(window!.scores);
      expect([window!.hasPrevious, window!.hasNext]).toEqual([first > 0, first + size < truth.length]);
    }
  };
  // At the same time, because windows requested together are read by one statement.
  const ranks = [1, 2, Math.ceil(truth.length / 2), truth.length, truth.length + 1].filter(
    (rank) => rank >= 1,
  );
  const few = truth.filter((_entry, i) => i % 5 === 0 || i === truth.length - 1);
  await Promise.all([...ranks.map(fromRank), ...few.map((entry) => around(entry, entry.rank - 1))]);
}

/** A plain model of one board and population, in order of commit. */
export function expected(
  board: BoardRules,
  events: { slot: string; event: string; amount: number; seq: number }[],
) {
  const entries = new Map<string, { value: number; seq: number }>();
  for (const { slot, event, amount, seq } of events) {
    if (board.boardType === 'run_runs') {
      entries.set(event, { value: amount, seq });
      continue;
    }
    const before = entries.get(slot);
    const sign = board.sortDirection === 'asc' ? 1 : -1;
    if (!before) entries.set(slot, { value: amount, seq });
    else if (board.boardType === 'counter' || board.keepStrategy === 'last') {
      const value = board.boardType === 'counter' ? before.value + amount : amount;
      if (value !== before.value) entries.set(slot, { value, seq });
    } else if (board.keepStrategy === 'best' && sign * amount < sign * before.value) {
      entries.set(slot, { value: amount, seq });
    }
  }
  const sign = board.sortDirection === 'asc' ? 1 : -1;
  const placed = [...entries.values()].map(({ value, seq }) => ({
    value,
    seq: placedSeq(seq, board.tiePolicy ?? 'earliest'),
  }));
  return placed.sort((a, b) => sign * (a.value - b.value) || a.seq - b.seq);
}
