import { idOf } from '../ids.js';
import type { EntryStatus } from './decide.js';
import { Score } from './score.js';

/** An entry `e` and the event `v` that it shows, as the statements select them. Bare uuids. */
export interface EntryRow {
  board_id: string;
  id: string;
  identity_id: string;
  is_test: boolean;
  value: number;
  rank_key: number;
  seq: number;
  status: EntryStatus;
  player_name: string;
  value_display: string | null;
  /** ISO 8601, to the millisecond. */
  created_at: string;
  updated_at: string;
  event_id: string;
  account_id: string;
  game_id: string;
  device_id: string | null;
  metadata: Record<string, unknown> | null;
  city: string | null;
  country: string | null;
  timezone: string | null;
}

/** In the order in which {@link entryRowOf} takes them apart. */
const COLUMNS = [
  'e.board_id',
  'e.id',
  'e.identity_id',
  'e.is_test',
  'e.value',
  'e.rank_key',
  'e.seq',
  'e.status',
  'e.player_name',
  'e.value_display',
  'e.created_at',
  'e.updated_at',
  'v.id',
  'v.account_id',
  'v.game_id',
  'v.device_id',
  'v.metadata',
  'v.city',
  'v.country',
  'v.timezone',
];

type EntryTuple = [
  board_id: string,
  id: string,
  identity_id: string,
  is_test: boolean,
  value: number,
  // JSON has no infinity: as a key it arrives as text.
  rank_key: number | string,
  seq: number,
  status: EntryStatus,
  player_name: string,
  value_display: string | null,
  created_at: string,
  updated_at: string,
  event_id: string,
  account_id: string,
  game_id: string,
  device_id: string | null,
  metadata: Record<string, unknown> | null,
  city: string | null,
  country: string | null,
  timezone: string | null,
];

/**
 * The columns of `e` and `v` as one: twenty of their own cost driver and server more than the look-up of a rank (which
 * describes, prints and parses each of them for every statement).
 */
export const ENTRY = `json_build_array(${COLUMNS.join(', ')})`;

/** The event that an entry `e` shows; a ratio's is one of its sources'. */
export const SHOWN_EVENT =
  'left join score_events v on v.board_id = coalesce(e.event_board_id, e.board_id) and v.seq = e.event_seq';

/** What {@link ENTRY} selects. */
export type EntryValues = readonly unknown[];

/** Written out: building each row from a list of names was a fifth of a page's cost. */
export function entryRowOf(values: EntryValues): EntryRow {
  const [
    board_id,
    id,
    identity_id,
    is_test,
    value,
    rank_key,
    seq,
    status,
    player_name,
    value_display,
    ...rest
  ] = values as EntryTuple;
  const [
    created_at,
    updated_at,
    event_id,
    account_id,
    game_id,
    device_id,
    metadata,
    city,
    country,
    timezone,
  ] = rest;
  return {
    board_id,
    id,
    identity_id,
    is_test,
    value,
    rank_key: Number(rank_key),
    seq,
    status,
    player_name,
    value_display,
    created_at,
    updated_at,
    event_id,
    account_id,
    game_id,
    device_id,
    metadata,
    city,
    country,
    timezone,
  };
}

export function scoreOf(row: EntryRow, rank: number): Score {
  return Score.of({
    id: idOf('score', row.id),
    accountId: idOf('account', row.account_id),
    gameId: idOf('game', row.game_id),
    boardId: idOf('board', row.board_id),
    identityId: idOf('identity', row.identity_id),
    deviceId: row.device_id && idOf('device', row.device_id),
    scoreEventId: idOf('scoreEvent', row.event_id),
    playerName: row.player_name,
    value: row.value,
    valueDisplay: row.value_display,
    city: row.city,
    country: row.country,
    timezone: row.timezone,
    metadata: row.metadata,
    rank,
    status: row.status,
    isTest: row.is_test,
    isPlaceholder: false,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  });
}
