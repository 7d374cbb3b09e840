import type pg from 'pg';
import { unavailable } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Measure } from '../../base/value-format.js';
import type { RankingStatus } from '../../boards/views/rows.js';
import { inSnapshot, type Queryable } from '../../db/pool.js';
import type { ShownKey } from '../../players/session-text.js';
import { isOwn, type RankingAddress } from '../../rankings/address.js';
import { eventNumber } from '../../rankings/order.js';
import { ofRanking } from '../../rankings/ranked.js';
import { valueTextOf } from '../value-text.js';
import { CHUNK_ROWS, type ExportRow, type ExportSource } from './source.js';
import { CHUNK, ENTRIES_OF, NEWS, POSITION } from './standings-sql.js';

const COLUMNS = [
  'board_id',
  'is_test',
  'rank',
  'score_id',
  'identity_id',
  'identity_kind',
  'external_key',
  'player_name',
  'value',
  'value_display',
  'status',
  'metadata',
  'created_at',
  'occurred_at',
  'seq',
  'display_rank',
  'shown_value',
] as const;

/** How many numbers of the sequence are covered by one snapshot of rewritten players. */
const NEWS_AT_ONCE = 2_000;

interface StandingsPosition {
  generation: number;
  seq: number;
  numerator_seq: number;
  denominator_seq: number;
}

interface EntryLine {
  id: string;
  identity_id: string;
  identity_kind: string | null;
  external_key: string | null;
  rank: number | null;
  /** Null: the unique rank. */
  display_rank: number | null;
  rank_key: number;
  seq: number;
  value: number;
  value_display: string | null;
  status: string;
  player_name: string;
  metadata: object | null;
  created_at: Date;
  updated_at: Date;
}

/** An entry of a chunk; its ranks are those of the chunk's first entry. */
interface ChunkLine extends EntryLine {
  shares_ranks: boolean;
  is_dense: boolean;
}

/** A place of a player; all values of the entry are null if there is none. */
interface PlaceLine extends EntryLine {
  is_test: boolean;
  of: string;
  /** Id of the score at this place, now or formerly. */
  place: string;
  ranked: boolean | null;
}

interface News extends Omit<StandingsPosition, 'generation'> {
  ids: string[];
  behind: boolean;
}

/** The board that is exported, and how its values and the keys of its players are shown. */
interface Shown {
  boardId: string;
  measure: Measure;
  keyFor: ShownKey;
}

function lineOf(
  { boardId, measure, keyFor }: Shown,
  isTest: boolean,
  entry: EntryLine,
  rank: number | null,
  displayRank = rank,
): ExportRow {
  return [
    boardId,
    isTest,
    rank,
    idOf('score', entry.id),
    idOf('identity', entry.identity_id),
    entry.identity_kind,
    keyFor(entry.identity_kind, entry.external_key),
    entry.player_name,
    entry.value,
    entry.value_display,
    entry.status,
    entry.metadata,
    entry.created_at,
    entry.updated_at,
    eventNumber(entry.seq),
    displayRank,
    valueTextOf(measure, { value: entry.value, valueDisplay: entry.value_display }),
  ];
}

/** The line for a place without a ranked entry: it withdraws an earlier line of the same player or run. */
function withdrawn({ boardId, keyFor }: Shown, place: PlaceLine): ExportRow {
  return [
    boardId,
    place.is_test,
    null,
    idOf('score', place.place),
    idOf('identity', place.of),
    place.identity_kind,
    keyFor(place.identity_kind, place.external_key),
    place.player_name,
    null,
    null,
    'removed',
    null,
    null,
    null,
    null,
    null,
    null,
  ];
}

/** The ranks of a chunk follow from those of its first entry. */
function linesOf(shown: Shown, isTest: boolean, rows: readonly ChunkLine[]): ExportRow[] {
  const first = rows[0]?.rank ?? 1;
  let displayRank = rows[0]?.display_rank ?? first;
  return rows.map((entry, index) => {
    const rank = first + index;
    const before = rows[index - 1];
    if (!entry.shares_ranks) displayRank = rank;
    else if (before && before.rank_key !== entry.rank_key)
      displayRank = entry.is_dense ? displayRank + 1 : rank;
    return lineOf(shown, isTest, entry, rank, displayRank);
  });
}

async function* population(
  pool: pg.Pool,
  ranking: RankingAddress,
  shown: Shown,
  generation: number,
  isTest: boolean,
): AsyncGenerator<ExportRow[]> {
  let after: [number, number] = [-Infinity, -1];
  for (;;) {
    const values = [generation, isTest, ...after, CHUNK_ROWS];
    const { rows } = await pool.query<ChunkLine>(ofRanking(CHUNK, ranking, values));
    yield linesOf(shown, isTest, rows);
    if (rows.length < CHUNK_ROWS) return;
    const last = rows.at(-1)!;
    after = [last.rank_key, last.seq];
  }
}

/** Progress of the ranking's board; undefined: the ranking is not served. */
async function readPosition(db: Queryable, ranking: RankingAddress): Promise<StandingsPosition | undefined> {
  const { rows } = await db.query<StandingsPosition & { state?: RankingStatus | null }>(
    ofRanking(POSITION, ranking, []),
  );
  return rows[0] && (isOwn(ranking) || rows[0].state === 'live') ? rows[0] : undefined;
}

/**
 * Reads the places of players with events beyond a position, and the position up to which these are complete, in
 * one snapshot.
 */
function readNews(pool: pg.Pool, ranking: RankingAddress, from: StandingsPosition) {
  return inSnapshot(pool, async (client) => {
    const range = [from.seq, from.numerator_seq, from.denominator_seq, NEWS_AT_ONCE];
    const { rows } = await client.query<News>({ ...NEWS, values: [uuidOf(ranking.boardId), ...range] });
    const news = rows[0]!;
    const position = await readPosition(client, ranking);
    const places = await client.query<PlaceLine>(ofRanking(ENTRIES_OF, ranking, [from.generation, news.ids]));
    return { news, places: places.rows, generation: position?.generation };
  });
}

/**
 * The ranking in order, in chunks, then again the places of players with events or rulings since the start: the
 * last line of a player (of a run, where every run counts) is correct as of the final number. Ends with an error if
 * other rules are served before the end.
 */
export const standingSource: ExportSource = {
  columns: COLUMNS,
  async *rows(pool: pg.Pool, ranking: RankingAddress, measure: Measure, keyFor: ShownKey) {
    const shown = { boardId: ranking.boardId, measure, keyFor };
    let from = await readPosition(pool, ranking);
    if (!from) return 0;
    for (const isTest of [false, true]) yield* population(pool, ranking, shown, from.generation, isTest);
    for (;;) {
      const { news, places, generation }: Awaited<ReturnType<typeof readNews>> = await readNews(
        pool,
        ranking,
        from,
      );
      if (generation !== from.generation) {
        throw unavailable("The board's rules changed during the export. Start the export again.");
      }
      yield places.map((place) =>
        place.ranked
          ? lineOf(shown, place.is_test, place, place.rank, place.display_rank ?? place.rank)
          : withdrawn(shown, place),
      );
      from = { ...news, generation };
      if (!news.behind) return Math.max(news.seq, news.numerator_seq, news.denominator_seq);
    }
  },
};
