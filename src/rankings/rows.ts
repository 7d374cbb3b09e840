import { idOf } from '../base/ids.js';
import type { EntryStatus } from './kept-entry.js';
import type { OrderKey } from './order.js';
import { Score } from './score.js';

/** Shorter than a timestamp as text, and needs no parsing; as a whole number it is exact. */
const millisOf = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`;

/** Columns in which entries `e` of one board and population differ. */
const SHOWN_COLUMNS = [
  'e.id',
  'e.identity_id',
  'e.value',
  'e.rank_key',
  'e.seq',
  'e.status',
  'e.player_name',
  'e.value_display',
  millisOf('e.created_at'),
  millisOf('e.updated_at'),
  'e.metadata',
];

/** Origin of the event `v` that the entry shows: visible to the account's administrators only. */
const ORIGIN_COLUMNS = ['v.id', 'v.device_id', 'v.city', 'v.country', 'v.timezone'];

/** In the order of {@link OwnTuple}. */
const OWN_COLUMNS = [...SHOWN_COLUMNS, ...ORIGIN_COLUMNS];

/** Columns that are the same for all of them, in the order of {@link SharedTuple}. */
const SHARED_COLUMNS = ['e.board_id', 'e.is_test', 'v.account_id', 'v.game_id'];

type OwnTuple = [
  id: string,
  identity_id: string,
  value: number,
  // JSON has no infinity, so an infinite key arrives as text.
  rank_key: number | string,
  seq: number,
  status: EntryStatus,
  player_name: string,
  value_display: string | null,
  created_at: number,
  updated_at: number,
  metadata: Record<string, unknown> | null,
  // The origin; absent if it was not read.
  event_id?: string,
  device_id?: string | null,
  city?: string | null,
  country?: string | null,
  timezone?: string | null,
];

type SharedTuple = [board_id: string, is_test: boolean, account_id: string, game_id: string];

/**
 * The columns of `e` and `v` as one: twenty separate columns cost driver and server more than looking up a rank
 * (each is described, formatted and parsed for every statement).
 */
export const ENTRY = `json_build_array(${[...SHARED_COLUMNS, ...OWN_COLUMNS].join(', ')})`;

/** The event shown by an entry `e`; for a ratio, an event of one of its sources. */
export const SHOWN_EVENT =
  'left join score_events v on v.board_id = coalesce(e.event_board_id, e.board_id) and v.seq = e.event_seq';

/** SQL: true if equal values share a display rank. @param tiePolicy an SQL expression */
export const sharesRanks = (tiePolicy: string) => `${tiePolicy} in ('competition', 'dense')`;

/** SQL parts that read the entries of pages. */
export interface PageColumns {
  /** An entry `e` as one column. */
  entry: string;
  /** Joins its event `v`. */
  event: string;
}

/**
 * Each value costs as much to send as a separate column, so values that are the same on the whole page are not sent
 * with each entry.
 */
export const WITH_ORIGIN: PageColumns = {
  entry: `json_build_array(${OWN_COLUMNS.join(', ')})`,
  event: SHOWN_EVENT,
};

/** Columns for all other callers: looking up every entry's event took a third of a window's time in the database. */
export const WITHOUT_ORIGIN: PageColumns = {
  entry: `json_build_array(${SHOWN_COLUMNS.join(', ')})`,
  event: '',
};

/** Columns for visitors of a board whose `publicFields` do not include the metadata. */
export const WITHOUT_METADATA: PageColumns = {
  entry: `json_build_array(${SHOWN_COLUMNS.map((column) => (column === 'e.metadata' ? 'null' : column)).join(', ')})`,
  event: '',
};

/** Values that {@link ENTRY} or {@link PageColumns} select. */
export type EntryValues = readonly unknown[];

/** Fields that are equal for all scores of a page. Ids prefixed. */
type SharedFacts = Pick<Score, 'boardId' | 'accountId' | 'gameId' | 'isTest'>;

/** A single entry ({@link ENTRY}) as a score. */
export function scoreOf(values: EntryValues, rank: number, displayRank = rank): Score {
  const [board, isTest, account, game] = values as SharedTuple;
  const shared = {
    boardId: idOf('board', board),
    accountId: idOf('account', account),
    gameId: idOf('game', game),
    isTest,
  };
  return pageScoreOf(ownOf(values), shared, rank, displayRank);
}

/** Key of a single entry. */
export function orderKeyOf(values: EntryValues): OrderKey {
  return pageKeyOf(ownOf(values));
}

function ownOf(values: EntryValues): EntryValues {
  return values.slice(SHARED_COLUMNS.length);
}

/**
 * An entry of a page ({@link PageColumns}) as a score. Written out: a loop over names took a fifth of a page's
 * time.
 */
export function pageScoreOf(
  values: EntryValues,
  shared: SharedFacts,
  rank: number,
  displayRank: number,
): Score {
  const [
    id,
    identity_id,
    value,
    ,
    ,
    status,
    player_name,
    value_display,
    created_at,
    updated_at,
    metadata,
    event_id,
    device_id = null,
    city = null,
    country = null,
    timezone = null,
  ] = values as OwnTuple;
  return Score.of({
    id: idOf('score', id),
    accountId: shared.accountId,
    gameId: shared.gameId,
    boardId: shared.boardId,
    identityId: idOf('identity', identity_id),
    deviceId: device_id && idOf('device', device_id),
    scoreEventId: event_id === undefined ? null : idOf('scoreEvent', event_id),
    playerName: player_name,
    value,
    valueDisplay: value_display,
    city,
    country,
    timezone,
    metadata,
    rank,
    displayRank,
    amongRank: null,
    status,
    isTest: shared.isTest,
    isPlaceholder: false,
    createdAt: new Date(created_at),
    updatedAt: new Date(updated_at),
  });
}

/** Key of an entry of a page. */
export function pageKeyOf(values: EntryValues): OrderKey {
  const [, , , rankKey, seq] = values as OwnTuple;
  return { rankKey: Number(rankKey), seq };
}
