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

const COLUMNS: Record<keyof EntryRow, string> = {
  board_id: 'e.board_id',
  id: 'e.id',
  identity_id: 'e.identity_id',
  is_test: 'e.is_test',
  value: 'e.value',
  rank_key: 'e.rank_key',
  seq: 'e.seq',
  status: 'e.status',
  player_name: 'e.player_name',
  value_display: 'e.value_display',
  created_at: 'e.created_at',
  updated_at: 'e.updated_at',
  event_id: 'v.id',
  account_id: 'v.account_id',
  game_id: 'v.game_id',
  device_id: 'v.device_id',
  metadata: 'v.metadata',
  city: 'v.city',
  country: 'v.country',
  timezone: 'v.timezone',
};
const NAMES = Object.keys(COLUMNS);

/**
 * The columns of `e` and `v` as one: twenty of their own cost driver and server more than the look-up of a rank (which
 * describes, prints and parses each of them for every statement).
 */
export const ENTRY = `json_build_array(${Object.values(COLUMNS).join(', ')})`;

/** The event that an entry `e` shows; a ratio's is one of its sources'. */
export const SHOWN_EVENT =
  'left join score_events v on v.board_id = coalesce(e.event_board_id, e.board_id) and v.seq = e.event_seq';

/** What {@link ENTRY} selects. */
export type EntryValues = readonly unknown[];

export function entryRowOf(values: EntryValues): EntryRow {
  const row = Object.fromEntries(NAMES.map((name, i) => [name, values[i]])) as unknown as EntryRow;
  // JSON has no infinity: as a key it arrives as text.
  row.rank_key = Number(row.rank_key);
  return row;
}

export function scoreOf(row: EntryRow, rank: number): Score {
  return Object.assign(new Score(), {
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
