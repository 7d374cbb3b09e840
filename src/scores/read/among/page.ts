import { invalidField, notFound } from '../../../base/errors.js';
import { idOf, uuidOf } from '../../../base/ids.js';
import type { SortDirection } from '../../../boards/board/board.js';
import { readPage, windowOf } from '../../../db/keyset.js';
import type { Queryable } from '../../../db/pool.js';
import { decodeCursor, type Filters, type Order } from '../../../db/sort.js';
import { isOwn } from '../../../rankings/address.js';
import { AMONG, AMONG_PLACES, IS_AMONG } from '../../../rankings/among-sql.js';
import { rankKeyOf } from '../../../rankings/kept-entry.js';
import type { OrderKey } from '../../../rankings/order.js';
import { placeIn } from '../../../rankings/own-score.js';
import { ofRanking } from '../../../rankings/ranked.js';
import { type EntryKey, scoresOfRows } from '../../../rankings/read.js';
import { type EntryValues, orderKeyOf, scoreOf } from '../../../rankings/rows.js';
import { placeholderAt, type Score } from '../../../rankings/score.js';
import { type RankWindow, turned } from '../../../rankings/window.js';
import { ScorePage, type ServedPage } from '../../schema/connection.js';
import { countOf, filteredEntries, pageInfoOf } from '../filtered.js';
import type { AmongPlayers, ListedBoard, Readers, ScoreListRequest, TestFilter } from '../list-request.js';
import { boardOrder, filtersOf, pageOf } from '../pages.js';

/** A request with its players resolved. */
export type AmongRequest = ScoreListRequest & { among: AmongPlayers };

/** The part of the players' order to show. */
interface Span {
  kind: 'after' | 'before' | 'around' | 'from';
  /** The key for the first three kinds. */
  key: OrderKey;
  /** The place for the last kind. */
  place: number;
  size: number;
  /** Entries above the key in a window around it, unless a side is too short. */
  half: number;
}

interface AmongRow {
  version: number;
  sort_direction: SortDirection;
  entry_count: number;
  /** Number of the players' entries, and of those before the key. */
  n: number;
  above: number;
  /** Place of the first shown entry. */
  first: number;
  /** Rank of the key of a window around it; null: no entry. */
  key_rank: number | null;
  /** The display rank of its value, if display ranks count values. */
  key_display: number | null;
  entries: [place: number, rank: number | null, display: number | null, entry: EntryValues][] | null;
}

const TOP: OrderKey = { rankKey: Number.NEGATIVE_INFINITY, seq: 0 };
const BOTTOM: OrderKey = { rankKey: Number.NaN, seq: 0 };

/**
 * A page of the ranking among some players, in the board's order or its reverse: exact places among them and exact
 * ranks, at one instant. Costs one key look-up per player and one rank look-up per entry shown.
 * @throws DomainError INVALID_CURSOR, CURSOR_MISMATCH, VALIDATION_FAILED
 */
export async function amongPage(
  { pool }: Pick<Readers, 'pool'>,
  board: ListedBoard,
  request: AmongRequest,
  isTest: boolean,
  order: Order,
  filters: Filters,
): Promise<ServedPage> {
  const { forward, size, cursor } = windowOf(request);
  const reversed = order.text !== 'board';
  const [rankKey, seq] = cursor === undefined ? [] : decodeCursor(order, filters, cursor);
  const position = cursor === undefined ? undefined : { rankKey: rankKey as number, seq: seq as number };
  const upwards = forward === reversed;
  const span: Span = {
    kind: upwards ? 'before' : 'after',
    key: position ?? (upwards ? BOTTOM : TOP),
    place: 1,
    size,
    half: 0,
  };
  const read = windowOfRow(await readAmong(pool, board, request, isTest, span), board);
  const window = request.identityId == null ? read : { ...read, hasPrevious: false, hasNext: false };
  return pageOf(reversed ? turned(window) : window, order, filters);
}

/**
 * A window among some players: from a place on, or around any score or value, not necessarily one of theirs.
 * @throws DomainError NOT_FOUND (the score), VALIDATION_FAILED
 */
export async function amongWindow(
  { pool, now }: Pick<Readers, 'pool' | 'now'>,
  board: ListedBoard,
  request: AmongRequest,
  isTest: boolean,
): Promise<ServedPage> {
  const { size } = windowOf(request);
  const filters = { ...filtersOf(board, isTest), among: request.among.name };
  const shown = (window: RankWindow) => pageOf(window, boardOrder(false), filters);
  const around = { kind: 'around' as const, place: 1, half: Math.floor(size / 2) };
  if (request.startRank != null) {
    const span: Span = { kind: 'from', key: TOP, place: request.startRank, size, half: 0 };
    return shown(windowOfRow(await readAmong(pool, board, request, isTest, span), board));
  }
  if (request.aroundScoreId != null) {
    const key = await placeIn(pool, board.ranking, isTest, request.aroundScoreId);
    if (!key) throw notFound('Score');
    const span: Span = { ...around, key, size };
    return shown(windowOfRow(await readAmong(pool, board, request, isTest, span), board));
  }
  const value = request.aroundValue! + 0;
  const key = { rankKey: rankKeyOf(value, board.sortDirection), seq: 0 };
  const row = await readAmong(pool, board, request, isTest, { ...around, key, size: size - 1 });
  const rank = row?.key_rank ?? 1;
  const placeholder = Object.assign(placeholderAt(board, isTest, value, now), {
    rank,
    displayRank: row?.key_display ?? rank,
    amongRank: (row?.above ?? 0) + 1,
  });
  return shown(withPlaceholder(windowOfRow(row, board), placeholder, key, row));
}

async function readAmong(
  pool: Queryable,
  board: ListedBoard,
  { among, identityId }: AmongRequest,
  isTest: boolean,
  { kind, key, place, size, half }: Span,
): Promise<AmongRow | undefined> {
  const only = identityId == null ? null : uuidOf(identityId);
  // A single player is found at any place.
  const shown = only === null ? size : among.ids.length;
  const ids = among.ids.map(uuidOf);
  const page = [kind, key.rankKey, key.seq, shown, place, only, half];
  const query = ofRanking(AMONG, board.ranking, [isTest, ids, ...page]);
  return (await pool.query<AmongRow>(query)).rows[0];
}

function windowOfRow(row: AmongRow | undefined, board: ListedBoard): RankWindow {
  const entries = row?.entries ?? [];
  const [n, first, last] = [row?.n ?? 0, entries[0]?.[0], entries.at(-1)?.[0]];
  return {
    scores: entries.map(([place, rank, display, entry]) =>
      Object.assign(scoreOf(entry, rank ?? 1, display ?? undefined), { amongRank: place }),
    ),
    keys: entries.map(([, , , entry]) => orderKeyOf(entry)),
    // An empty page is before the first entry or after the last.
    hasPrevious: first === undefined ? n > 0 && row!.first > n : first > 1,
    hasNext: last === undefined ? n > 0 && row!.first <= n : last < n,
    entryCount: row?.entry_count ?? 0,
    version: row?.version ?? 0,
    sortDirection: row?.sort_direction ?? board.sortDirection,
    cached: false,
  };
}

/** The placeholder is above equal values. */
function withPlaceholder(
  window: RankWindow,
  placeholder: Score,
  key: OrderKey,
  row: AmongRow | undefined,
): RankWindow {
  const at = row ? row.above - row.first + 1 : 0;
  const { scores, keys } = window;
  const shownBelow = scores.length - at;
  return {
    ...window,
    scores: [...scores.slice(0, at), placeholder, ...scores.slice(at)],
    keys: [...keys.slice(0, at), key, ...keys.slice(at)],
    hasPrevious: (row?.first ?? 1) > 1,
    hasNext: (row?.above ?? 0) + shownBelow < (row?.n ?? 0),
  };
}

/** Pages in other orders, or of both populations: places count among the players of the same population. */
export async function amongSorted(
  { knex, pool }: Pick<Readers, 'knex' | 'pool'>,
  board: ListedBoard,
  request: AmongRequest,
  isTest: TestFilter,
  order: Order,
  filters: Filters,
): Promise<ScorePage> {
  if (!isOwn(board.ranking))
    throw invalidField(['isTest'], 'must be true or false for a set of players in a view');
  const populations = isTest === 'all' ? [false, true] : [isTest];
  const ids = request.among.ids.map(uuidOf);
  const base = populations.map((population) =>
    filteredEntries(knex, board.ranking, population, request.identityId).whereRaw(IS_AMONG, {
      board: uuidOf(board.id),
      isTest: population,
      ids,
    }),
  );
  const page = await readPage({ db: knex, base, order, filters, request }, (rows) =>
    scoresOfRows(pool, rows as unknown as EntryKey[]),
  );
  for (const population of populations) {
    const query = ofRanking(AMONG_PLACES, board.ranking, [population, ids]);
    const { rows } = await pool.query<{ id: string; place: number }>(query);
    const places = new Map(rows.map(({ id, place }) => [idOf('score', id), place]));
    for (const score of page.items) score.amongRank ??= places.get(score.id) ?? null;
  }
  return new ScorePage(
    page.items,
    (index) => page.cursor(index, 'f'),
    () => countOf(pool, board.ranking, populations),
    pageInfoOf(page),
  );
}
